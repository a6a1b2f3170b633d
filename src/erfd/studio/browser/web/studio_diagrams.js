// Diagrams over time (uPlot): data come decimated for the width of the screen and the zoom.

import { between, element } from "erfd-shared";
import { clock, getPacket, isDark, onPageChange, saveFile, savePicture } from "erfd-studio";
import { uPlot } from "erfd-vendor";

// what is no number is a gap to uPlot only as null
const known = (values) =>
  values.some(Number.isNaN) ? Array.from(values, (v) => (Number.isNaN(v) ? null : v)) : values;

const DASH = { given: [5, 4], limit: [2, 3], part: undefined, found: undefined };

export default {
  template: `<div class="studio-diagrams" tabindex="0" role="group" :aria-label="label"></div>`,
  props: {
    panels: Array,
    runs: Array,
    bands: Array,
    height: { type: Number, default: 190 },
    words: Object,
    label: String,
    refresh: { type: Number, default: 0 },
  },

  created() {
    this.plots = new Map();
    this.zoom = null;
    this.turn = 0;
    this.hidden = new Set();
  },
  mounted() {
    this.rebuild();
    this.stop = clock.listen(this.mark, { calm: true });
    this.repeat(this.refresh);
    this.leave = onPageChange(this.$el, this.resize, this.rebuild);
  },
  beforeUnmount() {
    this.stop();
    clearInterval(this.timer);
    this.leave();
    for (const plot of this.plots.values()) plot.chart?.destroy();
  },
  watch: {
    panels: { deep: true, handler: "rebuild" },
    refresh: "repeat",
    runs: {
      deep: true,
      handler() {
        this.zoom = null;
        this.rebuild();
      },
    },
  },

  methods: {
    async rebuild() {
      this.turn += 1;
      const { turn } = this;
      const panels = this.runs?.length ? (this.panels ?? []) : [];
      this.$el.dataset.ready = "false";
      const names = panels.map((panel) => this.address(panel));
      const found = await Promise.all(panels.map((panel) => this.getPanel(panel)));
      if (turn !== this.turn) return; // another rebuild began meanwhile
      this.known = new Map(this.refresh ? [] : names.map((name, i) => [name, found[i]])); // not of a stream
      for (const plot of this.plots.values()) plot.chart.destroy();
      this.plots.clear();
      this.$el.replaceChildren();
      for (const [i, panel] of panels.entries()) this.build(panel, found[i]);
      this.$el.dataset.ready = "true";
      this.mark();
    },

    repeat(every) {
      clearInterval(this.timer);
      if (every) this.timer = setInterval(this.renew, every);
    },

    // new numbers for the same curves (a stream)
    async renew() {
      if (this.busy || document.hidden || !this.plots) return;
      this.busy = true;
      try {
        const turn = this.turn;
        const found = await Promise.all((this.panels ?? []).map((panel) => this.fetchPanel(panel)));
        if (turn !== this.turn) return;
        const same = found.every((one, i) => {
          const plot = this.plots.get(this.panels[i].id);
          return plot && plot.series.map((s) => s.label).join() === one.series.map((s) => s.label).join();
        });
        if (!same) await this.rebuild();
        else for (const [i, { data }] of found.entries()) this.plots.get(this.panels[i].id).chart.setData(data);
        this.mark();
      } catch {
        // the page says how the stream is
      } finally {
        this.busy = false;
      }
    },

    // all that the numbers of a panel depend on
    address(panel) {
      const points = Math.max(400, 2 * Math.round(this.$el.clientWidth || 800));
      const window = this.zoom ? `&first=${this.zoom[0]}&last=${this.zoom[1]}` : "";
      return [...this.runs.map((run) => run.url), `${panel.query}&points=${points}${window}`].join(" ");
    },

    // another panel beside those that are there: only it is asked for
    async getPanel(panel) {
      const known = this.known?.get(this.address(panel));
      return known ? { ...known, title: this.words?.[panel.id] ?? known.title } : this.fetchPanel(panel);
    },

    async fetchPanel(panel) {
      const query = this.address(panel).split(" ").at(-1);
      const packets = await Promise.all(this.runs.map((run) => getPacket(`${run.url}/diagram?${query}`)));
      const tables = packets.map(({ t, values, series }) => {
        const rows = t.length;
        return [t, ...series.map((_, i) => known(values.subarray(i * rows, (i + 1) * rows)))];
      });
      const series = packets.flatMap((packet, run) => packet.series.map((one) => ({ ...one, run })));
      const data = tables.length === 1 ? tables[0] : uPlot.join(tables);
      return { data, series, unit: packets[0].unit, title: this.words?.[packets[0].title] ?? packets[0].title };
    },

    build(panel, { data, series, unit, title }) {
      const dark = isDark();
      const ink = dark ? "#c9d1d9" : "#333f4d";
      const grid = { stroke: dark ? "#2b323b" : "#e3e8ee", width: 1 };
      const axis = { stroke: ink, grid, ticks: grid, font: "11px Roboto", size: 26 };
      const holder = element("section", this.$el, { className: "panel", ariaLabel: title });
      const heading = element("h4", holder);
      element("span", heading, { textContent: `${title} (${unit})` });
      const { hidden } = this;
      const lines = series.map((one) => ({
        label: one.label + (this.runs.length > 1 ? ` · ${this.runs[one.run].label}` : ""),
        stroke: one.color,
        width: one.kind === "found" ? 1.6 : 1.1,
        dash: one.run ? [8, 4] : DASH[one.kind],
        alpha: one.run ? 0.75 : 1,
        show: !hidden.has(one.label) && !hidden.has(one.label.split(" ")[0]),
        class: one.kind === "found" || one.kind === "part" ? "named" : "unnamed",
        spanGaps: true,
        points: { show: false },
        value: (_, v) => (v == null ? "" : v.toPrecision(4)),
      }));
      const chart = new uPlot(
        {
          width: this.$el.clientWidth - 14,
          height: this.height,
          legend: { live: true, mount: (_, table) => heading.append(table) },
          cursor: { drag: { x: true, y: false, setScale: false }, points: { size: 5 } },
          scales: { x: { time: false } },
          axes: [
            { ...axis, values: (_, ticks) => ticks.map((v) => `${v} s`) },
            { ...axis, size: 58, values: (_, ticks) => ticks.map((v) => `${Number(v.toPrecision(6))}`) },
          ],
          series: [{ label: "t", value: (_, v) => (v == null ? "" : `${v.toFixed(3)} s`) }, ...lines],
          hooks: {
            drawClear: [(u) => this.drawBands(u)],
            ready: [() => requestAnimationFrame(() => this.mark())],
            setSelect: [(u) => this.zoomTo(u)],
            setSeries: [(u, i) => this.toggled(u, i, series)],
          },
        },
        data,
        holder,
      );
      chart.over.addEventListener("click", (event) => {
        if (chart.select.width < 3) clock.go(chart.posToVal(event.offsetX, "x"));
      });
      chart.over.addEventListener("dblclick", () => this.unzoom());
      chart.over.addEventListener("mouseleave", () => this.mark());
      const line = element("div", chart.over, { className: "now" });
      this.plots.set(panel.id, { chart, line, title, unit, series });
    },

    // what was at a limit when, in the colour that it has everywhere
    drawBands(chart) {
      const { ctx, bbox } = chart;
      ctx.save();
      ctx.globalAlpha = 0.85;
      for (const { start, end, color } of this.bands ?? []) {
        const left = Math.max(chart.valToPos(start, "x", true), bbox.left);
        const right = Math.min(chart.valToPos(end, "x", true), bbox.left + bbox.width);
        if (right < bbox.left || left > bbox.left + bbox.width) continue;
        ctx.fillStyle = color;
        ctx.fillRect(left, bbox.top - 5 * devicePixelRatio, Math.max(right - left, 2), 4 * devicePixelRatio);
      }
      ctx.restore();
    },

    // programme and limits of a joint come and go with its curve
    toggled(chart, i, series) {
      const one = series[i - 1];
      if (one?.kind !== "found") return;
      const show = chart.series[i].show;
      if (show) this.hidden.delete(one.label);
      else this.hidden.add(one.label);
      series.forEach((other, k) => {
        const own = other.run === one.run && other.kind !== "part" && other.label.startsWith(`${one.label} `);
        if (own && chart.series[k + 1].show !== show) chart.setSeries(k + 1, { show });
      });
    },

    zoomTo(chart) {
      if (chart.select.width < 3) return;
      const { left, width } = chart.select;
      this.zoom = [left, left + width].map((place) => chart.posToVal(place, "x"));
      this.rebuild();
    },
    unzoom() {
      if (!this.zoom) return;
      this.zoom = null;
      this.rebuild();
    },

    mark() {
      const now = performance.now(); // moving a line is cheap, writing numbers is not
      const write = !clock.playing || now - (this.written ?? 0) > 200;
      if (write) this.written = now;
      for (const { chart, line } of this.plots.values()) {
        const at = chart.valToPos(clock.t, "x");
        const inside = at >= 0 && at <= chart.bbox.width / devicePixelRatio;
        line.style.transform = `translateX(${inside ? at : -9999}px)`;
        if (!write || chart.over.matches(":hover")) continue;
        if (this.refresh) {
          chart.setLegend({ idx: chart.data[0].length - 1 }); // of a stream: what is now
          continue;
        }
        const [row, next, part] = between(chart.data[0], clock.t);
        chart.setLegend({ idx: part ? next : row });
      }
    },

    resize() {
      for (const { chart } of this.plots.values()) {
        const width = this.$el.clientWidth - 14;
        if (width > 50 && width !== chart.width) chart.setSize({ width, height: this.height });
      }
      this.mark();
    },

    // one picture of all panels, with their legends
    picture(name) {
      const plots = [...this.plots.values()];
      if (!plots.length) return;
      const ratio = devicePixelRatio;
      const rows = plots.map(({ chart }) => chart.ctx.canvas.height + 44 * ratio);
      const sheet = document.createElement("canvas");
      sheet.width = Math.max(...plots.map(({ chart }) => chart.ctx.canvas.width));
      sheet.height = rows.reduce((a, b) => a + b, 0);
      const pen = sheet.getContext("2d");
      const dark = isDark();
      pen.fillStyle = dark ? "#161b22" : "#ffffff";
      pen.fillRect(0, 0, sheet.width, sheet.height);
      let top = 0;
      plots.forEach(({ chart, title, unit }, i) => {
        pen.fillStyle = dark ? "#c9d1d9" : "#333f4d";
        pen.font = `bold ${13 * ratio}px Roboto, sans-serif`;
        pen.fillText(`${title} (${unit})`, 10 * ratio, top + 18 * ratio);
        pen.font = `${11 * ratio}px Roboto, sans-serif`;
        let left = 10 * ratio;
        for (const line of chart.series.slice(1).filter((s) => s.show)) {
          pen.fillStyle = line.stroke();
          pen.fillText(line.label, left, top + 36 * ratio);
          left += pen.measureText(line.label).width + 14 * ratio;
        }
        pen.drawImage(chart.ctx.canvas, 0, top + 44 * ratio);
        top += rows[i];
      });
      savePicture(sheet, name);
    },

    // one table of the numbers of all panels at full resolution, within the zoom
    table() {
      if (!this.runs?.length || !this.panels?.length) return;
      const query = new URLSearchParams(this.panels[0].query); // the panels differ by name alone
      query.delete("name");
      query.delete("percent"); // a table has the numbers in their units
      query.set("names", this.panels.map((panel) => panel.id).join());
      if (this.runs[1]) query.set("other", this.runs[1].url.split("/").pop());
      for (const [i, end] of (this.zoom ?? []).entries()) query.set(["first", "last"][i], end);
      saveFile(`${this.runs[0].url}/diagrams.csv?${query}`);
    },
  },
};
