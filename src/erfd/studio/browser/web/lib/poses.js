// Where the links of a run are at any time. A short run is fetched whole; of a long one an overview
// first, then the block around the time that is shown, so that a million samples play as well. The
// way of the tool (`Way`) is fetched likewise.

import { between } from "erfd-shared";
import { getPacket } from "./packet.js";

const BLOCK = 4000; // rows
const KEPT = 12; // blocks

export class Poses {
  constructor(url, changed) {
    Object.assign(this, { url, changed, blocks: new Map(), waiting: new Set() });
  }

  async load() {
    this.overview = await getPacket(`${this.url}/poses?points=${BLOCK}`);
    return this;
  }

  get whole() {
    return this.overview.row.length === this.overview.size;
  }

  // the block that t is in
  number(t) {
    const { t: times, row: rows } = this.overview;
    const [first, next, part] = between(times, t);
    return Math.floor((rows[first] + part * (rows[next] - rows[first])) / BLOCK);
  }

  // {packet, row, part}: the samples around t and how far t is between row and row + 1
  at(t) {
    const packet = this.whole ? this.overview : (this.block(this.number(t)) ?? this.overview);
    const [row, , part] = between(packet.t, t);
    return { packet, row, part };
  }

  block(number) {
    this.fetchBlock(number + 1);
    this.fetchBlock(number);
    const found = this.blocks.get(number);
    if (found) {
      this.blocks.delete(number); // used last: to the end of the queue
      this.blocks.set(number, found);
    }
    return found;
  }

  async fetchBlock(number) {
    const first = number * BLOCK;
    if (first >= this.overview.size || this.blocks.has(number) || this.waiting.has(number)) return;
    this.waiting.add(number);
    try {
      const url = `${this.url}/poses?first=${Math.max(first - 1, 0)}&last=${first + BLOCK + 1}`;
      this.blocks.set(number, await getPacket(url));
      while (this.blocks.size > KEPT) this.blocks.delete(this.blocks.keys().next().value);
      this.changed();
    } finally {
      this.waiting.delete(number);
    }
  }
}

// The way of the tool: the whole one, or in a long run the part around the time that is shown
export class Way {
  constructor(url, poses, changed) {
    Object.assign(this, { url, poses, changed });
  }

  async load(t) {
    this.shown = this.poses.whole ? 0 : this.poses.number(t);
    this.packet = await this.get(this.shown);
    return this;
  }

  get(number) {
    if (this.poses.whole) return getPacket(`${this.url}/path`);
    const first = Math.max((number - 0.5) * BLOCK, 0);
    return getPacket(`${this.url}/path?first=${first}&last=${(number + 1.5) * BLOCK}`);
  }

  async follow(t) {
    if (this.poses.whole || this.shown === this.poses.number(t)) return;
    this.shown = this.poses.number(t);
    const asked = this.shown;
    const packet = await this.get(asked);
    if (asked !== this.shown) return; // the time has gone on meanwhile
    this.packet = packet;
    this.changed();
  }
}
