// A small WebGL renderer: lit bodies with their shadows, a grid on the floor, the way of the tool.

import { fitPixels } from "../../web/canvas.js";
import { between } from "../../web/rows.js";
import { floor, meshes, middle, size } from "./arm.js";
import { rgb } from "./mesh.js";
import { count, poseAt, scene } from "./motion.js";
import { lookAt, matrixOf, multiply, perspective, STILL } from "./vectors.js";

const VERTEX = `attribute vec3 place, normal, color; uniform mat4 eye, model;
  varying vec3 n, c, p; void main() { vec4 world = model * vec4(place, 1.0);
  n = mat3(model) * normal; c = color; p = world.xyz; gl_Position = eye * world; }`;
const FRAGMENT = `precision mediump float; varying vec3 n, c, p; uniform vec3 viewer; uniform vec4 plain;
  void main() { if (plain.a > 0.0) { gl_FragColor = vec4(plain.rgb, 1.0); return; }
  vec3 d = normalize(n), key = normalize(vec3(0.5, -0.35, 0.9)), fill = normalize(vec3(-0.7, 0.5, 0.15));
  float light = 0.34 + 0.1 * d.z + 0.62 * max(dot(d, key), 0.0) + 0.2 * max(dot(d, fill), 0.0);
  float shine = pow(max(dot(d, normalize(key + normalize(viewer - p))), 0.0), 40.0);
  gl_FragColor = vec4(c * light + 0.16 * shine, 1.0); }`;
// onto the floor along the key light; a hair above the grid
// biome-ignore format: the columns of a matrix
const SHADOW = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, -0.55, 0.39, 0, 0, 0.55 * floor, -0.39 * floor, floor + 0.001, 1]);

const corner = (x, y, z) => [x, y, z, 0, 0, 1, 1, 1, 1];

// lines half a metre apart, around the arm
function gridLines() {
  const reach = Math.ceil(1.4 * size);
  const [x, y] = middle.map(Math.round);
  const lines = [];
  for (let k = -2 * reach; k <= 2 * reach; k++) {
    lines.push(...corner(x + k / 2, y - reach, floor), ...corner(x + k / 2, y + reach, floor));
    lines.push(...corner(x - reach, y + k / 2, floor), ...corner(x + reach, y + k / 2, floor));
  }
  return lines;
}

export class Renderer {
  // `gl`: the WebGL of the canvas `view`; `side`: the element that covers the left of it
  constructor(gl, view, side) {
    Object.assign(this, { gl, view, side });
    const program = this.build();
    const uniforms = ["eye", "model", "viewer", "plain"];
    this.at = Object.fromEntries(uniforms.map((name) => [name, gl.getUniformLocation(program, name)]));
    this.inputs = ["place", "normal", "color"].map((name) => gl.getAttribLocation(program, name));
    for (const input of this.inputs) gl.enableVertexAttribArray(input);
    gl.enable(gl.DEPTH_TEST);
    this.solids = meshes.map((mesh) => this.load(mesh.data));
    this.grid = this.load(gridLines());
    this.trail = this.load(scene.poses.flatMap((row) => corner(...row.slice(7 * count, 7 * count + 3))));
  }

  build() {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [kind, text] of Object.entries({ VERTEX_SHADER: VERTEX, FRAGMENT_SHADER: FRAGMENT })) {
      const shader = gl.createShader(gl[kind]);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    gl.useProgram(program);
    return program;
  }

  load(data) {
    const { gl } = this;
    const buffer = { id: gl.createBuffer(), size: data.length / 9 };
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer.id);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(data), gl.STATIC_DRAW);
    return buffer;
  }

  show(buffer, kind, model, most = buffer.size) {
    const { gl } = this;
    gl.uniformMatrix4fv(this.at.model, false, model);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer.id);
    for (const [i, input] of this.inputs.entries()) gl.vertexAttribPointer(input, 3, gl.FLOAT, false, 36, 12 * i);
    gl.drawArrays(kind, 0, most);
  }

  // in one colour of the style sheet; lit in their own ones, if there is none
  paint(name) {
    this.gl.uniform4f(this.at.plain, ...(name ? this.color(name) : [0, 0, 0]), name ? 1 : 0);
  }

  color(name) {
    return rgb(getComputedStyle(document.body).getPropertyValue(name).trim());
  }

  look({ eye, target, distance }) {
    const { gl, view } = this;
    const lens = perspective(0.7, view.width / view.height, distance / 200, distance + 20 * size);
    if (view.clientWidth > 900) lens[8] = -this.side.offsetWidth / view.clientWidth; // beside the numbers
    gl.uniformMatrix4fv(this.at.eye, false, multiply(lens, lookAt(eye, target)));
    gl.uniform3f(this.at.viewer, ...eye);
  }

  draw(camera, time) {
    const { gl, view, solids } = this;
    fitPixels(view);
    gl.viewport(0, 0, view.width, view.height);
    gl.clearColor(...this.color("--back"), 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    this.look(camera);
    const models = meshes.map((_, body) => matrixOf(poseAt(time, body)));
    this.paint("--shade");
    for (const [body, solid] of solids.entries()) this.show(solid, gl.TRIANGLES, multiply(SHADOW, models[body]));
    this.paint("--grid");
    this.show(this.grid, gl.LINES, STILL);
    this.paint("--accent");
    this.show(this.trail, gl.LINE_STRIP, STILL, between(scene.t, time)[0] + 1);
    this.paint();
    for (const [body, solid] of solids.entries()) this.show(solid, gl.TRIANGLES, models[body]);
  }
}
