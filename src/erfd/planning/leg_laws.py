"""The time of a chain of legs: the law of each, and for how long neighbours run at once."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..ground.arrays import Array
from ..robot.model import Robot
from .adapted_law import Slowing, adapted_law
from .axis_path import AxisPath, axis_path, used
from .legs import Leg, PathLeg, PtpLeg
from .path_law import jerk_path_law, path_law
from .profile import TimeLaw
from .ptp import Axes, ease, overlap, time_law


@dataclass(frozen=True, slots=True, eq=False)
class TimedLeg:
    """A leg in the time of its chain (s): when it begins, what it shares with its neighbours.

    `slowings` tells of each move of a path that was fitted to the axes; else it is empty.
    """

    leg: Leg
    law: TimeLaw
    begin: float
    shared_before: float
    shared_after: float
    slowings: tuple[Slowing, ...]

    @property
    def end(self) -> float:
        """When it ends."""
        return self.begin + self.law.duration


@dataclass(frozen=True, slots=True, eq=False)
class _LegLaw:
    """The law of a leg; of a path that was fitted to the axes, also what it asks of them."""

    leg: Leg
    law: TimeLaw
    path: AxisPath | None = None
    slowings: tuple[Slowing, ...] = ()

    def rates(self, t: Array) -> tuple[Array, Array]:
        """Velocities and accelerations of the axes (N, n) at times t (N,) of the law."""
        v, a = self.law.rate(t), self.law.acceleration(t)
        if isinstance(self.leg, PtpLeg):
            return np.outer(v, self.leg.travel), np.outer(a, self.leg.travel)
        assert self.path is not None
        return self.path.rates(self.law.at(t), v, a)


def timed_legs(robot: Robot, legs: list[Leg], *, adapt: bool) -> list[TimedLeg]:
    """Each leg with its law and its time; `adapt` fits paths to the limits of the axes."""
    axes = Axes.of(robot)
    factors = [1.0, *(_ease(axes, before, after) for before, after in pairwise(legs)), 1.0]
    laws = [
        _LegLaw(leg, time_law(leg.pace, factors[i], factors[i + 1]))
        if isinstance(leg, PtpLeg)
        else _path_law(robot, axes, leg, adapt=adapt)
        for i, leg in enumerate(legs)
    ]
    shares = [0.0, *(_shared(axes, before, after) for before, after in pairwise(laws)), 0.0]
    chain, begin = [], 0.0
    for i, own in enumerate(laws):
        begin -= shares[i]
        chain.append(TimedLeg(own.leg, own.law, begin, shares[i], shares[i + 1], own.slowings))
        begin += own.law.duration
    return chain


def _path_law(robot: Robot, axes: Axes, leg: PathLeg, *, adapt: bool) -> _LegLaw:
    """The law of path moves, within the limits of the axes if it is to be adapted."""
    cut = leg.segments(robot.cycle_time)
    jerk = min((move.jerk for move in leg.moves if move.jerk is not None), default=None)
    free = path_law(cut) if jerk is None else jerk_path_law(cut, jerk)
    if not adapt:
        return _LegLaw(leg, free)
    path = axis_path(leg.course, cut, lambda lengths: leg.at(robot, lengths).q)
    span = 0.0 if jerk is None else 2 * float(cut.acc.max()) / jerk
    law, slowings = adapted_law(axes, path, free, robot.cycle_time, span)
    return _LegLaw(leg, law, path, tuple(slowings))


def _ease(axes: Axes, before: Leg, after: Leg) -> float:
    """By what factor the ramps between two legs must be gentler."""
    if isinstance(before, PathLeg) or isinstance(after, PathLeg):
        return 1.0
    share = max(before.moves[-1].acc_ptp, after.moves[0].acc_ptp)
    return ease(axes, (before.travel, after.travel), (before.pace, after.pace), share)


def _shared(axes: Axes, before: _LegLaw, after: _LegLaw) -> float:
    """For how long (s) two legs run at once."""
    if isinstance(before.leg, PtpLeg) and isinstance(after.leg, PtpLeg):
        return overlap(axes, (before.leg.travel, after.leg.travel), (before.law, after.law))
    shared = min(before.law.fall, after.law.rise)
    if before.path is None and after.path is None:
        return shared
    for _ in range(20):  # as long as the axes can do both
        t = np.linspace(0.0, shared, 100)
        first, second = before.rates(before.law.duration - shared + t), after.rates(t)
        qd, qdd = first[0] + second[0], first[1] + second[1]
        if used(axes, qd, qdd).max() <= 1.0:
            return shared
        shared *= 0.8
    return 0.0
