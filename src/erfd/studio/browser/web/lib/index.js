// What the studio's components share in the browser.
export { clock } from "./clock.js";
export { Poses, Way } from "./poses.js";
export { Stream } from "./stream.js";
export { getPacket, unpack } from "./packet.js";
export { Arrow, axes, buildLink, buildPrimitive, disposeTree } from "./shapes.js";
export { fit } from "./fit.js";
export { path } from "./path.js";
