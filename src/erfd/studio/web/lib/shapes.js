// Robots, cells, paths and arrows as three.js meshes. z is up, lengths are in m.

import { THREE } from "nicegui-scene";

export function material(color, options = {}) {
  return new THREE.MeshLambertMaterial({ color, ...options });
}

// three.js lays cylinders and capsules along y; ours are along z
function along(geometry) {
  return geometry.rotateX(Math.PI / 2);
}

function geometryOf({ shape, size, vertices, faces }) {
  if (shape === "box") return new THREE.BoxGeometry(...size);
  if (shape === "sphere") return new THREE.SphereGeometry(size[0], 24, 14);
  if (shape === "cylinder") return along(new THREE.CylinderGeometry(size[0], size[0], size[1], 28));
  if (shape === "capsule") return along(new THREE.CapsuleGeometry(size[0], size[1], 6, 24));
  const mesh = new THREE.BufferGeometry();
  mesh.setAttribute("position", new THREE.BufferAttribute(new Float32Array(vertices.flat()), 3));
  mesh.setIndex(faces.flat());
  const flat = mesh.toNonIndexed(); // sharp edges
  flat.computeVertexNormals();
  return flat;
}

export function buildPrimitive(description, options = {}) {
  const mesh = new THREE.Mesh(geometryOf(description), material(description.color, options));
  mesh.matrixAutoUpdate = false;
  mesh.matrix.set(...description.pose.flat());
  mesh.castShadow = !options.transparent;
  mesh.receiveShadow = true;
  return mesh;
}

export function axes(length, thickness = 0.02) {
  const group = new THREE.Group();
  const colors = ["#e03131", "#2f9e44", "#1971c2"];
  const turns = [new THREE.Euler(0, 0, -Math.PI / 2), new THREE.Euler(), new THREE.Euler(Math.PI / 2, 0, 0)];
  colors.forEach((color, i) => {
    const geometry = new THREE.CylinderGeometry(thickness * length, thickness * length, length, 8);
    geometry.translate(0, length / 2, 0);
    const mesh = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ color, depthTest: false, transparent: true }));
    mesh.renderOrder = 5;
    mesh.rotation.copy(turns[i]);
    group.add(mesh);
  });
  return group;
}

// A tube along points (flat xyz), in pieces where `keep(i)` is false; sides = 5 is round enough
export function tube(points, radius, color, { keep = () => true, opacity = 1, dash = 0 } = {}) {
  const pieces = [];
  let piece = [];
  let gone = 0;
  const last = new THREE.Vector3();
  for (let i = 0; i < points.length / 3; i += 1) {
    const point = new THREE.Vector3(points[3 * i], points[3 * i + 1], points[3 * i + 2]);
    const step = piece.length ? point.distanceTo(last) : Infinity;
    const wanted = keep(i);
    if (wanted && step < radius / 4) continue;
    if (piece.length) gone += step;
    const inDash = dash === 0 || Math.floor(gone / dash) % 2 === 0;
    if (wanted) piece.push(point);
    if (!wanted || !inDash) {
      if (piece.length > 1) pieces.push(piece);
      piece = wanted ? [point] : [];
    }
    last.copy(point);
  }
  if (piece.length > 1) pieces.push(piece);
  const places = [];
  const normals = [];
  const index = [];
  const sides = 6;
  for (const line of pieces) {
    const side = new THREE.Vector3(0, 0, 1);
    line.forEach((point, i) => {
      const ahead = new THREE.Vector3()
        .subVectors(line[Math.min(i + 1, line.length - 1)], line[Math.max(i - 1, 0)])
        .normalize();
      if (Math.abs(side.dot(ahead)) > 0.95) side.set(1, 0, 0);
      side.addScaledVector(ahead, -side.dot(ahead)).normalize();
      const other = new THREE.Vector3().crossVectors(ahead, side);
      const first = places.length / 3;
      for (let k = 0; k < sides; k += 1) {
        const angle = (2 * Math.PI * k) / sides;
        const n = new THREE.Vector3()
          .addScaledVector(side, Math.cos(angle))
          .addScaledVector(other, Math.sin(angle));
        normals.push(n.x, n.y, n.z);
        places.push(point.x + radius * n.x, point.y + radius * n.y, point.z + radius * n.z);
        if (i + 1 < line.length) {
          const [a, b] = [first + k, first + ((k + 1) % sides)];
          index.push(a, b, a + sides, b, b + sides, a + sides);
        }
      }
    });
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(places), 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(new Float32Array(normals), 3));
  geometry.setIndex(index);
  const look = { emissive: color, emissiveIntensity: 0.35 };
  if (opacity < 1) Object.assign(look, { transparent: true, opacity });
  return new THREE.Mesh(geometry, material(color, look));
}

export class Arrow {
  constructor(color, thickness) {
    this.group = new THREE.Group();
    this.thickness = thickness;
    const look = material(color, { emissive: color, emissiveIntensity: 0.4 });
    const shaft = new THREE.CylinderGeometry(thickness, thickness, 1, 14).translate(0, 0.5, 0);
    const head = new THREE.ConeGeometry(2.6 * thickness, 7 * thickness, 18);
    this.shaft = new THREE.Mesh(shaft, look);
    this.head = new THREE.Mesh(head, look);
    this.group.add(this.shaft, this.head);
    this.group.visible = false;
  }

  set(origin, direction, length) {
    this.group.visible = length > 10 * this.thickness;
    if (!this.group.visible) return;
    const up = new THREE.Vector3(0, 1, 0);
    this.group.position.copy(origin);
    this.group.quaternion.setFromUnitVectors(up, direction);
    this.shaft.scale.set(1, length - 6 * this.thickness, 1);
    this.head.position.set(0, length - 3.5 * this.thickness, 0);
  }
}

export function disposeTree(object) {
  object.traverse((child) => {
    child.geometry?.dispose();
    for (const one of [child.material].flat()) one?.dispose();
  });
  object.removeFromParent();
}
