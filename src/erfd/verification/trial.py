"""Try a motion with Algorithm 1 without its record, fast enough for many trials."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..achieve.achievable import cycles, given_rows
from ..achieve.achiever import Achiever
from ..achieve.compiled_loop import columns
from ..achieve.loads import Loads
from ..achieve.record import record
from ..drives.parameters import parameter_rows
from ..ground.arrays import Array
from ..planning.trajectory import Trajectory
from ..robot.limits import JointLimits
from ..robot.model import Robot
from ..robot.payload import Payload
from ..run.events import OVER, programmed_accelerations
from .continuous import LoadRow, continuous_load, has_limits

PIECE = 500
"""Cycles after which a trial that may end early looks whether it has failed."""


class TimeIsUpError(Exception):
    """There is no time for more trials."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """The time until which trials are made; `at` is that of `time.monotonic`, s."""

    at: float = math.inf

    @property
    def over(self) -> bool:
        """Whether no time is left."""
        return time.monotonic() > self.at

    def check(self) -> None:
        """Raise a `TimeIsUpError` if no time is left."""
        if self.over:
            raise TimeIsUpError


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """The result of a trial: rows as in `achieve.cycle`, (N, ..), of an arm with n joints.

    `whole` says whether it came to its end, `asked_too_much` whether the given motion has joint
    accelerations beyond their limits where that counts, `loads` are the continuous loads beyond
    their limits, of those that were judged, the worst first.
    """

    rows: Array
    n: int
    whole: bool = True
    asked_too_much: bool = False
    loads: tuple[LoadRow, ...] = ()

    @property
    def feasible(self) -> bool:
        """Whether no motor saturated, no limit bent the motion, and no load is beyond its limit."""
        if self.asked_too_much or not self.whole or self.loads:
            return False
        values = columns(self.rows, self.n, "consistent")
        return not values["side"].any() and not values["clipped"].any()

    @property
    def why(self) -> str:
        """What makes it infeasible, in a few words; empty if nothing does."""
        if not self.whole:
            return "the arm runs away"
        values = columns(self.rows, self.n, "consistent")
        if values["side"].any():
            return f"motor {int(np.abs(values['side']).sum(axis=0).argmax()) + 1} is short"
        if values["clipped"].any():
            joint = int((values["clipped"] != 0).sum(axis=0).argmax()) + 1
            return f"joint {joint} meets a limit of speed or position"
        if self.asked_too_much:
            return "accelerations are beyond their limits"
        return str(self.loads[0]) if self.loads else ""

    @property
    def use(self) -> Array:
        """The motors' torque peaks as parts of their limits, (n,)."""
        values = columns(self.rows[1:], self.n, "consistent")
        limit = np.where(values["limit"] > 0, values["limit"], np.inf)
        return np.asarray((np.abs(values["torque"]) / limit).max(axis=0))


@dataclass(frozen=True, eq=False)
class TrialMotion:
    """A planned motion, to be tried at other speeds, with other loads and friction.

    `stops` are the points where it stands; `strict`: joint acceleration limits count; `pause` is
    the time in s between two rounds, for the continuous load; the policy is the consistent one.
    What the trials share is worked out once: there are a hundred of them in an advice.
    """

    robot: Robot
    trajectory: Trajectory
    payloads: Sequence[Payload | None]
    wrench: tuple[float, ...] | None = None
    stops: frozenset[int] = frozenset()
    strict: bool = False
    deadline: Deadline = Deadline()
    pause: float = 0.0
    torque_path: str = "virtual-work"

    def run_trial(
        self,
        *,
        speed: float = 1.0,
        first: int = 0,
        last: int | None = None,
        friction: float = 1.0,
        load: float = 1.0,
        follow: str = "velocity",
        rest: float = 0.0,
        early: bool = False,
        judged: Collection[str] = (),
    ) -> Trial:
        """Try the points `first` to `last`, all `speed` times as fast; then `rest` s of standing.

        A part of a motion starts with the velocity that it has there, and from rest at a stop. If
        only its feasibility is of interest, a trial may end `early`, with what fails first.
        `judged` are the quantities of the continuous load that count (`continuous.PHRASES`).

        Raises:
            TimeIsUpError: No time is left for trials.
        """
        self.deadline.check()
        dt = self.trajectory.dt
        points, rate = self._points(speed, first, last)
        q = self._course(points) if speed != 1.0 else self.trajectory.q[points.astype(int)]
        standing = round(rest / dt)
        if standing:
            q = np.vstack([q, np.repeat(q[-1:], standing, axis=0)])
        payloads: list[Payload | None] = [None] * len(q)
        if self._loaded:
            nearest = np.minimum(np.ceil(points - 1e-9).astype(int), len(self.payloads) - 1)
            payloads = [_scaled(self.payloads[k], load) for k in nearest]
            payloads += payloads[-1:] * standing
        qd = np.vstack([rate, np.diff(q, axis=0) / dt])
        given = given_rows(q, qd)
        too_much = self.strict and self._asks_too_much(qd)
        achiever = self._achiever(follow, friction)
        limits, n = JointLimits.of(self.robot), self.robot.n
        state = np.concatenate([q[0], rate])
        pieces = []
        size = PIECE if early else len(q)
        for begin in range(0, max(len(q) - 1, 1), size):
            end = min(begin + size + 1, len(q))
            achiever.restart(np.clip(state[:n], limits.lower, limits.upper), state[n:])
            loads = Loads.of(end - begin, self.wrench, payloads[begin:end])
            rows = cycles(achiever, given[begin:end], loads)[:, :, 0]
            pieces.append(rows if begin == 0 else rows[1:])
            whole = len(rows) == end - begin
            if not whole or (early and not Trial(rows, n).feasible):
                return Trial(np.concatenate(pieces), n, False, too_much)
            state = rows[-1, : 2 * n]
            self.deadline.check()
        trial = Trial(np.concatenate(pieces), n, True, too_much)
        if not judged or not has_limits(self.robot) or not trial.feasible:
            return trial
        times = Trajectory(dt * np.arange(len(q)), q)
        run = record(achiever, times, trial.rows, Loads.of(len(q), self.wrench, payloads))
        found = continuous_load(run, self.pause).failures
        self.deadline.check()
        return replace(trial, loads=tuple(r for r in found if r.quantity in judged))

    def at_speed(self, speed: float) -> tuple[Trajectory, list[int]]:
        """The motion so many times as fast, and the point whose payload each of its points has."""
        points, rate = self._points(speed, 0, None)
        q, dt = self._course(points), self.trajectory.dt
        qd = np.vstack([rate, np.diff(q, axis=0) / dt])
        nearest = np.minimum(np.ceil(points - 1e-9).astype(int), len(self.trajectory) - 1)
        return Trajectory(dt * np.arange(len(q)), q, qd), nearest.tolist()

    def _asks_too_much(self, qd: Array) -> bool:
        """Whether given velocities (N, n) have accelerations beyond the joints' limits."""
        asked = programmed_accelerations(qd, self.trajectory.dt, self.robot.cycle_time)
        return bool((np.abs(asked) > JointLimits.of(self.robot).acceleration * (1 + OVER)).any())

    def _achiever(self, follow: str, friction: float) -> Achiever:
        """The achiever of these trials, made once."""
        if (follow, friction) not in self._achievers:
            limits = JointLimits.of(self.robot)
            q0 = np.clip(self.trajectory.q[0], limits.lower, limits.upper)
            achiever = Achiever(
                self.robot, self.trajectory.dt, follow=follow, torque_path=self.torque_path, q0=q0
            )
            values = dict(achiever.values)
            for name in ("load_friction", "coulomb", "viscous"):
                values[name] = friction * values[name]
            achiever.parameters = parameter_rows(values, achiever.dt, self.robot.n, 1)
            self._achievers[follow, friction] = achiever
        return self._achievers[follow, friction]

    @cached_property
    def _achievers(self) -> dict[tuple[str, float], Achiever]:
        """The achievers by `follow` and friction, empty at first."""
        return {}

    @cached_property
    def _loaded(self) -> bool:
        """Whether there is a payload at some point."""
        return set(self.payloads) != {None}

    @cached_property
    def _slopes(self) -> Array:
        """The change of q per sample at every point, (N, n), 0 at stops."""
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
        """The samples on the course, in points, and the velocity at the start, (n,)."""
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
    """A payload with its mass and inertia times a factor."""
    if payload is None or factor == 1.0:
        return payload
    inertia = tuple(tuple(factor * x for x in row) for row in payload.inertia)
    return replace(payload, mass=factor * payload.mass, inertia=inertia)  # type: ignore[arg-type]
