// What the studio's components share in the browser.
export { clock } from "./clock.js";
export { Poses } from "./poses.js";
export { Stream } from "./stream.js";
export { getPacket, unpack } from "./packet.js";
export { Arrow, axes, buildPrimitive, disposeTree, tube } from "./shapes.js";
