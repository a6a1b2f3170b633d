"""A speed profile sampled in cycles, from rest to rest in no more cycles than it takes.

In the first cycle the velocity may rise as in any other: a motion that starts with s'' = a is at
a dt^2 after it, where the profile is after sqrt(2) dt. So the first sample is taken up to sqrt(2)
dt after the start of the profile, and the last but one before its end likewise; then one cycle at
rest ends the piece. What is left to whole cycles is spread over both. A piece that starts or ends
in motion is slowed a little in its middle instead.
"""

from __future__ import annotations

import math

import numpy as np

from ..ground.arrays import Array
from .speed_profile import SpeedProfile

FIRST = 1.4
"""The first sample is this many cycles after the start of the profile at most: below sqrt(2)."""
ONE_STEP = 1.96
"""A piece of this many cycles from rest to rest takes one step and a cycle at rest: below 2."""


def sample_times(profile: SpeedProfile, dt: float, extra: int = 0) -> Array:
    """The times of the profile at the ends of the cycles, from 0 to its end, (M + 1,), s.

    A piece that ends at rest has its last time twice. It is done `extra` cycles more slowly.
    """
    begins, ends = profile.x[0] == 0, profile.x[-1] == 0
    total = profile.seconds / dt
    longer = total + extra
    if begins and ends:
        steps = 1 if longer <= ONE_STEP else max(math.ceil(longer - 2 * FIRST - 1e-9) + 2, 2)
        first = (longer - (steps - 2)) / 2
    elif begins or ends:
        steps = max(math.ceil(longer - FIRST - 1e-9) + 1, 1)
        first = longer - (steps - 1) if begins else 1.0
    else:
        longer = max(math.ceil(longer - 1e-9), 1)
        steps, first = int(longer), 1.0
    times = np.concatenate([[0.0], first + np.arange(steps, dtype=np.float64)])
    times[-1] = longer
    times = times * (total / longer) if begins and ends else _slowed(times, total)
    times[-1] = total
    if ends:
        times = np.append(times, total)
    return np.asarray(times * dt)


def _slowed(times: Array, total: float) -> Array:
    """Times of the profile that go more slowly in the middle, so that they end with it."""
    whole = times[-1]
    part = times / whole
    return np.asarray(times - (whole - total) * (part - np.sin(2 * np.pi * part) / (2 * np.pi)))
