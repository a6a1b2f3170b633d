// Shapes as lists of triangles; every corner has a place, a normal and a colour.

import { cornersOf } from "../../web/triangles.js";
import { cross, matrixOf, moved, STILL, sub, turned, unit } from "./vectors.js";

// red, green and blue of #rrggbb, 0 to 1
export const rgb = (text) => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16) / 255);

export class Mesh {
  constructor() {
    Object.assign(this, { data: [], place: STILL, color: [1, 1, 1] });
  }

  // of corners [place, normal]
  polygon(corners) {
    for (let k = 1; k + 1 < corners.length; k++)
      for (const [at, normal] of [corners[0], corners[k], corners[k + 1]])
        this.data.push(...moved(this.place, at), ...turned(this.place, normal), ...this.color);
  }

  flat(points) {
    const normal = unit(cross(sub(points[1], points[0]), sub(points[2], points[0])));
    this.polygon(points.map((point) => [point, normal]));
  }

  // the surface that a profile of [radius, z, normal r, normal z] sweeps about z
  lathe(profile, sides = 36) {
    const at = ([r, z, nr, nz], side) => {
      const [c, s] = [Math.cos, Math.sin].map((f) => f((2 * Math.PI * side) / sides));
      return [
        [r * c, r * s, z],
        [nr * c, nr * s, nz],
      ];
    };
    for (let k = 0; k + 1 < profile.length; k++)
      for (let s = 0; s < sides; s++)
        this.polygon([at(profile[k], s), at(profile[k], s + 1), at(profile[k + 1], s + 1), at(profile[k + 1], s)]);
  }

  // an outline x, y, x, y, ... from -half to half
  prism(outline, half) {
    const ring = [];
    for (let k = 0; k < outline.length; k += 2) ring.push(outline.slice(k, k + 2));
    const after = (list, i) => list[(i + 1) % list.length];
    const area = ring.reduce((sum, [x, y], i) => sum + x * after(ring, i)[1] - y * after(ring, i)[0], 0);
    if (area < 0) ring.reverse();
    const [low, high] = [-half, half].map((z) => ring.map((point) => [...point, z]));
    this.flat(high);
    this.flat([...low].reverse());
    for (const i of ring.keys()) this.flat([low[i], after(low, i), after(high, i), high[i]]);
  }

  cylinder(r, h) {
    // biome-ignore format: the lower end, the side, the upper end
    const faces = [
      [[0, -h, 0, -1], [r, -h, 0, -1]], [[r, -h, 1, 0], [r, h, 1, 0]], [[r, h, 0, 1], [0, h, 0, 1]]];
    for (const face of faces) this.lathe(face);
  }

  // a capsule; a sphere, if its half length is 0
  round(radius, half) {
    const steps = 14;
    const profile = [];
    for (const side of [-1, 1])
      for (let k = 0; k <= steps; k++) {
        const w = ((side * Math.PI) / 2) * (side < 0 ? 1 - k / steps : k / steps);
        profile.push([radius * Math.cos(w), radius * Math.sin(w) + side * half, Math.cos(w), Math.sin(w)]);
      }
    this.lathe(profile);
  }

  triangles(mesh) {
    const { places, normals } = cornersOf(mesh);
    for (let k = 0; k < places.length; k += 3)
      this.data.push(
        ...moved(this.place, places.subarray(k, k + 3)),
        ...turned(this.place, normals.subarray(k, k + 3)),
        ...this.color,
      );
  }

  add({ shape, size, color, pose, ...mesh }) {
    Object.assign(this, { place: matrixOf(pose), color: rgb(color) });
    if (shape === "mesh") {
      this.triangles(mesh);
      return;
    }
    const half = size.map((x) => x / 2);
    if (shape === "box")
      this.prism([-half[0], -half[1], half[0], -half[1], half[0], half[1], -half[0], half[1]], half[2]);
    else if (shape === "prism") this.prism(size.slice(1), half[0]);
    else if (shape === "cylinder") this.cylinder(size[0], half[1]);
    else this.round(size[0], shape === "capsule" ? half[1] : 0);
  }

  // from joint to joint of an arm without shapes
  bone(from, to, thick) {
    const along = sub(to, from);
    const size = Math.hypot(...along);
    if (size < 1e-6) return;
    const z = along.map((x) => x / size);
    const x = unit(cross(Math.abs(z[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], z));
    const middle = from.map((f, i) => (f + to[i]) / 2);
    this.place = new Float32Array([...x, 0, ...cross(z, x), 0, ...z, 0, ...middle, 1]);
    this.color = [0.6, 0.65, 0.7];
    const side = [-1, 1].map((end) => [thick, (end * size) / 2, 1, 0]);
    this.lathe(side);
  }
}
