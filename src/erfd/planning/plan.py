"""The result of planning: a joint trajectory with its program lines, notes and failures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..ground.arrays import Array
from ..robot.payload import Payload
from .trajectory import Trajectory


@dataclass(frozen=True, slots=True)
class PlannedMove:
    """One move (or pause, kind "wait") as planned; m, rad, s.

    `length` is that of the programmed path (ptp: of the tool point), `radius` and `angle` those of
    an arc, `corner` the angle between this path and the next one, `blend` what was done at the
    end: "stop", "c_ptp", "c_speed" or "c_cp", with the corner rounded within `reach`. `peak_speed`
    is that of the tool point, `turn` the angle of the tool between start and end. `limit` names
    what makes a ptp move no faster.
    """

    kind: str
    line: int
    name: str
    start: float
    end: float
    length: float = 0.0
    radius: float = 0.0
    angle: float = 0.0
    turn: float = 0.0
    corner: float = 0.0
    blend: str = "stop"
    reach: float = 0.0
    peak_speed: float = 0.0
    limit: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """Something that a programmer should know; the motion is planned all the same.

    `kind`: "start", "corner" (a velocity step, `value` in m/s), "stop" (a corner, rad), "rounding"
    (m), "blend", "orientation" (rad), "path" (a circle that is none), "no motion", "limits",
    "config", "turn" (rad), "singularity" (rad or m, as the sentence says).
    """

    line: int
    kind: str
    sentence: str
    value: float = 0.0


@dataclass(frozen=True, slots=True)
class Failure:
    """A target or a path that the robot cannot reach, by `distance` m and `angle` rad.

    `kind`: "target", "path" (reachable ends, but not all between them), "limit" (a joint target
    beyond its limits, `angle` rad or m too far), "circle" (points that make no circle).
    """

    line: int
    kind: str
    name: str
    sentence: str
    distance: float = 0.0
    angle: float = 0.0


@dataclass(frozen=True, slots=True)
class PlannedSignal:
    """The output `name` becomes `value` at `time` (s)."""

    time: float
    name: str
    value: float | bool
    line: int


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The planned program: one entry a sample in `lines`, `move`, `payloads` and `poses`.

    `lines` (N,) is the program line of each sample, `move` (N,) its place in `moves`, `poses`
    (N, 4, 4) the programmed tool frame in the robot's base.
    """

    trajectory: Trajectory
    lines: NDArray[np.intp]
    move: NDArray[np.intp]
    poses: Array
    payloads: tuple[Payload | None, ...]
    moves: tuple[PlannedMove, ...]
    notes: tuple[Note, ...]
    failures: tuple[Failure, ...]
    signals: tuple[PlannedSignal, ...] = ()

    @property
    def reachable(self) -> bool:
        """Whether every target and every path can be reached."""
        return not self.failures

    @property
    def duration(self) -> float:
        """The time of the program in s."""
        return float(self.trajectory.t[-1])

    def __repr__(self) -> str:
        bad = f", {len(self.failures)} failures" if self.failures else ""
        return f"Plan({len(self.moves)} moves in {self.duration:g} s{bad})"
