// Play, pause, scrub, speed; the bar shows the moves and where motors are at their limits.

import { freshPen } from "erfd-shared";
import { clock, isDark, onPageChange } from "erfd-studio";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10];

export default {
  template: `<div class="studio-timeline">
    <button type="button" class="round" :title="words.start" :aria-label="words.start" @click="go(start)"><i class="q-icon material-icons">skip_previous</i></button>
    <button type="button" class="round main" :title="words.play" :aria-label="playing ? words.pause : words.play" @click="toggle"><i class="q-icon material-icons">{{ playing ? "pause" : "play_arrow" }}</i></button>
    <div class="track"><canvas tabindex="0" role="slider" :aria-label="words.time" :aria-valuemin="start" :aria-valuemax="end" :aria-valuenow="now"
      @pointerdown="grab" @pointermove="drag" @pointerup="drop" @pointercancel="drop" @keydown="key"></canvas><i class="knob"></i></div>
    <span class="clock">{{ now.toFixed(2) }} / {{ end.toFixed(2) }} s</span>
    <select :aria-label="words.speed" :title="words.speed" :value="speed" @change="setSpeed">
      <option v-for="s in speeds" :key="s" :value="s">{{ s }}×</option>
    </select></div>`,
  props: { words: Object, span: Array, moves: Array, bands: Array, colors: Object },
  emits: ["rest"],
  data: () => ({ now: 0, start: 0, end: 0, playing: false, speed: 1, speeds: SPEEDS }),

  mounted() {
    clock.span(...(this.span ?? [0, 0]));
    this.rested = setInterval(() => this.rest(), 200);
    this.stop = clock.listen(
      (c) => {
        this.place(); // a moving element is cheap, a drawn canvas or new text is not
        const now = performance.now();
        if (c.playing && this.playing && now - this.told < 150) return;
        this.told = now;
        if (c.start !== this.start || c.end !== this.end) this.$nextTick(() => this.draw());
        Object.assign(this, { now: c.t, start: c.start, end: c.end, playing: c.playing, speed: c.speed });
      },
      { calm: true },
    );
    this.draw();
    this.leave = onPageChange(this.$el, this.draw, this.draw);
  },
  beforeUnmount() {
    this.stop();
    this.leave();
    clearInterval(this.rested);
  },
  watch: {
    span: {
      deep: true,
      handler(value, old) {
        this.last = null; // of another run
        if (JSON.stringify(value) !== JSON.stringify(old)) clock.span(...value);
      },
    },
    moves: { deep: true, handler: "draw" },
    bands: { deep: true, handler: "draw" },
  },
  methods: {
    go(t) {
      clock.pause();
      clock.go(t);
    },
    // where the clock has come to rest: jogging goes on from there
    rest() {
      const { t, playing, end } = clock;
      const still = !playing && t === this.before;
      this.before = t;
      if (!still || t === this.last || !end) return;
      this.last = t;
      this.$emit("rest", t);
    },
    toggle() {
      clock.toggle();
    },
    setSpeed(event) {
      clock.setSpeed(Number(event.target.value));
    },
    grab(event) {
      this.held = true;
      event.target.setPointerCapture(event.pointerId);
      this.drag(event);
    },
    drag(event) {
      if (!this.held) return;
      const box = event.target.getBoundingClientRect();
      clock.scrub((event.clientX - box.left) / box.width);
    },
    drop() {
      this.held = false;
    },
    key(event) {
      const step = (clock.end - clock.start) / (event.shiftKey ? 20 : 200);
      const jump = {
        ArrowLeft: clock.t - step,
        ArrowRight: clock.t + step,
        Home: clock.start,
        End: clock.end,
      }[event.key];
      if (event.key === " ") clock.toggle();
      else if (jump !== undefined) clock.go(jump);
      else return;
      event.preventDefault();
    },
    draw() {
      const canvas = this.$el?.querySelector("canvas");
      if (!canvas?.clientWidth) return;
      const { pen, width, height } = freshPen(canvas);
      const dark = isDark();
      const length = clock.end - clock.start || 1;
      const x = (t) => ((t - clock.start) / length) * width;
      const middle = height / 2;
      pen.fillStyle = dark ? "#30363d" : "#dde3ea";
      pen.fillRect(0, middle - 5, width, 10);
      (this.moves ?? []).forEach((move, i) => {
        if (i % 2) return;
        pen.fillStyle = dark ? "#3d4652" : "#c9d3de";
        pen.fillRect(x(move.start), middle - 5, x(move.end) - x(move.start), 10);
      });
      for (const band of this.bands ?? []) {
        pen.fillStyle = band.color;
        pen.fillRect(x(band.start), middle - 5, Math.max(x(band.end) - x(band.start), 2), 10);
      }
      this.width = width;
      this.place();
    },
    place() {
      const knob = this.$el?.querySelector(".knob");
      if (knob) knob.style.transform = `translateX(${clock.part * (this.width ?? 0)}px)`;
    },
  },
};
