"""Courses: path moves one after another without a stop, as tool poses over one length."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...ground.arrays import Array
from .corner import Corner
from .curve import Curve, CurveTable
from .orientation import OrientationPath, OrientationTable


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """Curve and limits of a path move.

    `speed` and `acc` are along the curve, in units of its length per s and s2; `via` is the length
    up to a circle's via point (None: no such point on the curve). `speed_ori` (rad/s) limits the
    tool's rate of turning, which is at most `rate` (rad per unit of length). `total` (m/s2) limits
    the whole vector of the tool point's acceleration, of which `acc` is what lies along the path.
    """

    curve: Curve
    orientation: OrientationPath
    speed: float
    acc: float
    via: float | None = None
    speed_ori: float = math.inf
    rate: float = 0.0
    total: float = math.inf

    @property
    def end(self) -> Array:
        """The last pose, (4, 4)."""
        s = np.array([self.curve.length])
        return np.asarray(_poses(self.curve.point(s), self.orientation.at(s))[0])


@dataclass(frozen=True, slots=True, eq=False)
class CoursePiece:
    """A part of a course: the stretch `index` from its length `offset` on.

    A rounded `corner` belongs to that stretch and the next.
    """

    index: int
    offset: float
    length: float
    speed: float
    acc: float
    total: float = math.inf
    corner: Corner | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """Stretches with rounded corners between them.

    `starts` is where each piece begins (one more: the whole length), `ends` where each stretch
    ends, which is in the middle of a rounded corner, `main_pieces` which piece is the
    middle of each stretch.
    """

    stretches: tuple[Stretch, ...]
    pieces: tuple[CoursePiece, ...]
    starts: Array
    ends: Array
    main_pieces: tuple[int, ...]

    @property
    def length(self) -> float:
        """The whole length."""
        return float(self.starts[-1])

    def poses(self, s: Array) -> Array:
        """Tool frames (N, 4, 4) in the robot's base at the lengths s (N,), which must not fall."""
        bounds = [0, *np.searchsorted(s, self.starts[1:-1], side="right").tolist(), len(s)]
        index, own_s = np.empty(len(s), dtype=np.intp), np.empty(len(s))
        rounded, starting = [], []  # samples in corners: which they are, where the next move is
        for k, piece in enumerate(self.pieces):
            here = slice(bounds[k], bounds[k + 1])
            off = np.minimum(s[here] - self.starts[k], piece.length)
            index[here], own_s[here] = piece.index, piece.offset + off
            if piece.corner is not None and len(off):
                own_s[here], next_s = piece.corner.parts(off)
                rounded.append(np.arange(here.start, here.stop))
                starting.append(next_s)
        curves = CurveTable.of([stretch.curve for stretch in self.stretches])
        turns = OrientationTable.of([stretch.orientation for stretch in self.stretches])
        place, turn = curves.at(index, own_s), turns.at(index, own_s)
        if rounded:  # both moves at once
            rows, next_s = np.concatenate(rounded), np.concatenate(starting)
            after = index[rows] + 1
            place[rows] += curves.at(after, next_s) - curves.start[after]
            back = np.swapaxes(turns.start[after], 1, 2)
            turn[rows] = turn[rows] @ back @ turns.at(after, next_s)
        return _poses(place, turn)

    def way_of(self, index: int, own_s: float) -> float | None:
        """The course's length where stretch `index` is at its own `own_s`, None if cut off."""
        k = self.main_pieces[index]
        piece = self.pieces[k]
        off = own_s - piece.offset
        if not -1e-12 <= off <= piece.length + 1e-12:
            return None
        return float(self.starts[k]) + min(max(off, 0.0), piece.length)


def course(stretches: Sequence[Stretch], reaches: Sequence[float]) -> Course:
    """Stretches in a row; `reaches[i]` (m) rounds the corner between i and i + 1 (0: it stays)."""
    cut = [0.0, *reaches, 0.0]
    pieces: list[CoursePiece] = []
    ends: list[float] = []
    length = 0.0
    for i, stretch in enumerate(stretches):
        left = stretch.curve.length - cut[i] - cut[i + 1]
        limits = (stretch.speed, stretch.acc, stretch.total)
        pieces.append(CoursePiece(i, cut[i], max(left, 0.0), *limits))
        length += pieces[-1].length
        ends.append(length)
        if cut[i + 1] > 0:
            after = stretches[i + 1]
            corner = Corner.between(stretch.curve, after.curve, cut[i + 1])
            limits = (
                _speed(stretch, after, corner),
                min(stretch.acc, after.acc),
                min(stretch.total, after.total),
            )
            pieces.append(CoursePiece(i, 0.0, corner.length, *limits, corner))
            ends[-1] += corner.middle
            length += corner.length
    starts = np.concatenate([[0.0], np.cumsum([piece.length for piece in pieces])])
    main_pieces = tuple(k for k, piece in enumerate(pieces) if piece.corner is None)
    return Course(tuple(stretches), tuple(pieces), starts, np.array(ends), main_pieces)


def _speed(before: Stretch, after: Stretch, corner: Corner) -> float:
    """The speed in a corner: the lower one, and no faster than the tool may turn."""
    speed = min(before.speed, after.speed)
    rate = max(before.rate, after.rate) / corner.slowest
    return min(speed, min(before.speed_ori, after.speed_ori) / rate) if rate > 0 else speed


def _poses(places: Array, rotations: Array) -> Array:
    """Poses (N, 4, 4) of points (N, 3) and rotations (N, 3, 3)."""
    result = np.zeros((len(places), 4, 4))
    result[:, :3, :3], result[:, :3, 3], result[:, 3, 3] = rotations, places, 1.0
    return result
