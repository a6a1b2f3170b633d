"""Courses cut into segments with limits of their own: speed, acceleration, how far the path bends.

Where a path bends its speed takes a part of the acceleration, v^2 times the bend, and only the rest
is left for ramps. Bent parts are cut so finely that both hardly change within a segment.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...ground.arrays import Array
from .corner import Corner
from .course import Course, CoursePiece

FINE = math.radians(0.5)
"""rad of an arc in one segment."""
FEWEST, MOST = 16, 2000
"""Segments of one arc."""
SLIGHT = 0.03
"""A bend that takes a smaller part of the acceleration leaves 99.95 % of it: not worth cutting."""
BETWEEN = 1.01
"""In corners next to arcs the sharpest place may be between two that are looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """Segments of a course one after another, each with its limits, all (N,).

    `length` in m (rad on the spot), `speed` and `acc` along the path, `total` what the whole vector
    of acceleration may be, `bend` in 1/m, and `pass_speed`, how fast its end may be passed.
    """

    length: Array
    speed: Array
    acc: Array
    total: Array
    bend: Array
    pass_speed: Array

    @property
    def ends(self) -> Array:
        """The course's length at the end of each segment."""
        return np.cumsum(self.length)


def segments(course: Course) -> Segments:
    """The segments of a course."""
    rows = [np.broadcast_arrays(*row) for row in _rows(course)]
    length, speed, acc, total, bend = (np.concatenate(c) for c in zip(*rows, strict=True))
    return Segments(length, speed, acc, total, bend, np.full(len(length), math.inf))


def _rows(course: Course) -> Iterator[tuple[Array, ...]]:
    """The columns of each piece: length, speed, acc, total, bend."""
    for piece in course.pieces:
        if piece.length > 0:
            length, bend = _cut(course, piece)
            used = bend.max(initial=0.0) * piece.speed**2
            acc = piece.acc
            if used <= SLIGHT * piece.total:
                length, bend = np.array([piece.length]), np.zeros(1)
                if used > 0:
                    acc = min(acc, math.sqrt(piece.total**2 - used**2))
            yield length, np.array(piece.speed), np.array(acc), np.array(piece.total), bend


def _cut(course: Course, piece: CoursePiece) -> tuple[Array, Array]:
    """Lengths and largest bends of the segments of a piece."""
    if piece.corner is not None:
        return np.diff(piece.corner.knots), corner_bends(piece.corner)
    curve = course.stretches[piece.index].curve
    if not curve.bend:
        return np.array([piece.length]), np.zeros(1)
    count = min(max(math.ceil(curve.bend * piece.length / FINE), FEWEST), MOST)
    return np.full(count, piece.length / count), np.full(count, curve.bend)


def corner_bends(corner: Corner) -> Array:
    """The largest bend (1/m) in each panel of a rounded corner."""
    u = np.linspace(0.0, 1.0, 4 * (len(corner.knots) - 1) + 1)
    bends = corner.bend(u)
    if corner.before.bend or corner.after.bend:
        bends = BETWEEN * bends
    return np.asarray(np.max([bends[k : len(bends) - 4 + k : 4] for k in range(5)], axis=0))
