"""A course: path moves one after another without a stop, as poses over one length."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .corner import Corner
from .curve import Curve, points
from .orientation import OrientationPath, orientations

Array = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """One path move as geometry, with the limits of its way.

    `speed` and `acc` per unit of the curve's way, `via` the way of a circle's via point (None: no
    such point on the way). `speed_ori` (rad/s) limits the tool's rate of turning, which is at most
    `rate` (rad per unit of way).
    """

    curve: Curve
    orientation: OrientationPath
    speed: float
    acc: float
    via: float | None = None
    speed_ori: float = math.inf
    rate: float = 0.0

    @property
    def end(self) -> Array:
        """The last pose, (4, 4)."""
        way = np.array([self.curve.length])
        return np.asarray(_poses(self.curve.point(way), self.orientation.at(way))[0])


@dataclass(frozen=True, slots=True, eq=False)
class CoursePiece:
    """A part of a course: the stretch `index` from its way `offset` on.

    A rounded `corner` belongs to that stretch and the next.
    """

    index: int
    offset: float
    length: float
    speed: float
    acc: float
    corner: Corner | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """Stretches with rounded corners between them.

    `starts` is where each piece begins (one more: the whole length), `ends` where each stretch
    ends, which is in the middle of a rounded corner, `homes` which piece is the stretch itself.
    """

    stretches: tuple[Stretch, ...]
    pieces: tuple[CoursePiece, ...]
    starts: Array
    ends: Array
    homes: tuple[int, ...]

    @property
    def length(self) -> float:
        """The whole way."""
        return float(self.starts[-1])

    def poses(self, s: Array) -> Array:
        """Tool frames (N, 4, 4) in the robot's base at the ways s (N,), which must not fall."""
        bounds = [0, *np.searchsorted(s, self.starts[1:-1], side="right").tolist(), len(s)]
        index, way = np.empty(len(s), dtype=np.intp), np.empty(len(s))
        corners = []
        for k, piece in enumerate(self.pieces):
            here = slice(bounds[k], bounds[k + 1])
            off = np.minimum(s[here] - self.starts[k], piece.length)
            index[here], way[here] = piece.index, piece.offset + off
            if piece.corner is not None and len(off):
                way[here], starting = piece.corner.parts(off)
                corners.append((here, piece.index + 1, starting))
        place, turn = self._points(index, way), self._turns(index, way)
        for here, after, starting in corners:  # both moves at once
            next_, other = self.stretches[after], np.full(len(starting), after)
            place[here] += self._points(other, starting) - next_.curve.start
            turn[here] = turn[here] @ next_.orientation.start.T @ self._turns(other, starting)
        return _poses(place, turn)

    def _points(self, index: Places, way: Array) -> Array:
        curves = [one.curve for one in self.stretches]
        columns = ("start", "ahead", "inward", "bend")
        rows = (np.array([getattr(c, name) for c in curves])[index] for name in columns)
        return points(way, *rows)

    def _turns(self, index: Places, way: Array) -> Array:
        return orientations([one.orientation for one in self.stretches], index, way)

    def way_of(self, index: int, way: float) -> float | None:
        """The course's way where stretch `index` is at its own `way`; None if cut by a corner."""
        home = self.homes[index]
        piece = self.pieces[home]
        off = way - piece.offset
        if not -1e-12 <= off <= piece.length + 1e-12:
            return None
        return float(self.starts[home]) + min(max(off, 0.0), piece.length)


def course(stretches: Sequence[Stretch], reaches: Sequence[float]) -> Course:
    """Stretches in a row; `reaches[i]` (m) rounds the corner between i and i + 1 (0: it stays)."""
    taken = [0.0, *reaches, 0.0]
    pieces: list[CoursePiece] = []
    ends: list[float] = []
    here = 0.0
    for i, one in enumerate(stretches):
        left = one.curve.length - taken[i] - taken[i + 1]
        pieces.append(CoursePiece(i, taken[i], max(left, 0.0), one.speed, one.acc))
        here += pieces[-1].length
        ends.append(here)
        if taken[i + 1] > 0:
            after = stretches[i + 1]
            corner = Corner.between(one.curve, after.curve, taken[i + 1])
            speed, acc = _speed(one, after, corner), min(one.acc, after.acc)
            pieces.append(CoursePiece(i, 0.0, corner.length, speed, acc, corner))
            ends[-1] += corner.middle
            here += corner.length
    starts = np.concatenate([[0.0], np.cumsum([piece.length for piece in pieces])])
    homes = tuple(k for k, piece in enumerate(pieces) if piece.corner is None)
    return Course(tuple(stretches), tuple(pieces), starts, np.array(ends), homes)


def _speed(before: Stretch, after: Stretch, corner: Corner) -> float:
    """The speed in a corner: the lower one, and no faster than the tool may turn."""
    speed = min(before.speed, after.speed)
    rate = max(before.rate, after.rate) / corner.slowest
    return min(speed, min(before.speed_ori, after.speed_ori) / rate) if rate > 0 else speed


def _poses(places: Array, rotations: Array) -> Array:
    result = np.zeros((len(places), 4, 4))
    result[:, :3, :3], result[:, :3, 3], result[:, 3, 3] = rotations, places, 1.0
    return result
