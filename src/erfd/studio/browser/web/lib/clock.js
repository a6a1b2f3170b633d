// The time that all views show. One clock a page: the scene, the timeline, the diagrams and the
// editor listen to it, so that a scrub moves all of them in the same frame.

const SLOW = 20; // ms between pictures
const CALM = 80; // ms

class Clock {
  constructor() {
    this.t = 0;
    this.start = 0;
    this.end = 0;
    this.playing = false;
    this.speed = 1;
    this.listeners = new Map();
    this.gap = 0; // mean time between pictures while it plays, ms
    this.told = 0;
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
    this.go(Math.min(Math.max(this.t, start), end));
  }

  go(t) {
    if (!Number.isFinite(t)) return;
    this.t = Math.min(Math.max(t, this.start), this.end);
    this.tell();
  }

  setSpeed(speed) {
    this.speed = Math.min(Math.max(speed, 0.1), 10);
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
      const t = this.t + ((now - last) / 1000) * this.speed;
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

window.erfdClock ??= new Clock();
export const clock = window.erfdClock;
