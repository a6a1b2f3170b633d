"""The moves and samples of a plan, and the circles and turns among them, for the referee."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .arm import Arm, Array
from .model import Mechanics

STRAIGHT = 2e-8
"""m off a line or an arc: inverse kinematics is exact to rounding, numerical solvers to 1e-8."""
TURNED = 1e-6
"""rad."""


class Wanted(Protocol):
    """What is asked of a move (`programs.Meant`)."""

    kind: str
    line: int
    joints: Array | None
    pose: Array | None
    via: Array | None
    speed: float
    acc: float
    jerk: float
    speed_ori: float
    part: float
    part_acc: float
    blend: str
    reach: float
    along: bool


@dataclass(frozen=True)
class Piece:
    """A planned move: when it runs (s), how its end was passed, within which distance (m)."""

    kind: str
    start: float
    end: float
    blend: str
    reach: float


@dataclass(frozen=True)
class Motion:
    """The samples of a plan: time (N,), joints (N, n), tool points (N, 3), its frames (N, 4, 4)."""

    t: Array
    q: Array
    frames: Array

    @property
    def points(self) -> Array:
        """The tool points (N, 3)."""
        return self.frames[:, :3, 3]

    @property
    def dt(self) -> float:
        """The cycle, s."""
        return float(self.t[1] - self.t[0])


def motion_of(arm: Arm, t: Array, q: Array) -> Motion:
    """The samples with their tool frames."""
    mechanics = Mechanics(arm, None)
    return Motion(t, q, np.array([mechanics.pose(row) for row in q]))


def circle_through(a: Array, b: Array, c: Array) -> tuple[Array, Array]:
    """The centre of the circle through three points, and its normal (the way from a over b)."""
    u, v = b - a, c - a
    normal = np.cross(u, v)
    area = normal @ normal
    center = a + (np.cross(normal, u) * (v @ v) + np.cross(v, normal) * (u @ u)) / (2 * area)
    return center, normal / math.sqrt(area)


def angles_about(vectors: Array, zero: Array, normal: Array) -> Array:
    """The angles of vectors (m, 3) about a normal, from the direction zero on, 0 to 2 pi."""
    return np.mod(np.arctan2(np.cross(zero, vectors) @ normal, vectors @ zero), 2 * math.pi)


def turn_between(one: Array, other: Array) -> float:
    """The angle between two frames' axes, exact for small ones."""
    apart = one[:3, :3].T @ other[:3, :3]
    sine = np.linalg.norm([
        apart[2, 1] - apart[1, 2], apart[0, 2] - apart[2, 0], apart[1, 0] - apart[0, 1]
    ])  # fmt: skip
    return math.atan2(float(sine) / 2, (float(np.trace(apart)) - 1) / 2)
