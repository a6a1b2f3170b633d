// A mesh of triangles as corners with normals: round where it bends a little, sharp at its edges.

const SHARP = Math.cos((35 * Math.PI) / 180);

// {places, normals}: nine numbers a triangle each, of vertices [[x, y, z], ..] and faces [[a, b, c], ..]
export function cornersOf({ vertices, faces }) {
  const normals = faces.map((face) => {
    const [a, b, c] = face.map((k) => vertices[k]);
    const [u, v] = [b, c].map((p) => p.map((x, i) => x - a[i]));
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const size = Math.hypot(...n) || 1;
    return { area: size, unit: n.map((x) => x / size) };
  });
  const around = vertices.map(() => []);
  for (const [i, face] of faces.entries()) for (const k of face) around[k].push(normals[i]);
  const result = { places: new Float32Array(9 * faces.length), normals: new Float32Array(9 * faces.length) };
  for (const [i, face] of faces.entries())
    for (const [corner, k] of face.entries()) {
      const own = normals[i].unit;
      const sum = [0, 0, 0];
      for (const { area, unit } of around[k])
        if (unit[0] * own[0] + unit[1] * own[1] + unit[2] * own[2] > SHARP)
          for (let j = 0; j < 3; j++) sum[j] += area * unit[j];
      const size = Math.hypot(...sum);
      result.places.set(vertices[k], 9 * i + 3 * corner);
      result.normals.set(size ? sum.map((x) => x / size) : own, 9 * i + 3 * corner);
    }
  return result;
}
