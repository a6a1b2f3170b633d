"""Whether the motors can do a motion, without the record: fast enough to try many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..achieve.achievable import cycles
from ..achieve.achiever import Achiever, per_point
from ..achieve.compiled_loop import columns
from ..drives.parameters import parameter_rows
from ..planning.trajectory import Trajectory
from ..robot.model import Robot
from ..robot.payload import Payload

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """How a motion went: rows as in `simulation.cycle`, (N, ..), of an arm with n joints."""

    rows: Array
    n: int

    @property
    def feasible(self) -> bool:
        """Whether no motor saturated and no limit bent the motion."""
        found = columns(self.rows, self.n, "consistent")
        return not found["side"].any() and not found["clipped"].any()

    @property
    def use(self) -> Array:
        """The motors' torque peaks as parts of their limits, (n,)."""
        found = columns(self.rows[1:], self.n, "consistent")
        limit = np.where(found["limit"] > 0, found["limit"], np.inf)
        return np.asarray((np.abs(found["torque"]) / limit).max(axis=0))


@dataclass(frozen=True, eq=False)
class TrialMotion:
    """A planned motion, to be tried at other speeds, with other loads and friction.

    `stops` are the points where it stands. What the trials share is worked out once: there are a
    hundred of them in an advice.
    """

    robot: Robot
    trajectory: Trajectory
    payloads: Sequence[Payload | None]
    wrench: tuple[float, ...] | None = None
    stops: frozenset[int] = frozenset()

    def try_it(
        self,
        *,
        speed: float = 1.0,
        first: int = 0,
        last: int | None = None,
        friction: float = 1.0,
        load: float = 1.0,
        follow: str = "velocity",
        rest: float = 0.0,
    ) -> Trial:
        """Try the points `first` to `last`, all `speed` times as fast; then `rest` s of standing.

        A part of a motion starts with the velocity that it has there, and from rest at a stop.
        """
        dt = self.trajectory.dt
        points, rate = self._points(speed, first, last)
        q = self._course(points) if speed != 1.0 else self.trajectory.q[points.astype(int)]
        standing = round(rest / dt)
        if standing:
            q = np.vstack([q, np.repeat(q[-1:], standing, axis=0)])
        carried: list[Payload | None] = [None] * len(q)
        if self._loaded:
            nearest = np.minimum(np.ceil(points - 1e-9).astype(int), len(self.payloads) - 1)
            carried = [_scaled(self.payloads[k], load) for k in nearest]
            carried += carried[-1:] * standing
        asked = np.zeros((len(q), 2 * self.robot.n))
        asked[:, : self.robot.n] = q
        asked[1:, self.robot.n :] = np.diff(q, axis=0) / dt
        planner = self._planner(follow, friction)
        planner.restart(np.clip(q[0], *self._bounds), rate)
        loads = per_point("wrench", self.wrench, len(q))
        return Trial(cycles(planner, asked, loads, carried)[:, :, 0], self.robot.n)

    def _planner(self, follow: str, friction: float) -> Achiever:
        """Algorithm 1 for these trials, made once."""
        if (follow, friction) not in self._planners:
            q0 = np.clip(self.trajectory.q[0], *self._bounds)
            made = Achiever(self.robot, self.trajectory.dt, follow=follow, q0=q0)
            values = dict(made.values)
            for name in ("load_friction", "coulomb", "viscous"):
                values[name] = friction * values[name]
            made.parameters = parameter_rows(values, made.dt, self.robot.n, 1)
            self._planners[follow, friction] = made
        return self._planners[follow, friction]

    @cached_property
    def _planners(self) -> dict[tuple[str, float], Achiever]:
        return {}

    @cached_property
    def _loaded(self) -> bool:
        return set(self.payloads) != {None}

    @cached_property
    def _bounds(self) -> tuple[Array, Array]:
        joints = self.robot.joints
        low = np.array([j.position_min for j in joints])
        return low, np.array([j.position_max for j in joints])

    @cached_property
    def _slopes(self) -> Array:
        slopes = np.gradient(self.trajectory.q, axis=0)
        slopes[list(self.stops)] = 0.0  # neither the end of one move nor the start of the next
        return slopes

    def _course(self, points: Array) -> Array:
        """Positions between the samples, (points, n): cubic, with the slopes of the neighbours."""
        q, slopes = self.trajectory.q, self._slopes
        k = np.minimum(points.astype(int), len(q) - 2)
        s = (points - k)[:, None]
        a, b, v, w = q[k], q[k + 1], slopes[k], slopes[k + 1]
        jump = b - a
        return np.asarray(a + s * (v + s * (3 * jump - 2 * v - w + s * (v + w - 2 * jump))))

    def _points(self, speed: float, first: int, last: int | None) -> tuple[Array, Array]:
        """Where the samples lie on the course, and the velocity at the start."""
        end = len(self.trajectory) - 1 if last is None else last
        count = max(int(np.ceil((end - first) / speed - 1e-9)), 1)
        # a part goes on beyond its end as the course does, unless that stops there
        bound = end if end in self.stops else len(self.trajectory) - 1
        points = np.minimum(first + speed * np.arange(count + 1), bound)
        if first in self.stops:
            return points, np.zeros(self.robot.n)
        if first == 0:
            return points, speed * self.trajectory.qd[0]
        if speed == 1.0:
            return points, self.trajectory.qd[first]
        before = self._course(np.array([max(first - speed, 0.0), float(first)]))
        return points, (before[1] - before[0]) / self.trajectory.dt


def _scaled(payload: Payload | None, factor: float) -> Payload | None:
    if payload is None or factor == 1.0:
        return payload
    inertia = tuple(tuple(factor * x for x in row) for row in payload.inertia)
    return replace(payload, mass=factor * payload.mass, inertia=inertia)  # type: ignore[arg-type]
