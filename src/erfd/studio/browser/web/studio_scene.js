// The 3D view: robot, cell, paths, force; it follows the clock without asking the server.

import {
  axes,
  buildPrimitive,
  clock,
  emptied,
  glow,
  onPageChange,
  Paths,
  Playback,
  RobotModel,
  Stage,
  Stream,
  savePicture,
} from "erfd-studio";
import { THREE } from "nicegui-scene";

export default {
  template: `<div class="studio-scene" tabindex="0" role="img" :aria-label="label" @keydown="(event) => stage.viewpoint.key(event)">
    <canvas></canvas><slot></slot></div>`,
  props: {
    label: String,
    robot: Object,
    cell: Object,
    runs: Array,
    options: Object,
    colors: Object,
    jogged: Array,
    live: String,
    contacts: Array,
  },

  mounted() {
    this.stage = new Stage(this.$el.querySelector("canvas"));
    this.$el.stage = this.stage; // for measurements
    this.world = axes(0.5, 0.012);
    this.model = new RobotModel(this.stage.slow, this.colors.force);
    this.things = new THREE.Group();
    this.paths = new Paths();
    this.playback = new Playback();
    this.stage.scene.add(this.world, this.model.group, this.things, this.paths.group, this.model.arrow.group);
    this.buildRobot();
    this.buildCell();
    this.applyOptions();
    this.view("iso");
    this.loadRuns();
    this.watchLive();
    this.stop = clock.listen(this.follow);
    this.leave = onPageChange(this.$el, this.resize, () => this.stage.paint());
    this.stage.paint();
  },
  beforeUnmount() {
    this.stop();
    this.leave();
    this.stream?.close();
    this.stage.dispose();
  },
  watch: {
    robot: "buildRobot",
    cell: "buildCell",
    runs: "loadRuns",
    live: "watchLive",
    options: { deep: true, handler: "applyOptions" },
    contacts: "follow",
    jogged() {
      this.follow();
      if (this.stage.viewpoint.fresh) this.viewAgain();
      this.stage.viewpoint.fresh = false;
    },
  },

  methods: {
    resize() {
      const { clientWidth: width, clientHeight: height } = this.$el;
      if (!width || !height) return;
      this.stage.resize(width, height);
      this.viewAgain();
    },

    buildRobot() {
      this.stage.viewpoint.begin();
      if (!this.robot) return;
      this.touching = "";
      this.stage.setFloor(this.model.build(this.robot));
      this.applyOptions();
      this.viewAgain();
    },

    buildCell() {
      this.touching = "";
      emptied(this.things);
      for (const thing of this.cell?.things ?? []) {
        this.things.add(buildPrimitive(thing, { transparent: true, opacity: 0.82 }));
      }
      this.stage.dirty = true;
    },

    buildPaths() {
      const { runs, meanings } = this.colors;
      this.paths.build(this.playback.runs, this.robot?.mount, runs, Object.values(meanings ?? {}), this.stage.thin);
      this.applyOptions();
    },

    async loadRuns() {
      const loaded = await this.playback.load(this.runs ?? [], () => this.jogged, this.follow, this.buildPaths);
      if (!loaded || this.stage.over) return;
      this.buildPaths();
      this.viewAgain();
      this.$el.dataset.runs = this.playback.runs.length;
    },

    watchLive() {
      const { live, model, stage } = this;
      if (!live || this.stream?.url === live) return;
      this.stream?.close();
      this.stream = new Stream(
        live,
        () => model.width,
        (pair, part, width) => {
          model.place(pair, 0, part, width);
          stage.moved = performance.now();
          stage.dirty = true;
          if (stage.viewpoint.loses(model.links)) this.viewAgain();
        },
      );
    },

    applyOptions() {
      const { grid = true, world = false, paths = true, tool = false, frames = false } = this.options ?? {};
      this.stage.grid.visible = grid;
      this.world.visible = world;
      this.paths.group.visible = paths;
      this.model.showFrames(tool, frames);
      this.follow();
    },

    follow() {
      const { model, playback, stage } = this;
      if (playback.jog(this.jogged)) stage.moved = performance.now();
      const sample = playback.sample();
      if (sample) model.place(sample.packet.poses, sample.row, sample.part);
      else if (this.jogged) model.place(this.jogged);
      const force = sample && (this.options?.force ?? true) && sample.packet.force_max > 0;
      if (force && sample.packet.force) model.placeForce(sample.packet, sample.row);
      else model.hideForce();
      this.redden(Boolean(sample));
      stage.dirty = true;
    },

    // links and things are red for as long as they collide
    redden(playing) {
      const now = playing
        ? (this.contacts ?? []).filter((c) => clock.t >= c.start - 1e-6 && clock.t <= c.end + 1e-6)
        : [];
      const touching = now.map((c) => `${c.link} ${c.thing}`).join();
      if (touching === this.touching) return;
      this.touching = touching;
      this.$el.dataset.touching = touching;
      const red = this.colors.meanings?.collision;
      const things = new Set(this.cell?.things.map((thing) => thing.name));
      const others = now.map((c) => c.thing).filter((name) => !things.has(name)); // a link, too
      this.model.redden(new Set([...now.map((c) => c.link), ...others]), red);
      this.things.children.forEach((thing, i) => {
        glow(thing, now.some((c) => c.thing === this.cell.things[i].name) && red);
      });
    },

    view(name) {
      this.stage.widen(this.stage.viewpoint.look(name, this.model, this.paths.group));
      this.stage.dirty = true;
    },
    // as it was chosen, unless somebody has turned it since
    viewAgain() {
      const { named, touched } = this.stage.viewpoint;
      if (!touched) this.view(named);
    },

    picture(name) {
      this.stage.render();
      savePicture(this.stage.renderer.domElement, name);
    },
  },
};
