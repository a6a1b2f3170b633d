// Poses of a live robot: fetched some times a second, shown a little late, so that it moves smoothly.

import { between } from "erfd-shared";
import { getPacket } from "./packet.js";

const LATE = 0.25; // s behind the newest sample
const KEPT = 600; // samples

export class Stream {
  // width() is the numbers of one sample; show(pair, part, width) places two samples and the part between
  constructor(url, width, show) {
    Object.assign(this, { url, width, show, last: -1, over: false, shown: 0 });
    this.clear();
    this.fetchOn();
    requestAnimationFrame((now) => this.draw(now));
  }

  close() {
    this.over = true;
  }

  clear() {
    Object.assign(this, { t: [], poses: [], offset: null });
  }

  async fetchOn() {
    if (this.over) return;
    try {
      const packet = await getPacket(`${this.url}/poses?after=${this.last}`);
      this.take(packet);
    } catch {
      // the page says how the stream is
    }
    setTimeout(() => this.fetchOn(), 120);
  }

  take({ t, poses, last }) {
    this.last = last;
    const width = this.width();
    for (let i = 0; i < t.length; i += 1) {
      if (this.t.length && t[i] <= this.t.at(-1)) this.clear(); // time has jumped back
      this.t.push(t[i]);
      this.poses.push(poses.subarray(i * width, (i + 1) * width));
    }
    if (t.length) {
      const offset = this.t.at(-1) - performance.now() / 1000;
      this.offset = this.offset === null ? offset : Math.max(this.offset - 0.002, offset);
    }
    const spare = this.t.length - KEPT;
    if (spare > 0) {
      this.t.splice(0, spare);
      this.poses.splice(0, spare);
    }
  }

  draw(now) {
    if (this.over) return;
    requestAnimationFrame((next) => this.draw(next));
    const end = this.t.length - 1;
    if (end < 0 || now - this.shown < 24) return; // 30 to 40 pictures a second
    this.shown = now;
    const t = now / 1000 + this.offset - LATE;
    const [row, next, part] = between(this.t, t);
    if (row + part === end && this.place === end) return; // nothing new
    this.place = row + part;
    const width = this.poses[row].length;
    const pair = new Float32Array(2 * width);
    pair.set(this.poses[row]);
    pair.set(this.poses[next], width);
    this.show(pair, part, width);
  }
}
