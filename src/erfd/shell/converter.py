"""The digital-to-analog converter of the shell: its steps and its range."""

from __future__ import annotations

import numpy as np

from ..ground.arrays import Array

MOST_BITS = 32
USUAL_RANGE = 10.0
"""V (N m) that a converter reaches where the robot's file does not tell the motor's limit."""


def converted(values: Array, bits: int, span: Array) -> Array:
    """What a bipolar converter makes of values.

    It has 2**bits levels from -span to span less one step of 2 span / 2**bits, and gives the
    nearest.

    Args:
        values: What is asked for, (..., n), V (N m).
        bits: Its resolution; 0: the values pass as they are.
        span: Its range (n,), V (N m), above 0.

    Returns:
        What it gives, (..., n).

    >>> converted(np.array([1.0, 9.99, -12.0]), 3, np.full(3, 8.0)).tolist()
    [0.0, 6.0, -8.0]
    """
    if not bits:
        return values
    half = 2 ** (bits - 1)
    step = span / half
    return np.asarray(step * np.clip(np.rint(values / step), -half, half - 1))
