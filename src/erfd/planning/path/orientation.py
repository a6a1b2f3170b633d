"""The orientation of the tool along a path: even turns, whose rates join smoothly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...ground.arrays import Array

OPPOSITE = math.radians(179.9)
"""Beyond this turn the shorter way round is not clear."""


def _axes(vectors: Array) -> tuple[Array, Array, Array]:
    """Of vectors (m, 3): [e]x of their directions e, so that [e]x u = e x u, its square, lengths.

    A vector of length zero has no direction: its matrices are zero.
    """
    size = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    x, y, z = (vectors / np.where(size > 0, size, 1.0)[:, None]).T
    axis = np.zeros((len(vectors), 3, 3))
    axis[:, 2, 1], axis[:, 0, 2], axis[:, 1, 0] = x, y, z
    axis[:, 1, 2], axis[:, 2, 0], axis[:, 0, 1] = -x, -y, -z
    return axis, axis @ axis, size


def _turned(axis: Array, square: Array, angle: Array) -> Array:
    """Rotations (N, 3, 3) by angle (N,) about axes: cross matrices (..., 3, 3), their squares."""
    half = np.sin(angle / 2)
    first_order = np.sin(angle)[:, None, None] * axis
    return np.eye(3) + first_order + (2 * half * half)[:, None, None] * square


def rotations_about(vector: Array, parts: Array) -> Array:
    """Rotations exp([vector]x parts[k]) about one axis, (N, 3, 3); vector in rad."""
    axis, square, size = _axes(vector[None])
    return _turned(axis[0], square[0], size[0] * parts)


def rotation_about(vector: Array) -> Array:
    """The rotation exp([vector]x), (3, 3)."""
    return np.asarray(rotations_about(vector, np.ones(1))[0])


def rotation_vector(r: Array) -> Array:
    """The vector (rad) about which, and by whose length, a rotation turns: 0 to pi.

    By way of the largest component of the quaternion, so that nothing is lost near 0 and pi.
    """
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = r.tolist()
    squares = (xx + yy + zz, xx - yy - zz, yy - xx - zz, zz - xx - yy)
    best = max(range(4), key=squares.__getitem__)
    w, x, y, z = (
        (1 + squares[0], zy - yz, xz - zx, yx - xy),
        (zy - yz, 1 + squares[1], xy + yx, xz + zx),
        (xz - zx, xy + yx, 1 + squares[2], yz + zy),
        (yx - xy, xz + zx, yz + zy, 1 + squares[3]),
    )[best]
    size = math.sqrt(x * x + y * y + z * z)
    if size == 0.0:
        return np.zeros(3)
    angle = 2 * math.atan2(size, abs(w)) / size
    if w < 0:
        angle = -angle
    return np.array([x * angle, y * angle, z * angle])


@dataclass(frozen=True, slots=True, eq=False)
class OrientationPath:
    """The orientation over the length s of one move, 0 <= s <= length.

    R(s) = exp(inflow b(s)) exp(outflow b(s - length)) exp(spin s) start exp(vector s / length):
    an even turn by `vector` (rad, tool axes) on top of the turn of the path frame, `spin` (rad per
    unit of s, base axes; zero for `o_var`). `inflow` and `outflow` (rad per unit of s, base
    axes) change the rate of turning at the ends, so that it is that of the neighbour, and leave the
    orientation there as it is: b(s) = s (1 - 2 |s| / length)^2 within half of the length.
    """

    start: Array
    vector: Array
    length: float
    spin: Array
    inflow: Array
    outflow: Array

    def at(self, s: Array) -> Array:
        """Rotation matrices (N, 3, 3) at s (N,)."""
        return OrientationTable.of([self]).at(np.zeros(len(s), dtype=np.intp), s)

    def rate(self, s: float) -> Array:
        """The even part of the rate of turning at s, rad per unit of length in base axes, (3,)."""
        even = self.start @ self.vector / self.length
        if self.spin.any():
            even = rotation_about(self.spin * s) @ even
        return np.asarray(self.spin + even)

    def bounds(self) -> tuple[float, float]:
        """What the rate (rad per unit) and its change (rad per unit^2) never exceed."""
        turn = float(np.linalg.norm(self.vector)) / self.length
        spin = float(np.linalg.norm(self.spin))
        flow = max(float(np.linalg.norm(self.inflow)), float(np.linalg.norm(self.outflow)))
        even = turn + spin
        return even + flow, spin * turn + 8 * flow / self.length + flow * even


@dataclass(frozen=True, slots=True, eq=False)
class OrientationTable:
    """The orientations over many moves at once, prepared once: what is the same for all samples.

    `start` (M, 3, 3) and `length` (M,) are those of the moves; `turns` are even turn, spin, outflow
    and inflow as cross matrices, their squares and sizes, None where no move has any.
    """

    start: Array
    length: Array
    turns: tuple[tuple[Array, Array, Array] | None, ...]

    @classmethod
    def of(cls, paths: Sequence[OrientationPath]) -> OrientationTable:
        """The table of some moves."""
        columns = (
            np.array([getattr(path, name) for path in paths])
            for name in ("vector", "spin", "outflow", "inflow")
        )
        turns = tuple(_axes(vectors) if vectors.any() else None for vectors in columns)
        start = np.array([path.start for path in paths])
        return cls(start, np.array([path.length for path in paths]), turns)

    def at(self, index: NDArray[np.intp], s: Array) -> Array:
        """Rotation matrices (N, 3, 3) at s[k] of move index[k]."""
        length = self.length[index]
        even, *others = self.turns
        result = self.start[index]
        if even is not None:
            result = result @ _chosen(even, index, s / length)
        back = s - length
        parts = (
            s,
            back * np.clip(1 + 2 * back / length, 0.0, None) ** 2,
            s * np.clip(1 - 2 * s / length, 0.0, None) ** 2,
        )
        for turns, part in zip(others, parts, strict=True):
            if turns is not None:
                result = _chosen(turns, index, part) @ result
        return result


def _chosen(turns: tuple[Array, Array, Array], index: NDArray[np.intp], parts: Array) -> Array:
    """The rotations by parts[k] of turn index[k], (N, 3, 3)."""
    axis, square, size = (column[index] for column in turns)
    return _turned(axis, square, size * parts)


def joined(
    before: OrientationPath, after: OrientationPath
) -> tuple[OrientationPath, OrientationPath]:
    """Both with the same rate of turning where they meet: their mean, weighted by length.

    Weighted so, a short move with a large turn disturbs a long neighbour by no more than that turn.
    """
    ending, starting = before.rate(before.length), after.rate(0.0)
    whole = before.length + after.length
    rate = (before.length * ending + after.length * starting) / whole
    return replace(before, outflow=rate - ending), replace(after, inflow=rate - starting)
