"""The geometry of a path: C2 splines of the joints over its length, with stops between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from ..errors import InputError
from ..ground.arrays import Array
from ..robot.limits import JointLimits, shown_in
from ..robot.model import Robot

CLOSEST = 1e-4
"""Points nearer than this (rad, m) to the one before add no geometry, but their rounding."""
STILL = 1e-9
"""A joint that moves by less than this (rad, m) along a piece stands still."""
Places = NDArray[np.intp]
LOOKS = 8
"""Places between two points at which a spline is looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A smooth part of a path, from stop to stop: q(s), s from `start` to `end`.

    s is the length of the polygon through the points in joint space, rad (m). `knots` (K,) are the
    places of the points, `points` (K,) which points of the path they are.
    """

    curve: CubicSpline
    knots: Array
    points: Places

    @property
    def start(self) -> float:
        """Where the piece begins, rad (m)."""
        return float(self.knots[0])

    @property
    def end(self) -> float:
        """Where it ends, rad (m)."""
        return float(self.knots[-1])

    def at(self, s: Array) -> tuple[Array, Array, Array]:
        """Positions and their first and second derivatives by s, (N, n) each."""
        return self.curve(s), self.curve(s, 1), self.curve(s, 2)

    def point_after(self, s: Array) -> Places:
        """The point (its number on the path) at which the stretch ends that s is on, (N,)."""
        place = np.searchsorted(self.knots, s, side="left").clip(1, len(self.knots) - 1)
        return np.asarray(self.points[place])


@dataclass(frozen=True, slots=True, eq=False)
class SplinedPath:
    """A path of n joints in pieces; between two of them the arm stops.

    `q` (P, n) are the points that it goes through, `pauses` (pieces + 1,) how long it stands before
    each piece and after the last one, s; `deviation` how far the splines are from the straight
    lines between the points, rad (m).
    """

    q: Array
    pieces: tuple[Piece, ...]
    pauses: tuple[float, ...]
    deviation: float

    @classmethod
    def of(
        cls,
        robot: Robot,
        q: Array,
        stops: Sequence[int] = (),
        pauses: dict[int, float] | None = None,
    ) -> SplinedPath:
        """The path through points (P, n) that stops at some of them, by number.

        `pauses` says how long it stands at points, s.
        """
        pauses = pauses or {}
        length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(q, axis=0), axis=1))])
        bounds = sorted({0, len(q) - 1, *stops, *(k for k in pauses if 0 < k < len(q) - 1)})
        pieces: list[Piece] = []
        waits = [pauses.get(0, 0.0)]
        deviation = 0.0
        for first, last in pairwise(bounds):
            if length[last] - length[first] <= CLOSEST / 100:
                waits[-1] += pauses.get(last, 0.0)
                continue
            chosen = _spaced(length, first, last)
            piece = _piece(q, chosen, length[chosen] - length[first])
            start = pieces[-1].end if pieces else 0.0
            piece = _moved(piece, start)
            pieces.append(piece)
            waits.append(pauses.get(last, 0.0))
            deviation = max(deviation, _checked(robot, piece, q[chosen]))
        if not pieces:
            raise InputError("path: expected points that are apart, found none: nothing moves")
        return cls(q, tuple(pieces), tuple(waits), deviation)

    @property
    def length(self) -> float:
        """The length of the path, rad (m)."""
        return self.pieces[-1].end

    @property
    def n(self) -> int:
        """The number of joints."""
        return int(self.q.shape[1])


def _spaced(length: Array, first: int, last: int) -> Places:
    """The points from `first` to `last` that are apart from each other."""
    span = length[last] - length[first]
    least = min(CLOSEST, span / 20)
    if np.diff(length[first : last + 1]).min() >= least:
        return np.arange(first, last + 1)
    chosen, at = [first], length[first]
    for k in range(first + 1, last):
        if length[k] - at >= least and length[last] - length[k] >= least:
            chosen.append(k)
            at = length[k]
    return np.array([*chosen, last])


def _piece(q: Array, chosen: Places, knots: Array) -> Piece:
    """The spline through the chosen points; a joint that hardly moves stands still."""
    points = q[chosen]
    still = np.ptp(points, axis=0) < STILL
    points = np.where(still, points[:1], points)
    return Piece(CubicSpline(knots, points), knots, chosen)


def _moved(piece: Piece, start: float) -> Piece:
    """The piece beginning at another length."""
    if start == 0.0:
        return piece
    curve = CubicSpline.construct_fast(piece.curve.c, piece.curve.x + start)
    return Piece(curve, piece.knots + start, piece.points)


def _checked(robot: Robot, piece: Piece, points: Array) -> float:
    """Check the positions of a piece; how far it is from the lines between its points, rad (m)."""
    part = np.arange(1, LOOKS) / LOOKS
    gaps = np.diff(piece.knots)
    if len(gaps) > 400:  # dense points: the middle says it
        part = np.array([0.5])
    s = (piece.knots[:-1, None] + gaps[:, None] * part).ravel()
    between = piece.curve(s)
    limits = JointLimits.of(robot)
    for q in (points, between):
        over = limits.beyond(q)
        if over.max() > 1e-9:
            k, i = (int(j) for j in np.unravel_index(over.argmax(), over.shape))
            scale, unit = shown_in(robot.joints[i])
            low, high = limits.lower[i] * scale, limits.upper[i] * scale
            raise InputError(
                f"path: expected joint {i + 1} within {low:g} to {high:g} {unit}, found"
                f" {q[k, i] * scale:g} {unit}"
                + (" on the spline between two points" if q is between else "")
            )
    ends = (
        np.repeat(points[:-1], len(part), axis=0),
        np.repeat(np.diff(points, axis=0), len(part), 0),
    )
    along = np.einsum("ij,ij->i", between - ends[0], ends[1]) / np.einsum(
        "ij,ij->i", *[ends[1]] * 2
    )
    foot = ends[0] + np.clip(along, 0, 1)[:, None] * ends[1]
    return float(np.linalg.norm(between - foot, axis=1).max(initial=0.0))
