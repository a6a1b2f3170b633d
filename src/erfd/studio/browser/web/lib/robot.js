// The robot: its links as meshes, their coordinate systems, and the force at its tool.

import { THREE } from "nicegui-scene";
import { Arrow, axes, buildLink, emptied, glow } from "./shapes.js";

export class RobotModel {
  constructor(slow, forceColor) {
    this.slow = slow;
    this.group = new THREE.Group();
    this.group.matrixAutoUpdate = false;
    this.arrow = new Arrow(forceColor, 0.009);
    this.links = [];
    this.frames = [];
  }

  // the numbers of a sample's poses
  get width() {
    return 7 * this.links.length;
  }

  // gives the height at which its base stands
  build({ mount, base, links, names }) {
    this.names = names ?? [];
    emptied(this.group).matrix.set(...mount.flat());
    if (base.length) this.group.add(buildLink(base, this.slow));
    this.group.updateMatrixWorld(true);
    const lowest = new THREE.Box3().setFromObject(this.group).min.z;
    this.frames = links.map((_, i) => axes(i === links.length - 1 ? 0.16 : 0.22, 0.02));
    this.links = links.map((visuals, i) => {
      const link = new THREE.Group().add(this.frames[i]);
      if (visuals.length) link.add(buildLink(visuals, this.slow));
      return link;
    });
    if (links.length) this.group.add(...this.links);
    return lowest;
  }

  // links by their names, in a colour
  redden(names, color) {
    this.links.forEach((link, i) => {
      for (const part of link.children) {
        if (!this.frames.includes(part)) glow(part, names.has(this.names[i]) && color);
      }
    });
  }

  showFrames(tool, frames) {
    this.frames.forEach((frame, i) => {
      frame.visible = i === this.frames.length - 1 ? tool : frames;
    });
  }

  // between two samples, `part` of the way from row to row + 1
  place(poses, row = 0, part = 0, width = this.width) {
    const a = new THREE.Quaternion();
    const b = new THREE.Quaternion();
    this.links.forEach((link, i) => {
      const at = row * width + 7 * i;
      link.position.fromArray(poses, at);
      a.fromArray(poses, at + 3);
      if (part) {
        const next = at + width;
        link.position.lerp(new THREE.Vector3().fromArray(poses, next), part);
        a.slerp(b.fromArray(poses, next + 3), part);
      }
      link.quaternion.copy(a);
    });
  }

  hideForce() {
    this.arrow.group.visible = false;
  }

  placeForce({ force: forces, force_max: most }, row) {
    const force = new THREE.Vector3().fromArray(forces, 3 * row);
    const size = force.length();
    this.group.updateMatrixWorld(true);
    const tool = this.links.at(-1).getWorldPosition(new THREE.Vector3());
    force.transformDirection(this.group.matrix);
    this.arrow.set(tool, force, (0.45 * size) / most);
  }
}
