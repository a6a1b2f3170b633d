// Plays a motion: a small WebGL renderer for lit primitives, a clock, and curves.
(() => {
  // biome-ignore lint/suspicious/noRedundantUseStrict: the page has it as a script, not as a module
  "use strict";
  const scene = JSON.parse(document.getElementById("scene").textContent);
  const byId = (id) => document.getElementById(id);
  const COLORS = ["#1f6fb2", "#e8590c", "#2b8a3e", "#7048e8", "#c2255c", "#b8a01c", "#0b7285", "#845e3b"];
  const NAMES = { q: "theta", qd: "omega", qdd: "alpha", torque: "torque", voltage: "voltage" };
  const count = scene.joints.length,
    last = scene.t.length - 1,
    length = scene.t[last];
  const colorOf = (i) => COLORS[i % COLORS.length];

  // --- vectors and matrices (columns first, as WebGL takes them) ---
  const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const unit = (a) => {
    const s = Math.hypot(...a) || 1;
    return a.map((x) => x / s);
  };

  function multiply(a, b) {
    const c = new Float32Array(16);
    for (let j = 0; j < 4; j++)
      for (let i = 0; i < 4; i++) {
        let sum = 0;
        for (let k = 0; k < 4; k++) sum += a[4 * k + i] * b[4 * j + k];
        c[4 * j + i] = sum;
      }
    return c;
  }

  function matrixOf([x, y, z, a, b, c, d]) {
    // position and quaternion x y z w
    // biome-ignore format: the columns of a matrix
    return new Float32Array([
      1 - 2 * (b * b + c * c), 2 * (a * b + c * d), 2 * (a * c - b * d), 0,
      2 * (a * b - c * d), 1 - 2 * (a * a + c * c), 2 * (b * c + a * d), 0,
      2 * (a * c + b * d), 2 * (b * c - a * d), 1 - 2 * (a * a + b * b), 0,
      x, y, z, 1]);
  }

  const moved = (m, p) => [0, 1, 2].map((i) => m[i] * p[0] + m[4 + i] * p[1] + m[8 + i] * p[2] + m[12 + i]);
  const turned = (m, p) => [0, 1, 2].map((i) => m[i] * p[0] + m[4 + i] * p[1] + m[8 + i] * p[2]);

  function perspective(angle, aspect, near, far) {
    const f = 1 / Math.tan(angle / 2);
    // biome-ignore format: the columns of a matrix
    return new Float32Array([
      f / aspect, 0, 0, 0,
      0, f, 0, 0,
      0, 0, (far + near) / (near - far), -1,
      0, 0, (2 * far * near) / (near - far), 0]);
  }

  function lookAt(eye, target) {
    const back = unit(sub(eye, target)),
      side = unit(cross([0, 0, 1], back)),
      up = cross(back, side);
    // biome-ignore format: the columns of a matrix
    return new Float32Array([
      side[0], up[0], back[0], 0,
      side[1], up[1], back[1], 0,
      side[2], up[2], back[2], 0,
      -dot(side, eye), -dot(up, eye), -dot(back, eye), 1]);
  }

  // --- shapes: lists of triangles; every corner has a place, a normal and a colour ---
  function Mesh() {
    const data = [];
    let place = matrixOf([0, 0, 0, 0, 0, 0, 1]),
      color = [1, 1, 1];
    const corner = (p, n) => data.push(...moved(place, p), ...turned(place, n), ...color);
    const polygon = (points, normals) => {
      for (let k = 1; k + 1 < points.length; k++) for (const i of [0, k, k + 1]) corner(points[i], normals[i]);
    };
    const flat = (points) => {
      const n = unit(cross(sub(points[1], points[0]), sub(points[2], points[0])));
      polygon(
        points,
        points.map(() => n),
      );
    };

    // the surface that a profile of [radius, z, normal r, normal z] sweeps about z
    function lathe(profile, sides = 36) {
      for (let k = 0; k + 1 < profile.length; k++)
        for (let s = 0; s < sides; s++) {
          const at = (row, angle) => {
            const [r, z, nr, nz] = profile[row],
              c = Math.cos(angle),
              d = Math.sin(angle);
            return [
              [r * c, r * d, z],
              [nr * c, nr * d, nz],
            ];
          };
          const a = (2 * Math.PI * s) / sides,
            b = (2 * Math.PI * (s + 1)) / sides;
          const four = [at(k, a), at(k, b), at(k + 1, b), at(k + 1, a)];
          polygon(
            four.map((x) => x[0]),
            four.map((x) => x[1]),
          );
        }
    }

    function prism(outline, half) {
      let area = 0;
      outline.forEach(([x, y], i) => {
        const [u, v] = outline[(i + 1) % outline.length];
        area += x * v - y * u;
      });
      const ring = area < 0 ? [...outline].reverse() : outline;
      flat(ring.map(([x, y]) => [x, y, half]));
      flat([...ring].reverse().map(([x, y]) => [x, y, -half]));
      ring.forEach(([x, y], i) => {
        const [u, v] = ring[(i + 1) % ring.length];
        flat([
          [x, y, -half],
          [u, v, -half],
          [u, v, half],
          [x, y, half],
        ]);
      });
    }

    function round(radius, half) {
      // a sphere, or a capsule of that half length
      const profile = [],
        steps = 14;
      for (const side of [-1, 1])
        for (let k = 0; k <= steps; k++) {
          const w = ((side * Math.PI) / 2) * (side < 0 ? 1 - k / steps : k / steps);
          profile.push([radius * Math.cos(w), radius * Math.sin(w) + side * half, Math.cos(w), Math.sin(w)]);
        }
      lathe(profile);
    }

    function add(shape) {
      place = matrixOf(shape.pose);
      color = [1, 3, 5].map((i) => parseInt(shape.color.slice(i, i + 2), 16) / 255);
      const size = shape.size;
      if (shape.shape === "box") {
        const [x, y] = [size[0] / 2, size[1] / 2];
        prism(
          [
            [-x, -y],
            [x, -y],
            [x, y],
            [-x, y],
          ],
          size[2] / 2,
        );
      } else if (shape.shape === "prism") {
        const outline = [];
        for (let k = 1; k < size.length; k += 2) outline.push([size[k], size[k + 1]]);
        prism(outline, size[0] / 2);
      } else if (shape.shape === "cylinder") {
        const [r, h] = [size[0], size[1] / 2];
        lathe([
          [0, -h, 0, -1],
          [r, -h, 0, -1],
        ]);
        lathe([
          [r, -h, 1, 0],
          [r, h, 1, 0],
        ]);
        lathe([
          [r, h, 0, 1],
          [0, h, 0, 1],
        ]);
      } else round(size[0], shape.shape === "capsule" ? size[1] / 2 : 0);
    }

    // joints of an arm without shapes
    function bone(from, to, thick) {
      const along = sub(to, from),
        size = Math.hypot(...along);
      if (size < 1e-6) return;
      const z = along.map((x) => x / size),
        x = unit(cross(Math.abs(z[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], z));
      const y = cross(z, x),
        middle = from.map((f, i) => (f + to[i]) / 2);
      place = new Float32Array([...x, 0, ...y, 0, ...z, 0, ...middle, 1]);
      color = [0.6, 0.65, 0.7];
      lathe([
        [thick, -size / 2, 1, 0],
        [thick, size / 2, 1, 0],
      ]);
    }
    return { add, bone, data };
  }

  // --- the motion: where the bodies are at a time ---
  function poseOf(row, body) {
    return body === 0 ? scene.mount : scene.poses[row].slice(7 * (body - 1), 7 * body);
  }

  function rowAt(time) {
    let low = 0,
      high = last;
    while (high - low > 1) {
      const m = (low + high) >> 1;
      if (scene.t[m] <= time) low = m;
      else high = m;
    }
    const span = scene.t[high] - scene.t[low];
    return [low, high, span > 0 ? Math.min(Math.max((time - scene.t[low]) / span, 0), 1) : 0];
  }

  function poseAt(time, body) {
    const [low, high, part] = rowAt(time),
      a = poseOf(low, body),
      b = poseOf(high, body);
    const way = a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6] < 0 ? -1 : 1;
    const mixed = a.map((x, i) => x + part * ((i > 2 ? way : 1) * b[i] - x));
    const size = Math.hypot(mixed[3], mixed[4], mixed[5], mixed[6]);
    return mixed.map((x, i) => (i > 2 ? x / size : x));
  }

  function valueAt(name, time, joint) {
    const [low, high, part] = rowAt(time),
      rows = scene.data[name];
    return rows[low][joint] + part * (rows[high][joint] - rows[low][joint]);
  }

  const meshes = [];
  for (let body = 0; body <= count; body++) {
    const mesh = Mesh();
    for (const shape of scene.bodies[body].shapes) mesh.add(shape);
    meshes.push(mesh);
  }
  if (meshes.every((mesh) => !mesh.data.length)) {
    // nothing to draw: bones from frame to frame
    for (let body = 1; body <= count; body++) {
      const here = matrixOf(poseOf(0, body)),
        before = poseOf(0, body - 1).slice(0, 3);
      const away = sub(before, [here[12], here[13], here[14]]);
      const local = [0, 1, 2].map((i) => dot([here[4 * i], here[4 * i + 1], here[4 * i + 2]], away));
      meshes[body].bone(local, [0, 0, 0], 0.03);
    }
  }

  function bounds() {
    // of some moments, to place floor and camera
    const low = [1e9, 1e9, 1e9],
      high = [-1e9, -1e9, -1e9];
    for (let k = 0; k <= 24; k++)
      for (let body = 0; body <= count; body++) {
        const m = matrixOf(poseOf(Math.round((last * k) / 24), body)),
          data = meshes[body].data;
        for (let i = 0; i < data.length; i += 9 * 17) {
          moved(m, data.slice(i, i + 3)).forEach((x, j) => {
            low[j] = Math.min(low[j], x);
            high[j] = Math.max(high[j], x);
          });
        }
      }
    return low[0] > high[0]
      ? [
          [-1, -1, 0],
          [1, 1, 1],
        ]
      : [low, high];
  }
  const [low, high] = bounds(),
    floor = Math.min(0, low[2]);
  const size = Math.max(0.2, Math.hypot(...sub(high, low)));
  const home = () => ({ target: low.map((x, i) => (x + high[i]) / 2), distance: 1.7 * size, turn: 0.9, tilt: 0.32 });
  let camera = home(),
    time = 0,
    playing = false,
    before = 0,
    dirty = true;

  // --- WebGL ---
  const view = byId("view"),
    gl = view.getContext("webgl", { antialias: true });
  let draw = () => {};
  if (!gl) byId("sorry").style.display = "grid";
  else {
    const VERTEX = `attribute vec3 place, normal, color; uniform mat4 eye, model;
      varying vec3 n, c, p; void main() { vec4 world = model * vec4(place, 1.0);
      n = mat3(model) * normal; c = color; p = world.xyz; gl_Position = eye * world; }`;
    const FRAGMENT = `precision mediump float; varying vec3 n, c, p; uniform vec3 viewer; uniform vec4 plain;
      void main() { if (plain.a > 0.0) { gl_FragColor = vec4(plain.rgb, 1.0); return; }
      vec3 d = normalize(n), key = normalize(vec3(0.5, -0.35, 0.9)), fill = normalize(vec3(-0.7, 0.5, 0.15));
      float light = 0.34 + 0.1 * d.z + 0.62 * max(dot(d, key), 0.0) + 0.2 * max(dot(d, fill), 0.0);
      float shine = pow(max(dot(d, normalize(key + normalize(viewer - p))), 0.0), 40.0);
      gl_FragColor = vec4(c * light + 0.16 * shine, 1.0); }`;
    const program = gl.createProgram();
    for (const [kind, text] of [
      [gl.VERTEX_SHADER, VERTEX],
      [gl.FRAGMENT_SHADER, FRAGMENT],
    ]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    gl.useProgram(program);
    const at = Object.fromEntries(
      ["eye", "model", "viewer", "plain"].map((x) => [x, gl.getUniformLocation(program, x)]),
    );
    const inputs = ["place", "normal", "color"].map((x) => gl.getAttribLocation(program, x));
    for (const x of inputs) gl.enableVertexAttribArray(x);
    gl.enable(gl.DEPTH_TEST);

    const buffer = (data) => {
      const made = { id: gl.createBuffer(), size: data.length / 9 };
      gl.bindBuffer(gl.ARRAY_BUFFER, made.id);
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(data), gl.STATIC_DRAW);
      return made;
    };
    const show = (made, kind, first = 0, size = made.size) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, made.id);
      for (const [i, x] of inputs.entries()) gl.vertexAttribPointer(x, 3, gl.FLOAT, false, 36, 12 * i);
      gl.drawArrays(kind, first, size);
    };
    const solids = meshes.map((mesh) => buffer(mesh.data));
    const corner = (x, y, z) => [x, y, z, 0, 0, 1, 1, 1, 1];
    const lines = [],
      reach = Math.ceil(1.4 * size),
      middle = home().target.map((x) => Math.round(x));
    for (let k = -2 * reach; k <= 2 * reach; k++) {
      const [x, y] = middle;
      lines.push(...corner(x + k / 2, y - reach, floor), ...corner(x + k / 2, y + reach, floor));
      lines.push(...corner(x - reach, y + k / 2, floor), ...corner(x + reach, y + k / 2, floor));
    }
    const grid = buffer(lines);
    const trail = buffer(scene.poses.flatMap((row) => corner(...row.slice(7 * count, 7 * count + 3))));
    const rgb = (name) => {
      const text = getComputedStyle(document.body).getPropertyValue(name).trim();
      return [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16) / 255);
    };
    // onto the floor along the key light; a hair above the grid
    // biome-ignore format: the columns of a matrix
    const shadow = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, -0.55, 0.39, 0, 0, 0.55 * floor, -0.39 * floor, floor + 0.001, 1]);

    draw = () => {
      const wide = Math.round(view.clientWidth * devicePixelRatio),
        tall = Math.round(view.clientHeight * devicePixelRatio);
      if (view.width !== wide || view.height !== tall) {
        view.width = wide;
        view.height = tall;
      }
      gl.viewport(0, 0, wide, tall);
      gl.clearColor(...rgb("--back"), 1);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      const { target, distance, turn, tilt } = camera;
      const eye = target.map(
        (x, i) => x + distance * [Math.cos(tilt) * Math.cos(turn), Math.cos(tilt) * Math.sin(turn), Math.sin(tilt)][i],
      );
      const lens = perspective(0.7, wide / tall, distance / 200, distance + 20 * size);
      if (view.clientWidth > 900) lens[8] = -byId("side").offsetWidth / view.clientWidth; // beside the numbers
      gl.uniformMatrix4fv(at.eye, false, multiply(lens, lookAt(eye, target)));
      gl.uniform3f(at.viewer, ...eye);
      const still = matrixOf([0, 0, 0, 0, 0, 0, 1]);
      const plain = (color) => gl.uniform4f(at.plain, ...(color || [0, 0, 0]), color ? 1 : 0);
      const models = meshes.map((_, body) => matrixOf(poseAt(time, body)));
      plain(rgb("--shade"));
      solids.forEach((solid, body) => {
        gl.uniformMatrix4fv(at.model, false, multiply(shadow, models[body]));
        show(solid, gl.TRIANGLES);
      });
      gl.uniformMatrix4fv(at.model, false, still);
      plain(rgb("--grid"));
      show(grid, gl.LINES);
      plain(rgb("--accent"));
      show(trail, gl.LINE_STRIP, 0, Math.max(1, rowAt(time)[0] + 1));
      plain(null);
      solids.forEach((solid, body) => {
        gl.uniformMatrix4fv(at.model, false, models[body]);
        show(solid, gl.TRIANGLES);
      });
    };
  }

  // --- the curves and the numbers ---
  const names = Object.keys(scene.data),
    curves = byId("curves"),
    choice = byId("quantity");
  const unitOf = (name, joint) => scene.units[name][joint].replace("s2", "s\u00b2");
  const same = (name) => scene.joints.every((_, joint) => unitOf(name, joint) === unitOf(name, 0));
  for (const name of names) choice.add(new Option(NAMES[name] || name, name));
  for (const speed of [0.1, 0.25, 0.5, 1, 2, 4])
    byId("speed").add(new Option(`${speed} x`, speed, speed === 1, speed === 1));

  function drawCurves() {
    const pen = curves.getContext("2d"),
      style = getComputedStyle(document.body);
    const wide = curves.clientWidth,
      tall = curves.clientHeight,
      name = choice.value;
    curves.width = wide * devicePixelRatio;
    curves.height = tall * devicePixelRatio;
    pen.scale(devicePixelRatio, devicePixelRatio);
    if (!name) return;
    const rows = scene.data[name],
      step = Math.max(1, Math.floor(rows.length / 1500));
    let least = Infinity,
      most = -Infinity;
    for (const row of rows)
      for (const x of row) {
        least = Math.min(least, x);
        most = Math.max(most, x);
      }
    if (most - least < 1e-9) {
      least -= 1;
      most += 1;
    }
    const xAt = (k) => (scene.t[k] / (length || 1)) * wide,
      yAt = (x) => tall - 5 - ((x - least) / (most - least)) * (tall - 10);
    pen.lineWidth = 1;
    pen.strokeStyle = style.getPropertyValue("--line");
    pen.strokeRect(0.5, 0.5, wide - 1, tall - 1);
    pen.lineWidth = 1.5;
    for (let joint = 0; joint < count; joint++) {
      pen.strokeStyle = colorOf(joint);
      pen.beginPath();
      for (let k = 0; k < rows.length; k += step) pen.lineTo(xAt(k), yAt(rows[k][joint]));
      pen.stroke();
    }
    pen.fillStyle = style.getPropertyValue("--soft");
    pen.font = "11px system-ui, sans-serif";
    pen.fillText(`${most.toPrecision(3)} ${unitOf(name, 0)}`, 6, 14);
    pen.fillText(least.toPrecision(3), 6, tall - 7);
    pen.strokeStyle = style.getPropertyValue("--ink");
    pen.beginPath();
    pen.moveTo((time / (length || 1)) * wide, 0);
    pen.lineTo((time / (length || 1)) * wide, tall);
    pen.stroke();
  }

  const cells = [];
  const element = (kind, text, parent) => {
    const made = document.createElement(kind);
    made.textContent = text;
    parent.append(made);
    return made;
  };
  if (names.length) {
    const table = element("table", "", byId("values")),
      first = element("tr", "", table);
    element("th", "joint", first);
    for (const name of names)
      element("th", `${NAMES[name] || name}${same(name) ? ` (${unitOf(name, 0).replace(" ", "\u00a0")})` : ""}`, first);
    scene.joints.forEach((joint, i) => {
      const row = element("tr", "", table),
        title = element("td", "", row);
      element("i", "", title).style.background = colorOf(i);
      title.append(`${i + 1} ${joint.name}`);
      for (const name of names) cells.push([element("td", "", row), name, i]);
    });
  } else byId("values").remove();

  function refresh() {
    draw();
    drawCurves();
    for (const [cell, name, joint] of cells) {
      const x = valueAt(name, time, joint);
      cell.textContent = `${Math.abs(x) < 1e-9 ? 0 : Number(x.toPrecision(4))}${same(name) ? "" : ` ${unitOf(name, joint)}`}`;
    }
    byId("clock").textContent = `${time.toFixed(3)} / ${length.toFixed(3)} s`;
    byId("time").value = (1000 * time) / (length || 1);
  }

  // --- the clock and the controls ---
  function seek(t) {
    time = Math.min(Math.max(t, 0), length);
    dirty = true;
  }
  function setPlaying(on) {
    if (on && time >= length) time = 0;
    playing = on;
    byId("play").textContent = on ? "Pause" : "Play";
    dirty = true;
  }
  function tick(now) {
    if (playing) {
      seek(time + Math.min((now - before) / 1000, 0.25) * Number(byId("speed").value));
      if (time >= length) setPlaying(false);
    }
    before = now;
    if (dirty) {
      dirty = false;
      refresh();
    }
    requestAnimationFrame(tick);
  }
  byId("play").onclick = () => setPlaying(!playing);
  byId("time").oninput = (event) => {
    setPlaying(false);
    seek((event.target.value / 1000) * length);
  };
  choice.onchange = () => {
    dirty = true;
  };
  byId("theme").onclick = () => {
    document.body.dataset.theme = document.body.dataset.theme === "dark" ? "light" : "dark";
    dirty = true;
  };
  if (matchMedia("(prefers-color-scheme: dark)").matches) document.body.dataset.theme = "dark";
  const point = (event) => {
    setPlaying(false);
    seek((event.offsetX / curves.clientWidth) * length);
  };
  curves.onpointerdown = (event) => {
    curves.setPointerCapture(event.pointerId);
    point(event);
  };
  curves.onpointermove = (event) => {
    if (event.buttons) point(event);
  };
  addEventListener("resize", () => {
    dirty = true;
  });
  addEventListener("keydown", (event) => {
    if (event.target.tagName === "SELECT") return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === " ") {
      event.preventDefault();
      if (event.target.id !== "play") setPlaying(!playing);
      else event.target.click();
    } else if (step) {
      event.preventDefault();
      setPlaying(false);
      seek(scene.t[Math.min(Math.max(rowAt(time)[step > 0 ? 0 : 1] + step, 0), last)]);
    } else if (event.key === "Home") seek(0);
    else if (event.key === "End") seek(length);
  });

  const fingers = new Map();
  const zoom = (factor) => {
    camera.distance = Math.min(Math.max(camera.distance * factor, 0.05 * size), 12 * size);
    dirty = true;
  };
  const span = () => {
    const [a, b] = [...fingers.values()];
    return Math.hypot(a[0] - b[0], a[1] - b[1]);
  };
  view.onpointerdown = (event) => {
    view.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
  };
  view.onpointerup = view.onpointercancel = (event) => fingers.delete(event.pointerId);
  view.onpointermove = (event) => {
    const old = fingers.get(event.pointerId);
    if (!old) return;
    const wide = fingers.size === 2 ? span() : 0;
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    const dx = event.clientX - old[0],
      dy = event.clientY - old[1];
    if (fingers.size === 2) zoom(wide / (span() || 1));
    else if (event.shiftKey || event.buttons === 2) {
      const scale = 0.0013 * camera.distance,
        { turn, tilt } = camera;
      const side = [-Math.sin(turn), Math.cos(turn), 0];
      const up = [-Math.sin(tilt) * Math.cos(turn), -Math.sin(tilt) * Math.sin(turn), Math.cos(tilt)];
      camera.target = camera.target.map((x, i) => x + scale * (dy * up[i] - dx * side[i]));
    } else {
      camera.turn -= 0.008 * dx;
      camera.tilt = Math.min(Math.max(camera.tilt + 0.008 * dy, -1.5), 1.5);
    }
    dirty = true;
  };
  view.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      zoom(Math.exp(0.001 * event.deltaY));
    },
    { passive: false },
  );
  view.ondblclick = () => {
    camera = home();
    dirty = true;
  };
  view.oncontextmenu = (event) => event.preventDefault();
  document.body.dataset.ready = gl ? "webgl" : "curves";
  requestAnimationFrame(tick);
})();
