// Robots, cells and arrows as three.js meshes. z is up, lengths are in m.

import { cornersOf } from "erfd-shared";
import { THREE } from "nicegui-scene";

export function material(color, options = {}) {
  return new THREE.MeshLambertMaterial({ color, ...options });
}

// three.js lays cylinders and capsules along y; ours are along z
function along(geometry) {
  return geometry.rotateX(Math.PI / 2);
}

function geometryOf({ shape, size, vertices, faces }, slow = false) {
  const sides = slow ? 18 : 28;
  if (shape === "box") return new THREE.BoxGeometry(...size);
  if (shape === "sphere") return new THREE.SphereGeometry(size[0], sides, sides / 2);
  if (shape === "cylinder") return along(new THREE.CylinderGeometry(size[0], size[0], size[1], sides));
  if (shape === "capsule") return along(new THREE.CapsuleGeometry(size[0], size[1], slow ? 4 : 6, sides));
  const corners = cornersOf({ vertices, faces });
  const mesh = new THREE.BufferGeometry();
  mesh.setAttribute("position", new THREE.BufferAttribute(corners.places, 3));
  mesh.setAttribute("normal", new THREE.BufferAttribute(corners.normals, 3));
  return mesh;
}

export function buildPrimitive(description, options = {}) {
  const mesh = new THREE.Mesh(geometryOf(description), material(description.color, options));
  mesh.matrixAutoUpdate = false;
  mesh.matrix.set(...description.pose.flat());
  mesh.castShadow = !options.transparent;
  mesh.receiveShadow = true;
  return mesh;
}

// All shapes of a link as one mesh: what is drawn with one call is drawn quickly; `slow` is for
// machines without a graphics card
export function buildLink(descriptions, slow) {
  const parts = descriptions.map((description) => {
    const place = new THREE.Matrix4().set(...description.pose.flat());
    const geometry = geometryOf(description, slow).applyMatrix4(place);
    return { geometry, color: new THREE.Color(description.color) };
  });
  const count = parts.reduce((sum, { geometry }) => sum + geometry.attributes.position.count, 0);
  const arrays = {
    position: new Float32Array(3 * count),
    normal: new Float32Array(3 * count),
    color: new Float32Array(3 * count),
  };
  const index = [];
  let first = 0;
  for (const { geometry, color } of parts) {
    const size = geometry.attributes.position.count;
    for (const name of ["position", "normal"]) arrays[name].set(geometry.attributes[name].array, 3 * first);
    for (let k = 0; k < size; k += 1) color.toArray(arrays.color, 3 * (first + k));
    const corners = geometry.index?.array ?? Array.from({ length: size }, (_, k) => k);
    for (const corner of corners) index.push(first + corner);
    first += size;
    geometry.dispose();
  }
  const whole = new THREE.BufferGeometry().setIndex(index);
  for (const [name, array] of Object.entries(arrays)) whole.setAttribute(name, new THREE.BufferAttribute(array, 3));
  const mesh = new THREE.Mesh(whole, material("#ffffff", { vertexColors: true }));
  mesh.castShadow = true;
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

// Everything of an object shines in a colour, or as it is again
export function glow(object, color) {
  object.traverse(({ material: look }) => {
    if (!look?.emissive) return;
    look.emissive.set(color || "#000000");
    look.emissiveIntensity = color ? 0.85 : 1;
  });
}

// A group without what is in it
export function emptied(group) {
  for (const child of [...group.children]) disposeTree(child);
  return group;
}

export function disposeTree(object) {
  object.traverse((child) => {
    child.geometry?.dispose();
    for (const one of [child.material].flat()) one?.dispose();
  });
  object.removeFromParent();
}
