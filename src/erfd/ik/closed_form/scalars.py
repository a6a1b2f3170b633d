"""The functions that inverse kinematics needs beside + - * /, for NumPy's scalars and arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dynamics.vectors import Scalar, minus, plus, times

LOOSE = 1e-11
"""Closer to a singularity than this a joint is free: q1 with the wrist centre that near axis 1 (m),
q4 with such a sine of the angle between axes 4 and 6 (only its sum with q6 counts)."""


class Scalars:
    """The functions for NumPy scalars and arrays; other kinds of scalars have a subclass."""

    sin: Any = staticmethod(np.sin)
    cos: Any = staticmethod(np.cos)
    sqrt: Any = staticmethod(np.sqrt)
    atan2: Any = staticmethod(np.arctan2)
    larger: Any = staticmethod(np.maximum)
    smaller: Any = staticmethod(np.minimum)

    def positive(self, x: Scalar) -> Scalar:
        """`x`, or 0 where it is negative."""
        return self.larger(x, 0.0)

    def within(self, x: Scalar, size: float) -> Scalar:
        """`x` limited to between -size and size."""
        return self.smaller(self.larger(x, -size), size)

    def unit(
        self, c: Scalar, s: Scalar, free: Scalar, other_c: Scalar, other_s: Scalar
    ) -> tuple[Scalar, Scalar]:
        """(c, s) at length 1; the other pair where the direction is free."""
        length = np.sqrt(c * c + s * s)
        free = free | (length == 0)
        if not np.any(free):
            return c / length, s / length
        length = np.where(free, 1.0, length)
        return np.where(free, other_c, c / length), np.where(free, other_s, s / length)


NUMPY = Scalars()


def rotated(x: Scalar, y: Scalar, by: tuple[Scalar, Scalar]) -> tuple[Scalar, Scalar]:
    """The plane vector (x, y) turned by the angle of (cos, sin)."""
    c, s = by
    return minus(times(c, x), times(s, y)), plus(times(s, x), times(c, y))
