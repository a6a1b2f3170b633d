// Where the scene is seen from: the camera, named views, turning by keys, what has to be in sight.

import { OrbitControls, THREE } from "nicegui-scene";
import { fit } from "./fit.js";

const VIEWS = {
  iso: [1, -1.25, 0.75],
  front: [1, 0, 0.001],
  left: [0, 1, 0.001],
  right: [0, -1, 0.001],
  back: [-1, 0, 0.001],
  top: [0.001, 0, 1],
};

// Places where a live robot has been, at most; a decimetre apart
const SEEN = 4000;

export class Viewpoint {
  constructor(canvas, changed) {
    this.camera = new THREE.PerspectiveCamera(38, 1, 0.02, 200);
    this.camera.up.set(0, 0, 1);
    const stacked = matchMedia("(max-width: 1000px)"); // the page itself scrolls: Ctrl and the wheel zoom
    const leave = (event) => stacked.matches && !event.ctrlKey && event.stopImmediatePropagation();
    canvas.addEventListener("wheel", leave, { capture: true, passive: true });
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    Object.assign(this, { named: "iso", touched: false, turning: false });
    this.begin();
    this.controls.addEventListener("change", changed);
    this.controls.addEventListener("start", () => {
      this.touched = true;
      this.turning = true;
    });
    this.controls.addEventListener("end", () => {
      this.turning = false;
    });
  }

  // another robot: it has been nowhere yet
  begin() {
    this.fresh = true;
    this.seen = new Map();
  }

  get distance() {
    return this.camera.position.distanceTo(this.controls.target);
  }

  resize(aspect) {
    this.camera.aspect = aspect;
    this.camera.updateProjectionMatrix();
  }

  // as far away as robot and paths need it, the cell may reach out of the picture; their radius
  look(name, robot, paths) {
    this.named = name;
    const direction = new THREE.Vector3(...VIEWS[name]).normalize();
    // without a path it may move anywhere
    const margin = paths.children.length ? 1.08 : this.seen.size > robot.links.length ? 1.15 : 1.35;
    const groups = [robot.group, paths];
    const { target, position, radius } = fit(groups, this.camera, direction, margin, [...this.seen.values()]);
    this.controls.target.copy(target);
    this.camera.position.copy(position);
    this.controls.update();
    return radius;
  }

  // nobody knows where a live robot goes: whether it gets out of the picture, or is new
  loses(links) {
    let out = this.fresh;
    this.fresh = false;
    for (const link of links) {
      const place = link.getWorldPosition(new THREE.Vector3());
      const key = place
        .toArray()
        .map((x) => Math.round(10 * x))
        .join();
      if (!this.seen.has(key) && this.seen.size < SEEN) this.seen.set(key, place.clone());
      place.project(this.camera);
      out ||= Math.max(Math.abs(place.x), Math.abs(place.y)) > 0.9;
    }
    return out;
  }

  // turned by the arrows, nearer and farther by + and -
  key(event) {
    const turn = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    const zoom = { "+": 0.9, "-": 1.1 }[event.key];
    if (!turn && !zoom) return;
    event.preventDefault();
    const arm = new THREE.Vector3().subVectors(this.camera.position, this.controls.target);
    if (zoom) arm.multiplyScalar(zoom);
    else {
      const ball = new THREE.Spherical().setFromVector3(new THREE.Vector3(arm.x, arm.z, -arm.y));
      ball.theta += 0.08 * turn[0];
      ball.phi = Math.min(Math.max(ball.phi + 0.08 * turn[1], 0.02), Math.PI - 0.02);
      const at = new THREE.Vector3().setFromSpherical(ball);
      arm.set(at.x, -at.z, at.y);
    }
    this.camera.position.copy(this.controls.target).add(arm);
    this.controls.update();
  }
}
