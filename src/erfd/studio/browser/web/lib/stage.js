// What robot and cell stand on: renderer, lights and floor, and the loop that draws them.

import { THREE } from "nicegui-scene";
import { clock } from "./clock.js";
import { isDark } from "./page.js";
import { disposeTree } from "./shapes.js";
import { Viewpoint } from "./viewpoint.js";

// What a slow machine leaves out while something moves: [resolution, shadows and floor]
const PLAINER = [
  [1, true],
  [1, false],
  [0.75, false],
  [0.5, false],
];
const SUN = [2.5, -3.5, 6];

// WebGL without a graphics card: no multisampling then, a finer picture at rest instead
function isSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const about = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = about ? gl.getParameter(about.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

function disc(material) {
  return new THREE.Mesh(new THREE.CircleGeometry(6, 64), material);
}

function buildSun() {
  const sun = new THREE.DirectionalLight("#ffffff", 1.5);
  sun.castShadow = true;
  sun.shadow.mapSize.set(1024, 1024);
  sun.shadow.camera.near = 0.5;
  sun.shadow.bias = -0.0005;
  sun.shadow.normalBias = 0.02;
  return sun;
}

export class Stage {
  constructor(canvas) {
    this.slow = isSoftware();
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !this.slow });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.scene = new THREE.Scene();
    this.viewpoint = new Viewpoint(canvas, () => this.clearMist());
    this.sun = buildSun();
    const fill = new THREE.DirectionalLight("#cfe0ff", 0.7);
    fill.position.set(-4, 3, 2);
    this.floor = disc(new THREE.ShadowMaterial({ opacity: 0.16 }));
    this.floor.receiveShadow = true;
    this.ground = disc(new THREE.MeshBasicMaterial({ color: "#fff" }));
    this.ground.position.z = -0.004;
    this.lines = new THREE.GridHelper(12, 48);
    this.lines.rotation.x = Math.PI / 2;
    this.lines.position.z = -0.002;
    this.grid = new THREE.Group().add(this.ground, this.floor, this.lines);
    this.scene.add(new THREE.HemisphereLight("#ffffff", "#8a93a0", 1.25), this.sun, fill, this.grid);
    Object.assign(this, { dirty: true, over: false, drawn: 0, moved: 0 });
    Object.assign(this, { gaps: [], plain: -1, needed: this.slow ? 1 : 0 });
    this.widen(0);
    requestAnimationFrame((now) => this.draw(now, 0));
  }

  draw(now, last) {
    if (this.over) return;
    this.adapt(now - last);
    if (this.dirty) {
      this.dirty = false;
      this.drawn += 1;
      this.render();
    }
    requestAnimationFrame((next) => this.draw(next, now));
  }

  render() {
    this.renderer.render(this.scene, this.viewpoint.camera);
  }

  dispose() {
    this.over = true;
    disposeTree(this.scene);
    this.renderer.dispose();
  }

  // A slow machine gets a plainer picture while the robot moves, and the full one when it rests
  adapt(gap) {
    const moving = clock.playing || this.viewpoint.turning || performance.now() - this.moved < 1500;
    if (!moving) {
      if (this.plain !== 0) this.setPlain(0);
      this.gaps = [];
      return;
    }
    if (this.plain !== this.needed) this.setPlain(this.needed);
    if (gap < 3000) this.gaps.push(gap); // longer: the tab was hidden
    if (this.gaps.length < (gap > 100 ? 2 : 8)) return;
    const mean = this.gaps.reduce((a, b) => a + b) / this.gaps.length;
    this.gaps = [];
    if (mean > 80) this.needed = PLAINER.length - 1;
    else if (mean > 27 && this.needed < PLAINER.length - 1) this.needed += 1;
  }

  get thin() {
    return this.plain > 1;
  }

  setPlain(level) {
    const [ratio, shadow] = PLAINER[level];
    this.plain = level;
    const finest = level === 0 && this.slow ? 2 : Math.min(window.devicePixelRatio, 2);
    this.renderer.setPixelRatio(ratio * finest);
    // not castShadow of the light: that would compile every material anew
    this.renderer.shadowMap.autoUpdate = shadow;
    this.renderer.shadowMap.needsUpdate = shadow;
    this.floor.visible = shadow;
    this.ground.visible = shadow;
    this.scene.traverse((one) => {
      one.setThin?.(this.thin);
      if (one.castShadow) one.receiveShadow = shadow;
    });
    this.dirty = true;
  }

  // in the colours of the page
  paint() {
    const dark = isDark();
    const back = dark ? "#161b22" : "#eef2f6";
    this.scene.background = new THREE.Color(back);
    this.scene.fog = new THREE.Fog(back);
    this.ground.material.color.set(dark ? "#1d232c" : "#f7f9fb");
    this.floor.material.opacity = dark ? 0.45 : 0.16;
    this.lines.material.vertexColors = false;
    this.lines.material.color.set(dark ? "#343c47" : "#d3dae2");
    this.lines.material.needsUpdate = true;
    this.clearMist();
  }

  // the mist begins behind what one looks at, however large that is and from wherever
  clearMist() {
    const { fog } = this.scene;
    const { distance } = this.viewpoint;
    if (fog) Object.assign(fog, { near: Math.max(7, 1.8 * distance), far: Math.max(16, 4 * distance) });
    this.dirty = true;
  }

  // floor, grid and shadow of a centrifuge are larger than those of an arm
  widen(radius) {
    const times = radius > 3 ? 4 : 1;
    if (this.times === times) return;
    this.times = times;
    for (const part of [this.floor, this.ground]) part.scale.set(times, times, 1);
    this.lines.scale.set(times, 1, times);
    this.sun.position.set(...SUN).multiplyScalar(times);
    const reach = 3 * times;
    const { camera } = this.sun.shadow;
    Object.assign(camera, { left: -reach, right: reach, top: reach, bottom: -reach, far: 14 * times });
    camera.updateProjectionMatrix();
    this.dirty = true;
  }

  // at zero, or where the robot's base stands if that is lower
  setFloor(lowest) {
    this.grid.position.z = Number.isFinite(lowest) ? Math.min(0, lowest) : 0;
  }

  resize(width, height) {
    this.renderer.setSize(width, height, false);
    this.viewpoint.resize(width / height);
    this.dirty = true;
  }
}
