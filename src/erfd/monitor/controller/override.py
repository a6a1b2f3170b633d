"""Speed override: a smooth rate of path time, and joint positions at any path time.

Path time passes `rate` times as fast as the clock, 0 to 1. A new target is approached with bounded
rate acceleration and jerk, so that a robot that is slowed down or paused keeps to its path and
needs joint accelerations of at most  max|q''| + max|q'| `SLOPE`  (plus what jerk adds within a
cycle): no step of the velocity, whenever a command comes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...ground.arrays import Array

SLOPE, BEND = 2.0, 20.0
"""Largest change of the rate, 1/s, and of that, 1/s2: from full speed to rest in 0.6 s."""


class Override:
    """The rate of path time, 0 to 1; `step(dt)` moves it smoothly towards `target`."""

    def __init__(self, rate: float = 1.0):
        self.rate = self.target = rate
        self.slope = 0.0

    def set(self, target: float, *, at_once: bool = False) -> None:
        """Set a new target, 0 to 1; `at_once` only where the path rests."""
        self.target = min(1.0, max(0.0, target))
        if at_once:
            self.rate, self.slope = self.target, 0.0

    def step(self, dt: float) -> float:
        """The rate of the cycle of dt s that begins now."""
        gap = self.target - self.rate
        # the largest slope v with v + (v - unit) + (v - 2 unit) + ... <= |gap| / dt: ends in time
        unit = BEND * dt
        largest = unit * (math.sqrt(0.25 + 2 * abs(gap) / (unit * dt)) - 0.5)
        wanted = math.copysign(min(SLOPE, largest, abs(gap) / dt), gap)
        self.slope += min(unit, max(-unit, wanted - self.slope))
        rate = self.rate + self.slope * dt
        passed = (self.target - rate) * gap <= 0 and abs(self.slope) <= 2 * unit
        if passed or abs(gap) <= 1e-9:
            rate, self.slope = self.target, 0.0
        self.rate = min(1.0, max(0.0, rate))
        return self.rate


@dataclass(frozen=True, slots=True, eq=False)
class JointPath:
    """Joint positions q (N, n) every `dt` s of path time, interpolated smoothly in between.

    Between two samples a cubic with the central differences as slopes: at the samples it is exact,
    its velocity is continuous. At both ends the slope is that of the nearest step.
    """

    q: Array
    dt: float

    @property
    def end(self) -> float:
        """The last path time, in samples."""
        return float(len(self.q) - 1)

    def at(self, sample: float) -> Array:
        """Positions (n,) at a path time, counted in samples from 0 to `end`."""
        q = self.q
        sample = min(max(sample, 0.0), self.end)
        k = min(int(sample), len(q) - 2)
        x = sample - k
        if x == 0.0:
            return np.array(q[k])
        if x == 1.0:
            return np.array(q[k + 1])
        before, after = max(k - 1, 0), min(k + 2, len(q) - 1)
        m0 = (q[k + 1] - q[before]) / (k + 1 - before)
        m1 = (q[after] - q[k]) / (after - k)
        a, b = q[k], q[k + 1]
        return np.asarray(
            (1 + 2 * x) * (1 - x) ** 2 * a
            + x * (1 - x) ** 2 * m0
            + x * x * (3 - 2 * x) * b
            - x * x * (1 - x) * m1
        )
