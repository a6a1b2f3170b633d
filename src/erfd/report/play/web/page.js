// The page that plays a motion: its clock, its controls, and what is drawn when they change.

import { Clock } from "../../web/clock.js";
import { between } from "../../web/rows.js";
import { Camera } from "./camera.js";
import { scene } from "./motion.js";
import { buildTable, drawCurves, names, title } from "./quantities.js";
import { Renderer } from "./renderer.js";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];
const byId = (id) => document.getElementById(id);
const [view, curves, values] = ["view", "curves", "values"].map(byId);
const [play, slider, speed, quantity, theme] = ["play", "time", "speed", "quantity", "theme"].map(byId);
const clock = new Clock(0.25);
const camera = new Camera(view, redraw);
const gl = view.getContext("webgl", { antialias: true });
const renderer = gl && new Renderer(gl, view, byId("side"));
if (!gl) byId("sorry").style.display = "grid";
for (const name of names) quantity.add(new Option(title(name), name));
for (const x of SPEEDS) speed.add(new Option(`${x} x`, x, x === 1, x === 1));
const fillTable = names.length ? buildTable(values) : values.remove();
if (matchMedia("(prefers-color-scheme: dark)").matches) document.body.dataset.theme = "dark";

let asked = false;

// all that has changed until the next picture is drawn at once
function redraw() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    draw();
  });
}

function draw() {
  const { t, end, part, playing } = clock;
  renderer?.draw(camera, t);
  drawCurves(curves, quantity.value, part);
  fillTable?.(t);
  play.textContent = playing ? "Pause" : "Play";
  byId("clock").textContent = `${t.toFixed(3)} / ${end.toFixed(3)} s`;
  slider.value = 1000 * part;
}

function toggle() {
  clock.toggle();
  draw();
}

// from sample to sample
function step(forward) {
  const [row, next, part] = between(scene.t, clock.t);
  clock.pause();
  clock.go(scene.t[forward ? next : Math.max(part ? row : row - 1, 0)]);
}

function key(event) {
  if (event.target.tagName === "SELECT") return;
  const act = {
    " ": toggle,
    ArrowLeft: () => step(false),
    ArrowRight: () => step(true),
    Home: () => clock.go(0),
    End: () => clock.go(clock.end),
  }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

const point = (event) => clock.scrub(event.offsetX / curves.clientWidth);
curves.onpointerdown = (event) => {
  curves.setPointerCapture(event.pointerId);
  point(event);
};
curves.onpointermove = (event) => {
  if (event.buttons) point(event);
};
play.onclick = toggle;
slider.oninput = () => clock.scrub(slider.value / 1000);
speed.onchange = () => clock.setSpeed(Number(speed.value));
quantity.onchange = redraw;
theme.onclick = () => {
  document.body.dataset.theme = document.body.dataset.theme === "dark" ? "light" : "dark";
  redraw();
};
addEventListener("resize", redraw);
addEventListener("keydown", key);
clock.span(0, scene.t.at(-1));
clock.listen(redraw);
document.body.dataset.ready = gl ? "webgl" : "curves";
