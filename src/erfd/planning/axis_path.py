"""What a path asks of the axes: how they move with its length, and what part of their limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..ground.arrays import Array, nearest
from .path.course import Course
from .path.segments import Segments
from .ptp import Axes

STEP = 0.002
"""m (rad on the spot) between the places that are looked at."""
FEWEST, MOST, CORNER = 40, 500, 256
"""Parts of half a stretch, and of a rounded corner."""
TURN = 0.02
"""rad (m) that an axis moves from one place to the next: where it is more, places are added."""
ROUNDS, MOST_PLACES = 8, 20_000
"""How often, and up to how many there are."""
FIRST = np.array([-25.0, 48.0, -36.0, 16.0, -3.0]) / 12
SECOND = np.array([35.0, -104.0, 114.0, -56.0, 11.0]) / 12
"""First and second derivative at the first of five even samples."""
LEAST = 1e-9
"""Shorter parts of a course are none."""


@dataclass(frozen=True, slots=True, eq=False)
class AxisPath:
    """The axes along a course, in N parts whose ends are the places `s` (N + 1,).

    `first` and `second` (2, N, n) are dq/ds and d2q/ds2 at the start and at the end of each part:
    from one piece of a course to the next they may jump. `index` (N,) is the stretch of a part,
    `limits` are those of the course in each part.
    """

    s: Array
    first: Array
    second: Array
    index: NDArray[np.intp]
    limits: Segments

    def rates(self, s: Array, v: Array, a: Array) -> tuple[Array, Array]:
        """Velocities and accelerations (M, n) of the axes at places s (M,), speeds and ramps."""
        k = np.clip(np.searchsorted(self.s, s, side="right") - 1, 0, len(self.index) - 1)
        x = np.clip((s - self.s[k]) / self.limits.length[k], 0.0, 1.0)[:, None]
        first = (1 - x) * self.first[0, k] + x * self.first[1, k]
        second = (1 - x) * self.second[0, k] + x * self.second[1, k]
        return first * v[:, None], first * a[:, None] + second * (v * v)[:, None]


def axis_path(course: Course, cut: Segments, joints: Callable[[Array], Array]) -> AxisPath:
    """The axes along a course; `joints` gives their positions (N, n) at rising lengths (N,)."""
    rows = list(_rows(course))
    for _ in range(ROUNDS):
        places = [row.places(course) for row in rows]
        s = np.append(np.concatenate([row[:-1] for row in places]), course.length)
        q = joints(s)
        ends = np.cumsum([0, *(len(row) - 1 for row in places)]).tolist()
        coarse = [np.abs(np.diff(q[a : b + 1], axis=0)).max() > TURN for a, b in pairwise(ends)]
        if not any(coarse) or len(s) > MOST_PLACES:
            break
        rows = [
            part
            for row, far in zip(rows, coarse, strict=True)
            for part in (row.finer() if far else [row])
        ]
    first, second = (np.empty((2, len(s) - 1, q.shape[1])) for _ in range(2))
    at = 0
    for row in places:
        own = slice(at, at + len(row) - 1)
        slope, bent = _derivatives(q[at : own.stop + 1], row)
        first[:, own], second[:, own] = (slope[:-1], slope[1:]), (bent[:-1], bent[1:])
        at = own.stop
    index = np.minimum(
        np.searchsorted(course.ends, (s[:-1] + s[1:]) / 2), len(course.stretches) - 1
    )
    bounds = cut.ends
    begin = np.minimum(np.searchsorted(bounds, s[:-1] + 1e-9 * STEP, side="right"), len(bounds) - 1)
    until = np.minimum(np.searchsorted(bounds, s[1:] - 1e-9 * STEP, side="left"), len(bounds) - 1)

    def over(values: Array, best: Callable[[Array], float]) -> Array:
        spans = zip(begin.tolist(), until.tolist(), strict=True)
        return np.array([best(values[a : max(a, b) + 1]) for a, b in spans])

    passed = np.full(len(s) - 1, math.inf)
    slow = np.isfinite(cut.pass_speed)
    passed[nearest(s[1:], bounds[slow])] = cut.pass_speed[slow]
    speed, acc, total = (over(c, np.min) for c in (cut.speed, cut.acc, cut.total))
    limits = Segments(np.diff(s), speed, acc, total, over(cut.bend, np.max), passed)
    return AxisPath(s, first, second, index, limits)


@dataclass(frozen=True, slots=True)
class _Row:
    """Places in a row, from `low` to `high` of a piece, within which derivatives are continuous.

    They are even in length, in a rounded corner in its parameter.
    """

    piece: int
    low: float
    high: float
    count: int

    def places(self, course: Course) -> Array:
        """The places, (count + 1,)."""
        piece, start = course.pieces[self.piece], float(course.starts[self.piece])
        if piece.corner is not None:
            return start + piece.corner.lengths(self.count)
        return start + np.linspace(self.low, self.high, self.count + 1)

    def finer(self) -> list[_Row]:
        """Two halves with as many places each; a corner stays in one."""
        if math.isinf(self.high):
            return [replace(self, count=2 * self.count)]
        middle = (self.low + self.high) / 2
        return [replace(self, high=middle), replace(self, low=middle)]


def _rows(course: Course) -> Iterator[_Row]:
    """The rows of a course; halfway along a stretch the rate of turning has a bend."""
    least = LEAST * course.length
    for k, piece in enumerate(course.pieces):
        if piece.corner is not None:
            yield _Row(k, 0.0, math.inf, CORNER)
            continue
        middle = course.stretches[piece.index].curve.length / 2 - piece.offset
        cuts = [0.0, *([middle] if least < middle < piece.length - least else []), piece.length]
        for low, high in pairwise(cuts):
            if high - low > least:
                count = min(max(math.ceil((high - low) / STEP), FEWEST), MOST)
                yield _Row(k, low, high, count)


def _derivatives(q: Array, s: Array) -> tuple[Array, Array]:
    """dq/ds and d2q/ds2 (N, n) of samples that are even in some parameter.

    Differences of second order, at the ends of fourth and third, so that rows meet well.
    """
    both = np.column_stack([s, q])
    slope, bent = np.gradient(both, axis=0), np.empty_like(both)
    bent[1:-1] = np.diff(both, 2, axis=0)
    for end, near, sign in ((0, both[:5], 1), (-1, both[:-6:-1], -1)):
        slope[end] = sign * (FIRST @ near)
        bent[end] = SECOND @ near
    first = slope[:, 1:] / slope[:, :1]
    return first, (bent[:, 1:] - first * bent[:, :1]) / slope[:, :1] ** 2


def used(axes: Axes, qd: Array, qdd: Array) -> Array:
    """The parts of their limits (M, 3 n) that speeds of axes and motors and accelerations use."""
    return np.hstack(
        [
            np.abs(qd) / axes.joints.velocity,
            np.abs(qd @ axes.K.T) / axes.rotor,
            np.abs(qdd) / axes.joints.acceleration,
        ]
    )


def limit_name(place: int, n: int) -> str:
    """The name of the limit at a place of `used`, as point-to-point moves call it."""
    what = ("axis {} speed", "motor {} speed", "axis {} acceleration")[place // n]
    return what.format(place % n + 1)
