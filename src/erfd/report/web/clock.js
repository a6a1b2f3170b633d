// The time that all views of a page show: they listen to its clock, so that a scrub moves all of
// them in the same frame.

import { clamp } from "./rows.js";

const SLOW = 20; // ms between pictures
const CALM = 80; // ms

export class Clock {
  // `longest`: s that go by at most from picture to picture, however long the page was hidden
  constructor(longest = Infinity) {
    Object.assign(this, { longest, t: 0, start: 0, end: 0, playing: false, speed: 1, told: 0 });
    this.gap = 0; // mean time between pictures while it plays, ms
    this.listeners = new Map();
  }

  // `calm`: on a machine that draws slowly, a dozen times a second is enough while it plays
  listen(callback, { calm = false } = {}) {
    this.listeners.set(callback, calm);
    callback(this);
    return () => this.listeners.delete(callback);
  }

  tell() {
    const now = performance.now();
    const all = !this.playing || this.gap < SLOW || now - this.told > CALM;
    if (all) this.told = now;
    for (const [callback, calm] of this.listeners) if (all || !calm) callback(this);
  }

  span(start, end) {
    this.start = start;
    this.end = end;
    this.playing = false;
    this.go(this.t);
  }

  go(t) {
    if (!Number.isFinite(t)) return;
    this.t = clamp(t, this.start, this.end);
    this.tell();
  }

  // how much of the whole time has gone by, 0 to 1
  get part() {
    return this.end > this.start ? (this.t - this.start) / (this.end - this.start) : 0;
  }

  // someone takes it to a part of the whole time, so it does not play on
  scrub(part) {
    this.pause();
    this.go(this.start + part * (this.end - this.start));
  }

  setSpeed(speed) {
    this.speed = clamp(speed, 0.1, 10);
    this.tell();
  }

  play() {
    if (this.playing || this.end <= this.start) return;
    if (this.t >= this.end) this.t = this.start;
    this.playing = true;
    let last = performance.now();
    const step = (now) => {
      if (!this.playing) return;
      if (now - last < 1000) this.gap += 0.1 * (now - last - this.gap); // longer: a hidden tab
      const t = this.t + Math.min((now - last) / 1000, this.longest) * this.speed;
      last = now;
      if (t >= this.end) this.playing = false;
      this.go(t);
      if (this.playing) requestAnimationFrame(step);
    };
    requestAnimationFrame((now) => {
      last = now;
      step(now);
    });
    this.tell();
  }

  pause() {
    this.playing = false;
    this.tell();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }
}
