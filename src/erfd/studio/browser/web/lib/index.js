// What the studio's components share in the browser.
export { clock } from "./clock.js";
export { getPacket } from "./packet.js";
export { isDark, onPageChange, saveFile, savePicture } from "./page.js";
export { Paths } from "./path.js";
export { Playback } from "./playback.js";
export { RobotModel } from "./robot.js";
export { axes, buildPrimitive, emptied, glow } from "./shapes.js";
export { Stage } from "./stage.js";
export { Stream } from "./stream.js";
