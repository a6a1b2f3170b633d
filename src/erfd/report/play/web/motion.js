// The motion of the page: where the bodies are at a time, and what the joints do.

import { between } from "../../web/rows.js";

export const scene = JSON.parse(document.getElementById("scene").textContent);
export const count = scene.joints.length;

// of the base (0) or a link, in a row of the motion
export const poseOf = (row, body) => (body === 0 ? scene.mount : scene.poses[row].slice(7 * (body - 1), 7 * body));

export function poseAt(time, body) {
  const [row, next, part] = between(scene.t, time);
  const [a, b] = [poseOf(row, body), poseOf(next, body)];
  const way = a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6] < 0 ? -1 : 1;
  const mixed = a.map((x, i) => x + part * ((i > 2 ? way : 1) * b[i] - x));
  const size = Math.hypot(...mixed.slice(3));
  return mixed.map((x, i) => (i > 2 ? x / size : x));
}

export function valueAt(name, time, joint) {
  const [row, next, part] = between(scene.t, time);
  const rows = scene.data[name];
  return rows[row][joint] + part * (rows[next][joint] - rows[row][joint]);
}
