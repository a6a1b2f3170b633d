// The way of the tool as a mesh: as few corners as its shape needs, so that it is drawn quickly.

import { THREE } from "nicegui-scene";
import { emptied, material } from "./shapes.js";

const MANY = 1500; // corners: above, thin lines instead of tubes
const SIDES = 6;

// Runs of points (flat xyz) for which `keep(i)` holds, as lists of vectors
function pieces(points, keep) {
  const found = [];
  let piece = [];
  for (let i = 0; i < points.length / 3; i += 1) {
    if (keep(i)) piece.push(new THREE.Vector3().fromArray(points, 3 * i));
    else {
      found.push(piece);
      piece = [];
    }
  }
  found.push(piece);
  return found.filter((one) => one.length > 1);
}

// The points that a line needs to stay within `tolerance` of all of them (Douglas and Peucker)
function simplify(line, tolerance) {
  const wanted = new Uint8Array(line.length);
  wanted[0] = wanted[line.length - 1] = 1;
  const open = [[0, line.length - 1]];
  const nearest = new THREE.Vector3();
  while (open.length) {
    const [first, last] = open.pop();
    const chord = new THREE.Line3(line[first], line[last]);
    let worst = tolerance;
    let at = 0;
    for (let i = first + 1; i < last; i += 1) {
      const away = chord.closestPointToPoint(line[i], true, nearest).distanceTo(line[i]);
      if (away > worst) [worst, at] = [away, i];
    }
    if (!at) continue;
    wanted[at] = 1;
    open.push([first, at], [at, last]);
  }
  return line.filter((_, i) => wanted[i]);
}

// Every other stretch of `length`
function dashes(line, length) {
  const found = [];
  let piece = [line[0]];
  let left = length; // of this dash or gap
  let drawn = true;
  for (let i = 1; i < line.length; i += 1) {
    const whole = line[i - 1].distanceTo(line[i]);
    let gone = 0;
    while (whole - gone > left) {
      gone += left;
      const cut = new THREE.Vector3().lerpVectors(line[i - 1], line[i], gone / whole);
      if (drawn) found.push([...piece, cut]);
      drawn = !drawn;
      piece = [cut];
      left = length;
    }
    left -= whole - gone;
    piece.push(line[i]);
  }
  if (drawn) found.push(piece);
  return found.filter((one) => one.length > 1);
}

function tubes(lines, radius) {
  const places = [];
  const normals = [];
  const index = [];
  for (const line of lines) {
    const side = new THREE.Vector3(0, 0, 1);
    line.forEach((point, i) => {
      const ahead = new THREE.Vector3()
        .subVectors(line[Math.min(i + 1, line.length - 1)], line[Math.max(i - 1, 0)])
        .normalize();
      if (Math.abs(side.dot(ahead)) > 0.95) side.set(1, 0, 0);
      side.addScaledVector(ahead, -side.dot(ahead)).normalize();
      const other = new THREE.Vector3().crossVectors(ahead, side);
      const first = places.length / 3;
      for (let k = 0; k < SIDES; k += 1) {
        const angle = (2 * Math.PI * k) / SIDES;
        const n = new THREE.Vector3().addScaledVector(side, Math.cos(angle)).addScaledVector(other, Math.sin(angle));
        normals.push(n.x, n.y, n.z);
        places.push(point.x + radius * n.x, point.y + radius * n.y, point.z + radius * n.z);
        if (i + 1 < line.length) {
          const [a, b] = [first + k, first + ((k + 1) % SIDES)];
          index.push(a, b, a + SIDES, b, b + SIDES, a + SIDES);
        }
      }
    });
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(places), 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(new Float32Array(normals), 3));
  geometry.setIndex(index);
  return geometry;
}

function segments(lines) {
  const pairs = lines.flatMap((line) => line.slice(1).flatMap((point, i) => [line[i], point]));
  return new THREE.BufferGeometry().setFromPoints(pairs);
}

// A path (flat xyz, m) where `keep(i)` holds; `dash` m long dashes with as long gaps. It is a tube
// and a thin line, of which `setThin` shows one: a line is drawn much quicker.
function path(points, radius, color, { keep = () => true, opacity = 1, dash = 0 } = {}) {
  let lines = pieces(points, keep).map((line) => simplify(line, radius / 12));
  const many = lines.reduce((sum, line) => sum + line.length, 0) > MANY;
  if (dash && !many) lines = lines.flatMap((line) => dashes(line, dash));
  const seen = opacity < 1 ? { transparent: true, opacity } : {};
  const look = { emissive: color, emissiveIntensity: 0.35, ...seen };
  const thick = new THREE.Mesh(tubes(many ? [] : lines, radius), material(color, look));
  const thin = new THREE.LineSegments(segments(lines), new THREE.LineBasicMaterial({ color, ...seen }));
  const both = new THREE.Group();
  both.add(thick, thin);
  both.setThin = (wanted) => {
    thin.visible = wanted || many;
    thick.visible = !thin.visible;
  };
  both.setThin(false);
  return both;
}

// The paths of the runs: programme, motion, and where motors are at their limits
export class Paths {
  constructor() {
    this.group = new THREE.Group();
    this.group.matrixAutoUpdate = false;
  }

  // each run stands on its own mount; where it is at a limit, in the colour of that limit
  build(runs, mount, colors, meanings, thin) {
    emptied(this.group);
    this.pieces = [];
    runs.forEach(({ way }, i) => {
      const { given, found, limited } = way.packet;
      const place = new THREE.Group();
      place.matrixAutoUpdate = false;
      place.matrix.set(...(way.packet.mount ?? mount).flat());
      place.matrixWorldNeedsUpdate = true;
      const width = i ? 0.7 : 1; // of two equal paths both are seen
      if (given) this.pieces.push(path(given, 0.0045 * width, colors[i].given, { dash: 0.03 }));
      this.pieces.push(path(found, 0.0065 * width, colors[i].found));
      place.add(...this.pieces.slice(given ? -2 : -1));
      meanings.forEach((color, code) => {
        if (!limited.includes(code + 1)) return;
        place.add(path(found, 0.014, color, { keep: (k) => limited[k] === code + 1, opacity: 0.55 })); // stays thick
      });
      this.group.add(place);
    });
    for (const one of this.pieces) one.setThin?.(thin);
  }
}
