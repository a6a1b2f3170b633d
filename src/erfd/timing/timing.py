"""`Timing`, the result of `fastest`: a motion, its time, and what every part of it is lost to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..achieve.achievable import achievable
from ..errors import InputError
from ..ground.arrays import Array
from ..ground.drawn_by import painter
from ..planning.trajectory import Trajectory
from ..robot.model import Robot
from ..robot.payload import Payload
from ..run.run import Run
from .binding import FREE, binding, shares_of
from .cells import PROGRAMMED, Bounds, cells_of, slowed
from .coefficients import PathLoads
from .joint_path import SplinedPath
from .reserve import Reserve
from .rounds import TimedPiece
from .solve import fastest_profile

RAISED = 1.1
"""Savings are those of a limit that is so many times as high."""


@dataclass(frozen=True, eq=False)
class Timing:
    """The fastest motion along a path.

    `trajectory` is the motion in cycles, from which Algorithm 1 takes nothing away; `path` what it
    follows. `pieces` has the parts between stops with their cells and profiles, `bounds` what was
    kept to, `loads` those of the points of the path; `wrench` and `payload` those of the cycles,
    `points` (N,) the point that each of them is on the way to;
    `programmed` the motion that it is nowhere faster than, if there is one.
    """

    robot: Robot
    trajectory: Trajectory
    path: SplinedPath
    pieces: tuple[TimedPiece, ...]
    bounds: Bounds
    loads: PathLoads
    wrench: Array | None
    payload: Payload | Sequence[Payload | None] | None
    points: NDArray[np.intp]
    programmed: Trajectory | None = None
    _savings: dict[str, float] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        path: SplinedPath,
        pieces: Sequence[TimedPiece],
        bounds: Bounds,
        loads: PathLoads,
        dt: float,
        programmed: Trajectory | None = None,
    ) -> Timing:
        """The timing of a path whose pieces are timed, checked with Algorithm 1."""
        q, qd0, points = _samples(path, pieces, dt)
        qd = np.vstack([qd0, np.diff(q, axis=0) / dt])
        trajectory = Trajectory(dt * np.arange(len(q)), q, qd)
        own = loads.at(points) if loads.changing else loads
        timing = cls(
            bounds.robot,
            trajectory,
            path,
            tuple(pieces),
            bounds,
            loads,
            own.wrench,
            own.payloads,
            points,
            programmed,
        )
        timing._check()
        return timing

    def _check(self) -> None:
        """Look whether Algorithm 1 leaves the motion as it is: it is the judge of that."""
        wrong = [e for e in self.run.events if e.fails]
        if wrong:
            raise InputError(
                f"dt: expected cycles short enough for the path, found {self.trajectory.dt:g} s, in"
                f" which {wrong[0]}"
            )

    @property
    def seconds(self) -> float:
        """How long the motion takes, s."""
        return float(self.trajectory.t[-1])

    @property
    def ideal_seconds(self) -> float:
        """How long it would take without cycles: sampled infinitely often, s."""
        return sum(piece.ideal.seconds for piece in self.pieces) + sum(self.path.pauses)

    @cached_property
    def s(self) -> Array:
        """The places of the grid, (G,), rad (m) of joint space; stops are there twice."""
        return np.concatenate([piece.profile.s for piece in self.pieces])

    @cached_property
    def sd(self) -> Array:
        """s' on the grid, (G,), rad/s (m/s)."""
        return np.concatenate([piece.profile.speed for piece in self.pieces])

    @cached_property
    def sdd(self) -> Array:
        """s'' from each place on, (G,), rad/s2 (m/s2); at a stop that of before."""
        own = (piece.profile.acceleration for piece in self.pieces)
        return np.concatenate([np.append(u, u[-1]) for u in own])

    @cached_property
    def binding(self) -> tuple[str, ...]:
        """The limit that binds from each place on, (G,): "motor 2 torque", "" for none."""
        names: list[str] = []
        for piece in self.pieces:
            own, _ = binding(piece.cells, piece.profile, piece.reserve)
            names += [*own, own[-1]]
        return tuple(names)

    @cached_property
    def shares(self) -> dict[str, float]:
        """The part of the time (without waits) in which each limit binds; "" is that of none."""
        lasts = [np.append(np.diff(piece.profile.t), 0.0) for piece in self.pieces]
        return shares_of(list(self.binding), np.concatenate(lasts))

    def saving(self, limit: str) -> float:
        """The seconds that it would save if a limit were 10 % higher: the path is timed again.

        Args:
            limit: One of the names in `shares`.

        >>> import erfd
        >>> timing = erfd.fastest(erfd.load("two_link"), [[0.0, 0.0], [1.0, 0.5]])
        >>> timing.saving(next(iter(timing.shares))) > 0
        True
        """
        if limit not in self._raisable:
            names = ", ".join(self._raisable)
            raise InputError(f"limit: expected one of {names}, found {limit!r:.60}")
        if limit not in self._savings:
            bounds = self.bounds.raised(limit, RAISED)
            after = 0.0
            for piece in self.pieces:
                cells = cells_of(bounds, piece.piece, piece.cells.s, self.loads)
                if self.programmed is not None:
                    cells = slowed(cells, piece.piece, self.programmed)
                ends = piece.profile.x[0], piece.profile.x[-1]
                reserve = Reserve.none(cells)
                after += fastest_profile(cells, reserve, *(float(x) for x in ends)).seconds
            before = sum(piece.ideal.seconds for piece in self.pieces)
            # a higher limit costs no time: what is below 0 is of the grid
            self._savings[limit] = max(before - after, 0.0)
        return self._savings[limit]

    @property
    def _raisable(self) -> list[str]:
        """The limits that hold it back and could be higher."""
        return [name for name in self.shares if name not in (FREE, PROGRAMMED)]

    @cached_property
    def savings(self) -> dict[str, float]:
        """The seconds that each of the limits in `shares` costs: if it were 10 % higher."""
        found = {name: self.saving(name) for name in self._raisable}
        return dict(sorted(found.items(), key=lambda pair: -pair[1]))

    @cached_property
    def run(self) -> Run:
        """The motion as Algorithm 1 runs it."""
        return achievable(self.robot, self.trajectory, wrench=self.wrench, payload=self.payload)

    @cached_property
    def rms_torque(self) -> Array:
        """The RMS torque of the motors (n,) if the motion is repeated without a pause, N m."""
        return np.asarray(np.sqrt((self.run["u_a"][1:] ** 2).mean(axis=0)))

    @property
    def overloaded(self) -> tuple[int, ...]:
        """The motors (from 1) whose RMS torque is above their rated torque."""
        rated = np.array([drive.torque_rated for drive in self.robot.drives])
        return tuple((1 + np.flatnonzero(self.rms_torque > rated)).tolist())

    def explain(self) -> list[str]:
        """What the time is lost to, in sentences."""
        cycles, dt = len(self.trajectory) - 1, self.trajectory.dt
        stops = len(self.pieces) - 1
        halts = f", with {stops} stop{'s' if stops > 1 else ''}" if stops else ""
        sentences = [
            f"the path of {self.path.length:.4g} rad takes {self.seconds:.4g} s,"
            f" {cycles} cycles of {dt:g} s{halts}"
        ]
        if sum(self.path.pauses) > 0:
            sentences.append(f"waits are {sum(self.path.pauses):.4g} s of that")
        for name, share in self.shares.items():
            if name == FREE or share < 0.005:
                continue
            if name == PROGRAMMED:
                sentences.append(f"{name} is kept {100 * share:.3g} % of the time")
                continue
            gain = self.saving(name)
            sentences.append(
                f"{name} holds it back {100 * share:.3g} % of the time; 10 % more of it would save"
                f" {gain:.2g} s ({100 * gain / self.seconds:.2g} %)"
            )
        free = self.shares.get(FREE, 0.0)
        if free >= 0.005:
            sentences.append(f"no limit is quite reached {100 * free:.3g} % of the time")
        over = self.seconds - self.ideal_seconds
        sentences.append(f"cycles of {dt:g} s cost {over:.2g} s of that")
        for motor in self.overloaded:
            rated = self.robot.drives[motor - 1].torque_rated
            sentences.append(
                f"repeated without end it is too much for motor {motor}: RMS torque"
                f" {self.rms_torque[motor - 1]:.4g} N m, rated {rated:g} N m"
            )
        return sentences

    def plot(self) -> Any:
        """The plane of s and s' as a `matplotlib.figure.Figure`: the motion and its limits."""
        from .plane import plot_plane

        return plot_plane(self.pieces, self.binding)

    def __repr__(self) -> str:
        first = next((name for name in self.shares if name != FREE), "no limit")
        part = 100 * self.shares.get(first, 0.0)
        return f"Timing({self.seconds:g} s, {self.path.length:.4g} rad; {first} {part:.0f} %)"

    def _repr_html_(self) -> str:
        return str(painter("Timing")(self))


def _samples(
    path: SplinedPath, pieces: Sequence[TimedPiece], dt: float
) -> tuple[Array, Array, Any]:
    """Positions of all cycles, the velocity at the start, the points they are on the way to."""
    first = pieces[0]
    rows, points = [first.piece.curve(first.at[:1])], [first.piece.points[:1]]
    for pause, timed in zip(path.pauses, pieces, strict=False):
        held = np.zeros(round(pause / dt), dtype=np.intp)
        rows += [timed.piece.curve(timed.at[held]), timed.piece.curve(timed.at[1:])]
        points += [timed.piece.points[held], timed.piece.point_after(timed.at[1:])]
    held = np.full(round(path.pauses[-1] / dt), -1)
    last = pieces[-1]
    rows.append(last.piece.curve(last.at[held]))
    points.append(last.piece.points[held])
    qd0 = first.cells.start("first")[0] * np.sqrt(first.profile.x[0])
    return np.vstack(rows), qd0, np.concatenate(points)
