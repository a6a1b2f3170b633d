// The camera: where it stands, and how a mouse or fingers turn, move and zoom it.

import { clamp } from "../../web/rows.js";
import { middle, size } from "./arm.js";

const HOME = { target: middle, distance: 1.7 * size, turn: 0.9, tilt: 0.32 };

export class Camera {
  constructor(view, changed) {
    Object.assign(this, HOME, { view, changed });
    this.fingers = new Map();
    view.onpointerdown = (event) => {
      view.setPointerCapture(event.pointerId);
      this.put(event);
    };
    view.onpointerup = view.onpointercancel = (event) => this.fingers.delete(event.pointerId);
    view.onpointermove = (event) => this.drag(event);
    view.oncontextmenu = (event) => event.preventDefault();
    view.ondblclick = () => this.change(HOME);
    const wheel = (event) => {
      event.preventDefault();
      this.zoom(Math.exp(0.001 * event.deltaY));
    };
    view.addEventListener("wheel", wheel, { passive: false });
  }

  get eye() {
    const { target, distance, turn, tilt } = this;
    const away = [Math.cos(tilt) * Math.cos(turn), Math.cos(tilt) * Math.sin(turn), Math.sin(tilt)];
    return target.map((x, i) => x + distance * away[i]);
  }

  change(values) {
    Object.assign(this, values);
    this.changed();
  }

  zoom(factor) {
    this.change({ distance: clamp(this.distance * factor, 0.05 * size, 12 * size) });
  }

  put(event) {
    this.fingers.set(event.pointerId, [event.clientX, event.clientY]);
  }

  // between two fingers
  span() {
    const [a, b] = this.fingers.values();
    return Math.hypot(a[0] - b[0], a[1] - b[1]);
  }

  drag(event) {
    const old = this.fingers.get(event.pointerId);
    if (!old) return;
    const two = this.fingers.size === 2;
    const wide = two ? this.span() : 0;
    this.put(event);
    const [dx, dy] = [event.clientX - old[0], event.clientY - old[1]];
    if (two) this.zoom(wide / (this.span() || 1));
    else if (event.shiftKey || event.buttons === 2) this.move(dx, dy);
    else this.change({ turn: this.turn - 0.008 * dx, tilt: clamp(this.tilt + 0.008 * dy, -1.5, 1.5) });
  }

  move(dx, dy) {
    const { turn, tilt } = this;
    const scale = 0.0013 * this.distance;
    const side = [-Math.sin(turn), Math.cos(turn), 0];
    const up = [-Math.sin(tilt) * Math.cos(turn), -Math.sin(tilt) * Math.sin(turn), Math.cos(tilt)];
    this.change({ target: this.target.map((x, i) => x + scale * (dy * up[i] - dx * side[i])) });
  }
}
