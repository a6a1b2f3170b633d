// What the page of a motion and the studio share in the browser.
export { element, fitPixels, freshPen } from "./canvas.js";
export { Clock } from "./clock.js";
export { between, clamp } from "./rows.js";
export { cornersOf } from "./triangles.js";
