"""Whether the tool turns evenly with its path, after docs/planner.md (Orientation)."""

from __future__ import annotations

import math

import numpy as np

from .arm import Array
from .plan_samples import (
    STRAIGHT,
    TURNED,
    Motion,
    Piece,
    Wanted,
    angles_about,
    circle_through,
    turn_between,
)

HALF_TURN = 3.0
"""rad: a larger turn relative to an arc has two ways round."""


def turning_faults(
    motion: Motion,
    free: Array,
    wanted: Wanted,
    piece: Piece,
    begin: Array,
    before: tuple[Wanted, Piece] | None,
    smooth: bool,
) -> list[str]:
    """Whether the tool turns evenly with the path, in space or along an arc (docs: Orientation).

    Not looked at: rounded corners, where two turns run at once, and the halves next to junctions
    at which the rates go over smoothly.
    """
    assert wanted.pose is not None
    eps = 1e-6 * motion.dt
    rows = np.flatnonzero((motion.t >= piece.start - eps) & (motion.t <= piece.end + eps) & free)
    start, end = begin[:3, 3], wanted.pose[:3, 3]
    points = motion.points[rows]
    kept = np.ones(len(rows), bool)
    for corner, joined in ((start, before), (end, (wanted, piece))):
        if joined and joined[1].blend == "c_cp":
            apart = np.linalg.norm(points - corner, axis=1)
            kept &= apart > joined[1].reach * (1 + 1e-6) + STRAIGHT
    done, carried, whole = _done(wanted, start, points)
    if smooth and before is not None and before[1].blend == "c_speed":
        kept &= done >= 0.5
    if smooth and piece.blend == "c_speed":
        kept &= done <= 0.5
    way = _vector(begin[:3, :3].T @ whole.T @ wanted.pose[:3, :3])
    if not kept.any() or np.linalg.norm(way) > HALF_TURN:
        return []
    off = max(
        turn_between(
            motion.frames[rows[i]], _framed(carried[i] @ begin[:3, :3] @ _turned(done[i] * way))
        )
        for i in np.flatnonzero(kept)
    )
    return [f"line {wanted.line} ({wanted.kind}): {off:.3g} rad off its turn"] * (off > 3 * TURNED)


def _done(wanted: Wanted, start: Array, points: Array) -> tuple[Array, Array, Array]:
    """The part of its path that a move has done at points (m,), and the turns that the path itself
    has made of the tool by there (m, 3, 3), and at its end (3, 3): none, unless along an arc.
    """
    assert wanted.pose is not None
    end = wanted.pose[:3, 3]
    none = np.broadcast_to(np.eye(3), (len(points), 3, 3))
    if wanted.kind == "lin":
        way = end - start
        return np.clip((points - start) @ way / (way @ way), 0, 1), none, np.eye(3)
    assert wanted.via is not None
    center, normal = circle_through(start, wanted.via, end)
    angles = angles_about(points - center, start - center, normal)
    (whole,) = angles_about((end - center)[None], start - center, normal)
    angles = np.where(angles > 0.5 * whole + math.pi, 0.0, np.minimum(angles, whole))
    if not wanted.along:
        return angles / whole, none, np.eye(3)
    return angles / whole, np.array([_turned(a * normal) for a in angles]), _turned(whole * normal)


def _turned(vector: Array) -> Array:
    """The rotation by a vector's length (rad) about it."""
    angle = float(np.linalg.norm(vector))
    if angle == 0:
        return np.eye(3)
    x, y, z = vector / angle
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross


def _vector(turn: Array) -> Array:
    """The shortest way round of a rotation, a vector of its axis and angle (rad)."""
    sine = 0.5 * np.array(
        [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
    )
    size = float(np.linalg.norm(sine))
    angle = math.atan2(size, (float(np.trace(turn)) - 1) / 2)
    return sine * (angle / size) if size else np.zeros(3)


def _framed(turn: Array) -> Array:
    frame = np.eye(4)
    frame[:3, :3] = turn
    return frame
