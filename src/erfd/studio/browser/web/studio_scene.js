// The 3D view: robot, cell, paths, force; it follows the clock without asking the server.

import { OrbitControls, THREE } from "nicegui-scene";
import { Arrow, Poses, Stream, Way, axes, buildLink, buildPrimitive, clock, disposeTree, fit, path } from "erfd-studio";

const VIEWS = {
  iso: [1, -1.25, 0.75], front: [1, 0, 0.001], left: [0, 1, 0.001], right: [0, -1, 0.001],
  back: [-1, 0, 0.001], top: [0.001, 0, 1],
};

// What a slow machine leaves out while something moves: [resolution, shadows and floor]
const PLAINER = [[1, true], [1, false], [0.75, false], [0.5, false]];

// Places where a live robot has been, at most; a decimetre apart
const SEEN = 4000;

// WebGL without a graphics card: no multisampling then, a finer picture at rest instead
function isSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const about = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = about ? gl.getParameter(about.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

export default {
  template: `<div class="studio-scene" tabindex="0" role="img" :aria-label="label" @keydown="key">
    <canvas></canvas><slot></slot></div>`,
  props: { label: String, robot: Object, cell: Object, runs: Array, options: Object, colors: Object, jogged: Array, live: String },

  mounted() {
    this.three = this.begin();
    this.$el.three = this.three; // for measurements
    this.buildRobot();
    this.buildCell();
    this.applyOptions();
    this.view("iso");
    this.loadRuns();
    this.watchLive();
    this.stop = clock.listen(() => this.follow());
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.$el);
    this.dark = new MutationObserver(() => this.paint());
    this.dark.observe(document.body, { attributes: true, attributeFilter: ["class"] });
    this.paint();
  },
  beforeUnmount() {
    this.stop();
    this.observer.disconnect();
    this.dark.disconnect();
    this.three.over = true;
    this.three.stream?.close();
    disposeTree(this.three.scene);
    this.three.renderer.dispose();
  },
  watch: {
    robot() { this.buildRobot(); },
    cell() { this.buildCell(); },
    runs() { this.loadRuns(); },
    live() { this.watchLive(); },
    options: { deep: true, handler() { this.applyOptions(); } },
    jogged() {
      this.follow();
      if (this.three.fresh && !this.three.touched) this.view(this.three.named ?? "iso");
      this.three.fresh = false;
    },
  },

  methods: {
    begin() {
      const canvas = this.$el.querySelector("canvas");
      const slow = isSoftware();
      const renderer = new THREE.WebGLRenderer({ canvas, antialias: !slow });
      renderer.shadowMap.enabled = true;
      renderer.shadowMap.type = THREE.PCFShadowMap;
      const scene = new THREE.Scene();
      const camera = new THREE.PerspectiveCamera(38, 1, 0.02, 200);
      camera.up.set(0, 0, 1);
      const controls = new OrbitControls(camera, canvas);
      controls.enableDamping = false;
      const three = { renderer, scene, camera, controls, dirty: true, over: false, drawn: 0 };
      controls.addEventListener("change", () => { three.dirty = true; this.clear(); });
      controls.addEventListener("start", () => (three.touched = three.turning = true));
      controls.addEventListener("end", () => (three.turning = false));
      scene.add(new THREE.HemisphereLight("#ffffff", "#8a93a0", 1.25));
      const sun = new THREE.DirectionalLight("#ffffff", 1.5);
      sun.position.set(2.5, -3.5, 6);
      sun.castShadow = true;
      sun.shadow.mapSize.set(1024, 1024);
      Object.assign(sun.shadow.camera, { left: -3, right: 3, top: 3, bottom: -3, near: 0.5, far: 14 });
      sun.shadow.bias = -0.0005;
      sun.shadow.normalBias = 0.02;
      const fill = new THREE.DirectionalLight("#cfe0ff", 0.7);
      fill.position.set(-4, 3, 2);
      scene.add(sun, fill);
      three.sun = sun;
      const floor = new THREE.Mesh(
        new THREE.CircleGeometry(6, 64),
        new THREE.ShadowMaterial({ opacity: 0.16 }),
      );
      floor.receiveShadow = true;
      three.floor = floor;
      three.grid = new THREE.Group();
      three.ground = new THREE.Mesh(new THREE.CircleGeometry(6, 64), new THREE.MeshBasicMaterial({ color: "#fff" }));
      three.ground.position.z = -0.004;
      three.grid.add(three.ground, floor);
      three.lines = new THREE.GridHelper(12, 48);
      three.lines.rotation.x = Math.PI / 2;
      three.lines.position.z = -0.002;
      three.grid.add(three.lines);
      three.world = axes(0.5, 0.012);
      three.robot = new THREE.Group();
      three.cell = new THREE.Group();
      three.paths = new THREE.Group();
      three.arrow = new Arrow(this.colors.force, 0.009);
      scene.add(three.grid, three.world, three.robot, three.cell, three.paths, three.arrow.group);
      let last = 0;
      const draw = (now) => {
        if (three.over) return;
        this.adapt(now - last);
        last = now;
        if (three.dirty) {
          three.dirty = false;
          three.drawn += 1;
          renderer.render(scene, camera);
        }
        requestAnimationFrame(draw);
      };
      requestAnimationFrame(draw);
      return Object.assign(three, { links: [], frames: [], runs: [], gaps: [], plain: -1, needed: slow ? 1 : 0, slow, moved: 0 });
    },

    // A slow machine gets a plainer picture while the robot moves, and the full one when it rests
    adapt(gap) {
      const three = this.three;
      if (!three) return;
      const moving = clock.playing || three.turning || performance.now() - three.moved < 1500;
      if (!moving) {
        if (three.plain !== 0) this.setPlain(0);
        three.gaps = [];
        return;
      }
      if (three.plain !== three.needed) this.setPlain(three.needed);
      if (gap < 3000) three.gaps.push(gap); // longer: the tab was hidden
      if (three.gaps.length < (gap > 100 ? 2 : 8)) return;
      const mean = three.gaps.reduce((a, b) => a + b) / three.gaps.length;
      three.gaps = [];
      if (mean > 80) three.needed = PLAINER.length - 1;
      else if (mean > 27 && three.needed < PLAINER.length - 1) three.needed += 1;
    },
    setPlain(level) {
      const { renderer, robot, cell, floor, ground, slow } = this.three;
      const [ratio, shadow] = PLAINER[level];
      this.three.plain = level;
      const finest = level === 0 && slow ? 2 : Math.min(window.devicePixelRatio, 2);
      renderer.setPixelRatio(ratio * finest);
      // not castShadow of the light: that would compile every material anew
      renderer.shadowMap.autoUpdate = shadow;
      renderer.shadowMap.needsUpdate = shadow;
      floor.visible = shadow;
      ground.visible = shadow;
      this.thinPaths();
      for (const part of [robot, cell]) {
        part.traverse((one) => {
          if (one.castShadow) one.receiveShadow = shadow;
        });
      }
      this.three.dirty = true;
    },

    paint() {
      const three = this.three;
      const dark = document.body.classList.contains("body--dark");
      three.scene.background = new THREE.Color(dark ? "#161b22" : "#eef2f6");
      three.scene.fog = new THREE.Fog(dark ? "#161b22" : "#eef2f6", 7, 16);
      this.clear();
      three.ground.material.color.set(dark ? "#1d232c" : "#f7f9fb");
      three.floor.material.opacity = dark ? 0.45 : 0.16;
      three.lines.material.color.set("#ffffff");
      three.lines.material.vertexColors = false;
      three.lines.material.color.set(dark ? "#343c47" : "#d3dae2");
      three.lines.material.needsUpdate = true;
      three.dirty = true;
    },

    resize() {
      const { renderer, camera } = this.three;
      const { clientWidth: width, clientHeight: height } = this.$el;
      if (!width || !height) return;
      renderer.setSize(width, height, false);
      camera.aspect = width / height;
      camera.updateProjectionMatrix();
      if (!this.three.touched) this.view(this.three.named ?? "iso");
      this.three.dirty = true;
    },

    buildRobot() {
      const three = this.three;
      disposeTree(three.robot);
      three.robot = new THREE.Group();
      three.scene.add(three.robot);
      three.robot.matrixAutoUpdate = false;
      three.links = [];
      three.frames = [];
      three.fresh = true;
      three.seen = new Map();
      if (!this.robot) return;
      three.robot.matrix.set(...this.robot.mount.flat());
      if (this.robot.base.length) three.robot.add(buildLink(this.robot.base, three.slow));
      // the floor is at zero, or where the base stands if that is lower
      three.robot.updateMatrixWorld(true);
      const lowest = new THREE.Box3().setFromObject(three.robot).min.z;
      three.grid.position.z = Number.isFinite(lowest) ? Math.min(0, lowest) : 0;
      this.robot.links.forEach((visuals, i) => {
        const link = new THREE.Group();
        if (visuals.length) link.add(buildLink(visuals, three.slow));
        const frame = axes(i === this.robot.links.length - 1 ? 0.16 : 0.22, 0.02);
        link.add(frame);
        three.links.push(link);
        three.frames.push(frame);
        three.robot.add(link);
      });
      this.applyOptions();
      this.follow();
      if (!three.touched) this.view(three.named ?? "iso");
    },

    buildCell() {
      const three = this.three;
      disposeTree(three.cell);
      three.cell = new THREE.Group();
      three.scene.add(three.cell);
      for (const thing of this.cell?.things ?? []) {
        three.cell.add(buildPrimitive(thing, { transparent: true, opacity: 0.82 }));
      }
      three.dirty = true;
    },

    async loadRuns() {
      const three = this.three;
      const wanted = this.runs ?? [];
      three.wanted = wanted;
      const loaded = await Promise.all(
        wanted.map(async (run) => {
          const poses = await new Poses(run.url, () => this.follow()).load();
          const way = await new Way(run.url, poses, () => this.buildPaths()).load(clock.t);
          return { ...run, poses, way };
        }),
      );
      if (three.over || three.wanted !== wanted) return;
      if (loaded[0]?.url !== three.runs[0]?.url) {
        // another run is to be seen where it is, not where the robot was jogged to before
        three.jogged = String(this.jogged);
        three.jogging = false;
      }
      three.runs = loaded;
      this.buildPaths();
      this.follow();
      if (!three.touched) this.view(three.named ?? "iso");
      this.$el.dataset.runs = loaded.length;
    },

    watchLive() {
      const three = this.three;
      if (!this.live || three.stream?.url === this.live) return;
      three.stream?.close();
      three.stream = new Stream(this.live, () => (this.robot ? this.robot.links.length * 7 : 0), (pair, part, width) => {
        this.placeFrames(pair, 0, part, width);
        three.moved = performance.now();
        three.dirty = true;
        this.keepInSight();
        three.fresh = false;
      });
    },

    // nobody knows where a live robot goes: the picture grows when it gets out of it
    keepInSight() {
      const { links, seen, camera, fresh, touched } = this.three;
      let out = fresh;
      for (const link of links) {
        const place = link.getWorldPosition(new THREE.Vector3());
        const key = place.toArray().map((x) => Math.round(10 * x)).join();
        if (!seen.has(key) && seen.size < SEEN) seen.set(key, place.clone());
        place.project(camera);
        out ||= Math.max(Math.abs(place.x), Math.abs(place.y)) > 0.9;
      }
      if (out && !touched) this.view(this.three.named ?? "iso");
    },

    buildPaths() {
      const three = this.three;
      disposeTree(three.paths);
      three.paths = new THREE.Group();
      three.paths.matrixAutoUpdate = false;
      if (this.robot) three.paths.matrix.set(...this.robot.mount.flat());
      three.scene.add(three.paths);
      three.runs.forEach(({ way }, i) => {
        const { given, found, limited } = way.packet;
        const colors = this.colors.runs[i];
        const thin = i ? 0.7 : 1; // of two equal paths both are seen
        if (given) three.paths.add(path(given, 0.0045 * thin, colors.given, { dash: 0.03 }));
        three.paths.add(path(found, 0.0065 * thin, colors.found));
        const tight = path(found, 0.014, colors.limited, { keep: (k) => limited[k] > 0, opacity: 0.55 });
        tight.userData.tight = true;
        three.paths.add(tight);
      });
      this.thinPaths();
      this.applyOptions();
    },

    // stretches at a limit are few, and stay thick
    thinPaths() {
      for (const one of this.three.paths.children) one.setThin?.(this.three.plain > 1 && !one.userData.tight);
    },

    applyOptions() {
      const three = this.three;
      if (!three) return;
      const options = this.options ?? {};
      three.grid.visible = options.grid ?? true;
      three.world.visible = options.world ?? false;
      three.paths.visible = options.paths ?? true;
      three.frames.forEach((frame, i) => {
        const tool = i === three.frames.length - 1;
        frame.visible = tool ? (options.tool ?? false) : (options.frames ?? false);
      });
      this.follow();
    },

    follow() {
      const three = this.three;
      if (!three) return;
      const run = three.runs[0];
      const jogged = String(this.jogged); // every change of a property sends this one anew
      if (this.jogged && !clock.playing && three.jogged !== jogged) {
        three.jogged = jogged;
        three.jogging = true;
        three.moved = performance.now();
        three.held = clock.t;
      }
      if (three.jogging && clock.t !== three.held) three.jogging = false;
      for (const one of three.runs) one.way.follow(clock.t).catch(() => {}); // closed meanwhile
      if (three.jogging || !run) this.placeFrames(this.jogged, 0, null, 0);
      else {
        const { packet, row, part } = run.poses.at(clock.t);
        this.placeFrames(packet.poses, row, part, this.robot.links.length * 7);
        this.placeForce(packet, row);
      }
      if (three.jogging || !run) three.arrow.group.visible = false;
      three.dirty = true;
    },

    placeFrames(poses, row, part, width) {
      if (!poses) return;
      const a = new THREE.Quaternion();
      const b = new THREE.Quaternion();
      this.three.links.forEach((link, i) => {
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
    },

    placeForce(packet, row) {
      const three = this.three;
      const shown = (this.options?.force ?? true) && packet.force && packet.force_max > 0;
      if (!shown) {
        three.arrow.group.visible = false;
        return;
      }
      const force = new THREE.Vector3().fromArray(packet.force, 3 * row);
      const size = force.length();
      three.robot.updateMatrixWorld(true);
      const tool = three.links.at(-1).getWorldPosition(new THREE.Vector3());
      force.transformDirection(three.robot.matrix);
      three.arrow.set(tool, force, (0.45 * size) / packet.force_max);
    },

    // the camera as far away as robot and paths need it; the cell may reach out of the picture
    view(name) {
      const { camera, controls, robot, links, paths, seen } = this.three;
      this.three.named = name;
      const direction = new THREE.Vector3(...VIEWS[name]).normalize();
      // without a path it may move anywhere
      const margin = paths.children.length ? 1.08 : seen.size > links.length ? 1.15 : 1.35;
      const { target, position, radius } = fit([robot, paths], camera, direction, margin, [...seen.values()]);
      this.widen(radius);
      controls.target.copy(target);
      camera.position.copy(position);
      controls.update();
      this.three.dirty = true;
    },

    // the mist begins behind what one looks at, however large that is and from wherever
    clear() {
      const { scene, camera, controls } = this.three ?? {};
      if (!scene?.fog) return;
      const distance = camera.position.distanceTo(controls.target);
      scene.fog.near = Math.max(7, 1.8 * distance);
      scene.fog.far = Math.max(16, 4 * distance);
    },

    // floor, grid and shadow of a centrifuge are larger than those of an arm
    widen(radius) {
      const { floor, ground, lines, sun } = this.three;
      const times = radius > 3 ? 4 : 1;
      if (this.three.times === times) return;
      this.three.times = times;
      for (const part of [floor, ground]) part.scale.set(times, times, 1);
      lines.scale.set(times, 1, times);
      sun.position.set(2.5, -3.5, 6).multiplyScalar(times);
      const reach = 3 * times;
      Object.assign(sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, far: 14 * times });
      sun.shadow.camera.updateProjectionMatrix();
      this.three.dirty = true;
    },

    key(event) {
      const { camera, controls } = this.three;
      const turn = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      const zoom = { "+": 0.9, "-": 1.1 }[event.key];
      if (!turn && !zoom) return;
      event.preventDefault();
      const arm = new THREE.Vector3().subVectors(camera.position, controls.target);
      if (zoom) arm.multiplyScalar(zoom);
      else {
        const ball = new THREE.Spherical().setFromVector3(new THREE.Vector3(arm.x, arm.z, -arm.y));
        ball.theta += 0.08 * turn[0];
        ball.phi = Math.min(Math.max(ball.phi + 0.08 * turn[1], 0.02), Math.PI - 0.02);
        const at = new THREE.Vector3().setFromSpherical(ball);
        arm.set(at.x, -at.z, at.y);
      }
      camera.position.copy(controls.target).add(arm);
      controls.update();
      this.three.dirty = true;
    },

    picture(name) {
      const { renderer, scene, camera } = this.three;
      renderer.render(scene, camera);
      renderer.domElement.toBlob((blob) => {
        const link = document.createElement("a");
        link.href = URL.createObjectURL(blob);
        link.download = `${name}.png`;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 10000); // once it is surely read
      });
    },

    drawn() {
      return this.three.drawn;
    },
  },
};
