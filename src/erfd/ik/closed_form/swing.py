"""Joint 3 of crossing and parallel arms, solved first: its two solutions are the elbow's."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...dynamics.vectors import Scalar
from ...robot.pose import cos_sin
from .scalars import Scalars, rotated


@dataclass(frozen=True, slots=True)
class Swing:
    """The equation `size` cos(q3 + `at`) = wanted that fixes joint 3.

    `at` is (cos, sin) of an angle. Of a sliding joint it is q3 (q3 + 2 `shift`) = wanted.
    """

    size: float
    at: tuple[float, float]
    shift: float = 0.0

    def bend(self, f: Scalars, q3: Scalar, slides: bool) -> Scalar:
        """The sign of the elbow: above 0 on the branch that is called up."""
        if slides:
            return q3 + self.shift
        c, s = self.at
        return c * f.sin(q3) + s * f.cos(q3)

    def solve(self, f: Scalars, wanted: Scalar, up: Scalar) -> tuple[Scalar, Scalar]:
        """(cos, sin) of q3 with `size` cos(q3 + `at`) = wanted, or the nearest to it."""
        c = f.within(wanted / self.size, 1.0)
        s = up * f.sqrt((1.0 - c) * (1.0 + c))
        cos, sin = rotated(c, s, (self.at[0], -self.at[1]))
        return cos, sin


def angle_from(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """(cos, sin) of the angle from b to a, both in the plane."""
    return cos_sin(math.atan2(a[1], a[0]) - math.atan2(b[1], b[0]))
