// The quantities of the joints: their names, units and colours, a table of their values, and curves.

import { element, freshPen } from "../../web/canvas.js";
import { count, scene, valueAt } from "./motion.js";

const COLORS = ["#1f6fb2", "#e8590c", "#2b8a3e", "#7048e8", "#c2255c", "#b8a01c", "#0b7285", "#845e3b"];
const NAMES = { q: "theta", qd: "omega", qdd: "alpha", torque: "torque", voltage: "voltage" };
const MOST = 1500; // points of a curve

export const names = Object.keys(scene.data);
export const title = (name) => NAMES[name] || name;
const colorOf = (joint) => COLORS[joint % COLORS.length];
const unitOf = (name, joint) => scene.units[name][joint].replace("s2", "s\u00b2");
const same = (name) => scene.joints.every((_, joint) => unitOf(name, joint) === unitOf(name, 0));

// A table of all values; gives the function that fills it in
export function buildTable(parent) {
  const table = element("table", parent);
  const head = element("tr", table);
  element("th", head, { textContent: "joint" });
  for (const name of names) {
    const unit = same(name) ? ` (${unitOf(name, 0).replace(" ", "\u00a0")})` : "";
    element("th", head, { textContent: title(name) + unit });
  }
  const cells = [];
  for (const [joint, about] of scene.joints.entries()) {
    const row = element("tr", table);
    const first = element("td", row);
    element("i", first).style.background = colorOf(joint);
    first.append(`${joint + 1} ${about.name}`);
    for (const name of names) cells.push([element("td", row), name, joint]);
  }
  return (time) => {
    for (const [cell, name, joint] of cells) {
      const x = valueAt(name, time, joint);
      const unit = same(name) ? "" : ` ${unitOf(name, joint)}`;
      cell.textContent = `${Math.abs(x) < 1e-9 ? 0 : Number(x.toPrecision(4))}${unit}`;
    }
  };
}

function extremes(rows) {
  let [least, most] = [Infinity, -Infinity];
  for (const row of rows) {
    least = Math.min(least, ...row);
    most = Math.max(most, ...row);
  }
  return most - least < 1e-9 ? [least - 1, most + 1] : [least, most];
}

// One quantity of all joints over the whole time, of which `part` has gone by
export function drawCurves(canvas, name, part) {
  const { pen, width, height } = freshPen(canvas);
  if (!name) return;
  const style = getComputedStyle(document.body);
  const rows = scene.data[name];
  const step = Math.max(1, Math.floor(rows.length / MOST));
  const [least, most] = extremes(rows);
  const x = (k) => (scene.t[k] / (scene.t.at(-1) || 1)) * width;
  const y = (value) => height - 5 - ((value - least) / (most - least)) * (height - 10);
  pen.lineWidth = 1;
  pen.strokeStyle = style.getPropertyValue("--line");
  pen.strokeRect(0.5, 0.5, width - 1, height - 1);
  pen.lineWidth = 1.5;
  for (let joint = 0; joint < count; joint++) {
    pen.strokeStyle = colorOf(joint);
    pen.beginPath();
    for (let k = 0; k < rows.length; k += step) pen.lineTo(x(k), y(rows[k][joint]));
    pen.stroke();
  }
  pen.fillStyle = style.getPropertyValue("--soft");
  pen.font = "11px system-ui, sans-serif";
  pen.fillText(`${most.toPrecision(3)} ${unitOf(name, 0)}`, 6, 14);
  pen.fillText(least.toPrecision(3), 6, height - 7);
  pen.strokeStyle = style.getPropertyValue("--ink");
  pen.beginPath();
  pen.moveTo(part * width, 0);
  pen.lineTo(part * width, height);
  pen.stroke();
}
