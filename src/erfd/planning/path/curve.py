"""Curves that the tool point runs along: lines, arcs, turns on the spot, all by length.

The length s along a curve is in m (a turn on the spot: rad), points and tangents are (N, 3) in the
robot's base.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...ground.arrays import Array

SAME = 1e-9
"""Points closer than this (m) are one point."""

STRAIGHT = 1e-6
"""Three points whose sides meet at a sine below this lie on a line."""


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A line or an arc from `start` along the unit vector `direction`.

    It is bent by `bend` (1/m) towards the unit vector `inward`. A line has bend 0.
    Where the tool only turns `direction` is zero, too, and `length` is the angle.
    """

    start: Array
    direction: Array
    inward: Array
    bend: float
    length: float

    @property
    def radius(self) -> float:
        """The radius of an arc in m; 0 for a line."""
        return 1 / self.bend if self.bend else 0.0

    @property
    def angle(self) -> float:
        """The angle of an arc in rad; 0 for a line."""
        return self.bend * self.length

    @property
    def axis(self) -> Array:
        """The unit vector about which an arc turns."""
        return cross(self.direction, self.inward)

    @property
    def on_the_spot(self) -> bool:
        """Whether the point stays where it is."""
        return not self.direction.any()

    @property
    def end(self) -> Array:
        """The last point, (3,)."""
        return np.asarray(self.point(np.array([self.length]))[0])

    def point(self, s: Array) -> Array:
        """Points at s."""
        return points(s, self.start, self.direction, self.inward, self.bend)

    def tangent(self, s: Array) -> Array:
        """Unit tangents at s."""
        angle = self.bend * s
        return np.cos(angle)[:, None] * self.direction + np.sin(angle)[:, None] * self.inward

    def normal(self, s: Array) -> Array:
        """Unit vectors at s towards which the curve bends; zero for a line."""
        angle = self.bend * s
        return np.cos(angle)[:, None] * self.inward - np.sin(angle)[:, None] * self.direction


def points(s: Array, start: Array, direction: Array, inward: Array, bend: Array | float) -> Array:
    """Points (N, 3) at the lengths s (N,) of one curve, or of one each (rows).

    From the start, and without dividing by the bend: nothing is lost on a flat arc.
    """
    turns = bend * s / math.pi
    forward = s * np.sinc(turns)  # sin(bend s) / bend
    half = s * np.sinc(turns / 2)
    return start + forward[:, None] * direction + (bend * half * half / 2)[:, None] * inward


@dataclass(frozen=True, slots=True, eq=False)
class CurveTable:
    """Many curves at once: start, direction and inward (M, 3), bend (M,)."""

    start: Array
    direction: Array
    inward: Array
    bend: Array

    @classmethod
    def of(cls, curves: Sequence[Curve]) -> CurveTable:
        """The table of some curves."""
        return cls(
            np.array([curve.start for curve in curves]),
            np.array([curve.direction for curve in curves]),
            np.array([curve.inward for curve in curves]),
            np.array([curve.bend for curve in curves]),
        )

    def at(self, index: NDArray[np.intp], s: Array) -> Array:
        """Points (N, 3) at s[k] of curve index[k]."""
        columns = (self.start, self.direction, self.inward, self.bend)
        return points(s, *(column[index] for column in columns))


def line(start: Array, end: Array) -> Curve | None:
    """The line between two points, None if they are one."""
    chord = end - start
    length = math.sqrt(chord @ chord)
    return Curve(start, chord / length, np.zeros(3), 0.0, length) if length > SAME else None


def spot(place: Array, angle: float) -> Curve:
    """A turn of the tool by `angle` (rad), its point at rest."""
    return Curve(place, np.zeros(3), np.zeros(3), 0.0, angle)


def arc(start: Array, via: Array, end: Array) -> Curve | None:
    """The arc from start over via to end; None if the three points do not make a circle."""
    chord, side = end - start, via - start
    c, b = math.sqrt(chord @ chord), math.sqrt(side @ side)
    far = via - end
    if min(b, c, math.sqrt(far @ far)) <= SAME:
        return None
    normal = cross(side, chord)
    area = math.sqrt(normal @ normal)
    if area < STRAIGHT * b * c:
        return None
    normal = normal / area
    # the angle of the triangle at the end is half of the arc to via, that at the start the rest
    at_end = math.atan2(float(cross(far, chord) @ normal), -float(chord @ far))
    at_start = math.atan2(area, float(side @ chord))
    radius = b / (2 * math.sin(at_end))
    # the tangent is the chord to via, turned back by half of its arc
    chord_direction = side / b
    across = cross(normal, chord_direction)
    cosine, sine = math.cos(at_end), math.sin(at_end)
    direction, inward = (
        cosine * chord_direction - sine * across,
        sine * chord_direction + cosine * across,
    )
    return Curve(start, direction, inward, 1 / radius, radius * 2 * (at_end + at_start))


def cross(a: Array, b: Array) -> Array:
    """The product a x b of two vectors (3,); NumPy's own is slow for one."""
    (ax, ay, az), (bx, by, bz) = a.tolist(), b.tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def angle_between(a: Array, b: Array) -> float:
    """The angle between two unit vectors in rad, exact for small ones, too."""
    normal = cross(a, b)
    return math.atan2(math.sqrt(normal @ normal), float(a @ b))
