// Where a camera must stand to see all of some things.

import { THREE } from "nicegui-scene";

// The corners of what is seen of these groups, in the world
function corners(groups) {
  const found = [];
  for (const group of groups) {
    group.updateMatrixWorld(true);
    group.traverseVisible((one) => {
      const places = one.geometry?.attributes.position;
      for (let k = 0; k < (places?.count ?? 0); k += 1) {
        found.push(new THREE.Vector3().fromBufferAttribute(places, k).applyMatrix4(one.matrixWorld));
      }
    });
  }
  return found;
}

// {target, position, radius}: looking along -direction all of it, and some more points, is in the
// picture, in its middle
export function fit(groups, camera, direction, margin, more) {
  const points = corners(groups).concat(more);
  if (!points.length) points.push(new THREE.Vector3(-1, -1, 0), new THREE.Vector3(1, 1, 1.5));
  const box = new THREE.Box3().setFromPoints(points);
  const target = box.getCenter(new THREE.Vector3());
  const right = new THREE.Vector3().crossVectors(camera.up, direction).normalize();
  const up = new THREE.Vector3().crossVectors(direction, right);
  const high = Math.tan((camera.fov * Math.PI) / 360) / margin;
  const wide = high * camera.aspect;
  let distance = 0.3;
  for (let turn = 0; turn < 4; turn += 1) {
    // as far away as the corner that needs it most, then the middle of what is seen to the middle
    const seen = points.map((point) => {
      const from = point.clone().sub(target);
      return [from.dot(right), from.dot(up), from.dot(direction)];
    });
    distance = 0.3;
    for (const [x, y, z] of seen) distance = Math.max(distance, z + Math.max(Math.abs(x) / wide, Math.abs(y) / high));
    if (turn === 3) break;
    const ends = [Infinity, -Infinity, Infinity, -Infinity];
    for (const [x, y, z] of seen) {
      const near = distance / (distance - z);
      ends[0] = Math.min(ends[0], x * near);
      ends[1] = Math.max(ends[1], x * near);
      ends[2] = Math.min(ends[2], y * near);
      ends[3] = Math.max(ends[3], y * near);
    }
    target.addScaledVector(right, (ends[0] + ends[1]) / 2).addScaledVector(up, (ends[2] + ends[3]) / 2);
  }
  const position = target.clone().addScaledVector(direction, distance);
  return { target, position, radius: box.getSize(new THREE.Vector3()).length() / 2 };
}
