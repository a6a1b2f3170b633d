"""Whether the motors can do a motion, without the record: fast enough to try many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..motion.trajectory import Trajectory
from ..robot.model import Robot
from ..robot.payload import Payload
from ..simulation.achieve import cycles, prepared
from ..simulation.compiled import columns, parameter_rows

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """How a motion went: feasible or not, and the motors' torque peaks as parts of the limits."""

    feasible: bool
    use: Array
    rows: Array


@dataclass(frozen=True, eq=False)
class Motion:
    """A planned motion, to be tried at other speeds, with other loads and friction."""

    robot: Robot
    trajectory: Trajectory
    payloads: Sequence[Payload | None]
    wrench: tuple[float, ...] | None = None

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

        A part of a motion starts with the velocity that it has there.
        """
        dt = self.trajectory.dt
        points, rate = self._points(speed, first, last)
        q = self._course(points) if speed != 1.0 else self.trajectory.q[points.astype(int)]
        standing = round(rest / dt)
        if standing:
            q = np.vstack([q, np.repeat(q[-1:], standing, axis=0)])
        t = dt * np.arange(len(q))
        carried: list[Payload | None] = [None] * len(q)
        if self._loaded:
            nearest = np.minimum(np.ceil(points - 1e-9).astype(int), len(self.payloads) - 1)
            carried = [_scaled(self.payloads[k], load) for k in nearest]
            carried += carried[-1:] * standing
        given = Trajectory(t, q)
        planner, loads, held = prepared(
            self.robot, given, "consistent", follow, "virtual-work", self.wrench, carried,
            np.clip(q[0], *self._bounds), rate,
        )  # fmt: skip
        if friction != 1.0:
            values = dict(planner.values)
            for name in ("load_friction", "coulomb", "viscous"):
                values[name] = friction * values[name]
            planner.parameters = parameter_rows(values, dt, self.robot.n, 1)
        rows = cycles(planner, np.hstack([given.q, given.qd]), loads, held)[:, :, 0]
        found = columns(rows, self.robot.n, "consistent")
        good = not found["side"].any() and not found["clipped"].any()
        limit = np.where(found["limit"][1:] > 0, found["limit"][1:], np.inf)
        return Trial(good, (np.abs(found["torque"][1:]) / limit).max(axis=0), rows)

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
        return np.gradient(self.trajectory.q, axis=0)

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
        # a part goes on beyond its end as the course does: it need not stop there
        points = np.minimum(first + speed * np.arange(count + 1), len(self.trajectory) - 1)
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
