// Which pose the robot has: that of the run at the clock's time, or where it was jogged to.

import { clock } from "./clock.js";
import { Poses, Way } from "./poses.js";

export class Playback {
  constructor() {
    this.runs = [];
    this.jogging = false;
  }

  // the runs at these addresses; whether they are shown now: others may be asked for meanwhile
  async load(wanted, jogged, moved, pathChanged) {
    this.wanted = wanted;
    const loaded = await Promise.all(
      wanted.map(async (run) => {
        const poses = await new Poses(run.url, moved).load();
        const way = await new Way(run.url, poses, pathChanged).load(clock.t);
        return { ...run, poses, way };
      }),
    );
    if (this.wanted !== wanted) return false;
    if (loaded[0]?.url !== this.runs[0]?.url) {
      // another run is to be seen where it is, not where the robot was jogged to before
      this.jogged = String(jogged());
      this.jogging = false;
    }
    this.runs = loaded;
    return true;
  }

  // whether the robot has just been jogged; every change of a property sends `jogged` anew
  jog(jogged) {
    const text = String(jogged);
    const moved = Boolean(jogged) && !clock.playing && this.jogged !== text;
    if (moved) Object.assign(this, { jogged: text, jogging: true, held: clock.t });
    if (this.jogging && clock.t !== this.held) this.jogging = false;
    return moved;
  }

  // {packet, row, part} of the run that is shown, if one is
  sample() {
    for (const { way } of this.runs) way.follow(clock.t).catch(() => {}); // closed meanwhile
    return this.jogging ? undefined : this.runs[0]?.poses.at(clock.t);
  }
}
