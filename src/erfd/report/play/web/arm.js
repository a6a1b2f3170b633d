// The arm: a mesh for each body, and the room that its motion takes.

import { Mesh } from "./mesh.js";
import { count, poseOf, scene } from "./motion.js";
import { dot, matrixOf, moved, sub } from "./vectors.js";

const MOMENTS = 24; // that are looked at for the room
const SKIP = 17; // corners

// bones from frame to frame, where there is nothing else to draw
function addBones(meshes) {
  for (let body = 1; body <= count; body++) {
    const here = matrixOf(poseOf(0, body));
    const away = sub(poseOf(0, body - 1), here.subarray(12));
    const local = [0, 4, 8].map((i) => dot(here.subarray(i), away));
    meshes[body].bone(local, [0, 0, 0], 0.03);
  }
}

function buildMeshes() {
  const meshes = scene.bodies.map(({ shapes }) => {
    const mesh = new Mesh();
    for (const shape of shapes) mesh.add(shape);
    return mesh;
  });
  if (meshes.every((mesh) => !mesh.data.length)) addBones(meshes);
  return meshes;
}

function measureRoom() {
  const low = [1e9, 1e9, 1e9];
  const high = [-1e9, -1e9, -1e9];
  for (let k = 0; k <= MOMENTS; k++)
    for (const [body, { data }] of meshes.entries()) {
      const place = matrixOf(poseOf(Math.round(((scene.t.length - 1) * k) / MOMENTS), body));
      for (let i = 0; i < data.length; i += 9 * SKIP)
        for (const [j, x] of moved(place, data.slice(i, i + 3)).entries()) {
          low[j] = Math.min(low[j], x);
          high[j] = Math.max(high[j], x);
        }
    }
  return low[0] > high[0] ? { low: [-1, -1, 0], high: [1, 1, 1] } : { low, high };
}

export const meshes = buildMeshes();
const { low, high } = measureRoom();
export const floor = Math.min(0, low[2]);
export const size = Math.max(0.2, Math.hypot(...sub(high, low)));
export const middle = low.map((x, i) => (x + high[i]) / 2);
