// Vectors, and matrices with their columns first, as WebGL takes them.

export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

export function unit(a) {
  const size = Math.hypot(...a) || 1;
  return a.map((x) => x / size);
}

export function multiply(a, b) {
  const c = new Float32Array(16);
  for (let j = 0; j < 4; j++)
    for (let i = 0; i < 4; i++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + i] * b[4 * j + k];
      c[4 * j + i] = sum;
    }
  return c;
}

// of a position and a quaternion x y z w
export function matrixOf([x, y, z, a, b, c, d]) {
  // biome-ignore format: the columns of a matrix
  return new Float32Array([
    1 - 2 * (b * b + c * c), 2 * (a * b + c * d), 2 * (a * c - b * d), 0,
    2 * (a * b - c * d), 1 - 2 * (a * a + c * c), 2 * (b * c + a * d), 0,
    2 * (a * c + b * d), 2 * (b * c - a * d), 1 - 2 * (a * a + b * b), 0,
    x, y, z, 1]);
}

export const STILL = matrixOf([0, 0, 0, 0, 0, 0, 1]);
export const turned = (m, p) => [0, 1, 2].map((i) => m[i] * p[0] + m[4 + i] * p[1] + m[8 + i] * p[2]);
export const moved = (m, p) => turned(m, p).map((x, i) => x + m[12 + i]);

export function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2);
  // biome-ignore format: the columns of a matrix
  return new Float32Array([
    f / aspect, 0, 0, 0,
    0, f, 0, 0,
    0, 0, (far + near) / (near - far), -1,
    0, 0, (2 * far * near) / (near - far), 0]);
}

export function lookAt(eye, target) {
  const back = unit(sub(eye, target));
  const side = unit(cross([0, 0, 1], back));
  const up = cross(back, side);
  // biome-ignore format: the columns of a matrix
  return new Float32Array([
    side[0], up[0], back[0], 0,
    side[1], up[1], back[1], 0,
    side[2], up[2], back[2], 0,
    -dot(side, eye), -dot(up, eye), -dot(back, eye), 1]);
}
