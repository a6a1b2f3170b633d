"""The result of planning: a joint trajectory with its program lines, notes and failures."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..ground.arrays import Array
from ..robot.payload import Payload
from ..robot.pose import Pose
from .trajectory import Trajectory

MOST_PARTS = 10_000
"""Parts of a cycle: from the longest cycle time to the shortest step."""


@dataclass(frozen=True, slots=True)
class PlannedMove:
    """One move (or pause, kind "wait") as planned; m, rad, s.

    `length` is that of the programmed path (ptp: of the tool point), `radius` and `angle` those of
    an arc, `corner` the angle between this path and the next one, `blend` what was done at the
    end: "stop", "c_ptp", "c_speed" or "c_cp", with the corner rounded within `reach`. `peak_speed`
    is that of the tool point, `turn` the angle of the tool between start and end. `limit` names
    what makes a ptp move no faster, or what a path move was slowed for (`adapt`), to the part
    `slowed` of its speed where that is least.
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
    slowed: float = 1.0


@dataclass(frozen=True, slots=True)
class Note:
    """Something that a programmer should know; the motion is planned all the same.

    `kind`: "start", "corner" (a velocity step, `value` in m/s), "stop" (a corner, rad), "rounding"
    (m), "blend", "orientation" (rad), "path" (a circle that is none), "no motion", "limits",
    "config", "turn" (rad), "redundancy" (how many joints are spare), "singularity" (rad or m, as
    the sentence says), "slowed" (the part of its speed that is left), "too fast" (the part of a
    limit that no speed keeps).
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
    (N, 4, 4) the programmed tool frame in the robot's base, `tools` the tool of each move.
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
    tools: tuple[Pose, ...] = ()

    @property
    def reachable(self) -> bool:
        """Whether every target and every path can be reached."""
        return not self.failures

    @property
    def duration(self) -> float:
        """The time of the program in s."""
        return float(self.trajectory.t[-1])

    def refined(self, parts: int) -> Plan:
        """The plan in steps of a part of its cycle, as drives fill in a controller's samples.

        Between two samples the velocity goes evenly from that of one to that of the other: a step
        of velocity takes one cycle of the controller, however small the steps, and accelerations
        are the same for any `parts`. The motion is late by at most half a cycle; where it ends
        with a velocity, one more cycle brings it to rest, exactly at the last position. A sample
        has line, move and payload of the controller's cycle that it is in.

        Args:
            parts: How many steps a cycle has, 1 to 10,000; 1 is the plan itself, but for the
                cycle that brings it to rest.

        >>> import erfd
        >>> from erfd.planning.moves import JointTarget, Move
        >>> made = erfd.plan(erfd.load("lola15"), [Move("ptp", (JointTarget((1.0,)),), line=1)])
        >>> made.refined(10).trajectory.dt
        0.001
        """
        if isinstance(parts, bool) or not isinstance(parts, int) or not 1 <= parts <= MOST_PARTS:
            raise InputError(
                f"parts: expected a whole number from 1 to {MOST_PARTS}, found {parts!r}"
            )
        given = self.trajectory
        late = int(given.qd[-1].any())  # cycles that come behind the last one
        if parts == 1 and not late:
            return self
        if parts == 1:
            return self._brought_to_rest()
        cycles = len(given) - 1 + late
        steps = np.zeros((cycles + 1, given.n))  # of each cycle, and that of the first point
        steps[: len(given)] = given.qd * given.dt
        x = np.arange(1, parts + 1) / parts
        ahead = x * (x + 1 / parts) / 2
        behind = x - ahead - (1 - 1 / parts) / 2
        here = given.q[np.minimum(np.arange(cycles), len(given) - 1)]
        rates = np.append(given.qd, np.zeros((late, given.n)), axis=0)
        q = _filled(here, steps[:-1], steps[1:], behind, ahead)
        qd = _filled(rates[:-1], 0 * steps[1:], np.diff(rates, axis=0), behind, x)
        if late:
            q[-1] = given.q[-1]
        cycle = np.minimum(np.arange(1, cycles + 1), len(given) - 1)  # that a step is in
        own = np.concatenate([[0], np.repeat(cycle, parts)])
        t = np.arange(cycles * parts + 1) * (given.dt / parts)
        ends, moves = (self.duration - 1e-9, float(t[-1])), self.moves
        return replace(
            self,
            trajectory=Trajectory(t, np.vstack([given.q[:1], q]), np.vstack([given.qd[:1], qd])),
            lines=self.lines[own],
            move=self.move[own],
            poses=self._filled_poses(own, behind, ahead),
            payloads=tuple(self.payloads[k] for k in own.tolist()),
            moves=tuple(_until(move, *ends) for move in moves) if late else moves,
        )

    def _brought_to_rest(self) -> Plan:
        """The plan with a cycle behind it in which it stands."""
        given = self.trajectory
        own = np.append(np.arange(len(given)), len(given) - 1)
        t = np.append(given.t, given.t[-1] + given.dt)
        qd = np.vstack([given.qd, np.zeros((1, given.n))])
        ends = self.duration - 1e-9, float(t[-1])
        return replace(
            self,
            trajectory=Trajectory(t, given.q[own], qd),
            lines=self.lines[own],
            move=self.move[own],
            poses=self.poses[own],
            payloads=tuple(self.payloads[k] for k in own.tolist()),
            moves=tuple(_until(move, *ends) for move in self.moves),
        )

    def _filled_poses(self, own: NDArray[np.intp], behind: Array, ahead: Array) -> Array:
        """The tool frames between the samples, averaged as joint positions are."""
        parts = len(behind)
        cycle = own[1::parts]
        last = len(self.poses) - 1
        before = np.arange(len(cycle))
        here = np.minimum(before, last)
        steps = np.zeros((len(cycle) + 1, 4, 4))
        steps[1 : last + 1] = np.diff(self.poses, axis=0)
        base = self.poses[here].copy()
        if self.tools:  # frames of another tool are not averaged with these
            owner = {tool: k for k, tool in enumerate(dict.fromkeys(self.tools))}
            tool = np.array([owner[t] for t in self.tools])[self.move]
            changes = np.flatnonzero(np.diff(tool)) + 1
            steps[changes] = 0.0
            base[changes - 1] = self.poses[changes]
        poses = _filled(base, steps[:-1], steps[1:], behind, ahead)
        r = poses[:, :3, :3]
        for _ in range(3):  # back to rotations: the error is squared each time
            r = 1.5 * r - 0.5 * r @ np.swapaxes(r, 1, 2) @ r
        poses[:, :3, :3] = r
        return np.concatenate([self.poses[:1], poses])

    def __repr__(self) -> str:
        bad = f", {len(self.failures)} failures" if self.failures else ""
        return f"Plan({len(self.moves)} moves in {self.duration:g} s{bad})"


def _filled(here: Array, before: Array, after: Array, behind: Array, ahead: Array) -> Array:
    """here + behind * before + ahead * after: rows (N, ...) become N parts rows, part by part."""
    shape = (1, len(ahead), *[1] * (here.ndim - 1))
    rows = here[:, None] + behind.reshape(shape) * before[:, None]
    rows = rows + ahead.reshape(shape) * after[:, None]
    return np.asarray(rows.reshape(-1, *here.shape[1:]))


def _until(move: PlannedMove, last: float, end: float) -> PlannedMove:
    """The move, which lasts until `end` if it has lasted until `last`, s."""
    if move.end < last:
        return move
    return replace(move, start=end if move.start >= last else move.start, end=end)
