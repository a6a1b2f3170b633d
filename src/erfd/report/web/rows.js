// Which samples a time lies between.

export const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

// [row, next, part]: the samples at rising times around t, and how far t is between them, 0 to 1
export function between(times, t) {
  let row = 0;
  let next = times.length - 1;
  while (next - row > 1) {
    const middle = (row + next) >> 1;
    if (times[middle] <= t) row = middle;
    else next = middle;
  }
  const span = times[next] - times[row];
  return [row, next, span > 0 ? clamp((t - times[row]) / span, 0, 1) : 0];
}
