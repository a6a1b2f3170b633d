"""Rounded corners between two curves: both are run at once, one braking, the other starting.

Over u from 0 to 1 the curve before has reach (1 - u)^2 left to the corner and the curve after has
come reach u^2 away from it; their sum is a parabola between lines, leaves both curves along their
tangents, and never is farther from the corner than reach.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...ground.arrays import Array
from .curve import Curve

PANELS = 64  # pieces of u; the length of a corner of 175 deg is then good to 1e-12
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
_NODES, _WEIGHTS = (_NODES + 1) / 2, _WEIGHTS / 2  # over 0..1


@dataclass(frozen=True, slots=True, eq=False)
class Corner:
    """The rounded corner between the end of `before` and the start of `after`, by its length.

    `reach` (m) is the length that it takes from each curve, `knots` the length at u = k / PANELS.
    """

    before: Curve
    after: Curve
    reach: float
    knots: Array

    @classmethod
    def between(cls, before: Curve, after: Curve, reach: float) -> Corner:
        """Make the corner between two curves, rounded from `reach` m before it on."""
        return cls(before, after, reach, _lengths(before, after, reach, PANELS))

    def lengths(self, panels: int) -> Array:
        """The length at u = k / panels, (panels + 1,)."""
        return _lengths(self.before, self.after, self.reach, panels)

    @property
    def length(self) -> float:
        """The length of the rounded curve."""
        return float(self.knots[-1])

    @property
    def middle(self) -> float:
        """The length at u = 1/2, where one move passes into the next."""
        return float(self.knots[PANELS // 2])

    @property
    def slowest(self) -> float:
        """How much less than both curves together the corner advances where it is sharpest."""
        u = np.linspace(0.0, 1.0, 2 * PANELS + 1)
        slow = float(_speed(self.before, self.after, self.reach, u).min()) / (2 * self.reach)
        return 0.99 * slow  # between arcs the slowest place may be between two of these

    def parts(self, s: Array) -> tuple[Array, Array]:
        """Where both curves are when the corner's length is s: the length on each, (N,)."""
        u = self._parameter(s)
        return self.before.length - self.reach * (1 - u) ** 2, self.reach * u * u

    def point(self, s: Array) -> Array:
        """Points at s."""
        ending, starting = self.parts(s)
        return self.before.point(ending) + self.after.point(starting) - self.after.start

    def bend(self, u: Array) -> Array:
        """How far the corner bends (1/m) at u (N,): 1 / radius."""
        ending, starting = self.before.length - self.reach * (1 - u) ** 2, self.reach * u * u
        first, second = self.before.tangent(ending), self.after.tangent(starting)
        way = (1 - u)[:, None] * first + u[:, None] * second  # p' = 2 reach way
        turn = second - first  # p'' = 2 reach turn
        for curve, s, part in (
            (self.before, ending, (1 - u) ** 2),
            (self.after, starting, u * u),
        ):
            turn += (2 * self.reach * curve.bend * part)[:, None] * curve.normal(s)
        across = np.cross(way, turn)
        speed = np.einsum("ij,ij->i", way, way) ** 1.5
        return np.asarray(np.sqrt(np.einsum("ij,ij->i", across, across)) / (2 * self.reach * speed))

    def _parameter(self, s: Array) -> Array:
        """The u of length s, by Newton steps from the chord of its panel."""
        k = np.clip(np.searchsorted(self.knots, s, side="right") - 1, 0, PANELS - 1)
        wanted = np.clip(s - self.knots[k], 0.0, None)
        x = np.clip(wanted / (self.knots[k + 1] - self.knots[k]), 0.0, 1.0)  # part of the panel
        for _ in range(6):
            u = (k[:, None] + x[:, None] * np.append(_NODES, 1.0)) / PANELS
            speeds = _speed(self.before, self.after, self.reach, u.ravel()).reshape(u.shape)
            missing = wanted - x * (speeds[:, :-1] @ _WEIGHTS) / PANELS
            x = np.clip(x + missing * PANELS / speeds[:, -1], 0.0, 1.0)
            if np.abs(missing).max(initial=0.0) < 1e-9 * self.length:  # the step squares that
                break
        return np.asarray((k + x) / PANELS)


def _lengths(before: Curve, after: Curve, reach: float, panels: int) -> Array:
    """The length at u = k / panels, (panels + 1,)."""
    u = (np.arange(panels)[:, None] + _NODES) / panels
    speeds = _speed(before, after, reach, u.ravel()).reshape(u.shape)
    return np.concatenate([[0.0], np.cumsum(speeds @ _WEIGHTS / panels)])


def _speed(before: Curve, after: Curve, reach: float, u: Array) -> Array:
    """The length per unit of u."""
    ending = before.tangent(before.length - reach * (1 - u) ** 2)
    starting = after.tangent(reach * u * u)
    velocity = (1 - u)[:, None] * ending + u[:, None] * starting
    return np.asarray(2 * reach * np.sqrt(np.einsum("ij,ij->i", velocity, velocity)))
