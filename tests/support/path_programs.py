"""Random path moves of Lola 15, with lines and arcs that are described without the planner."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from erfd.planning.moves import Move, PoseTarget
from support.lola_moves import TOOL

numbers = st.integers(0, 2**32 - 1).map(np.random.default_rng)


@dataclass
class Way:
    """A line (radius 0) or an arc, described without the planner: frame at its start, size."""

    start: np.ndarray
    ahead: np.ndarray
    inward: np.ndarray
    radius: float
    length: float

    def point(self, s: float) -> np.ndarray:
        if not self.radius:
            return self.start + s * self.ahead
        a = s / self.radius
        center = self.start + self.radius * self.inward
        return center + self.radius * (math.sin(a) * self.ahead - math.cos(a) * self.inward)

    def tangent(self, s: float) -> np.ndarray:
        a = s / self.radius if self.radius else 0.0
        return math.cos(a) * self.ahead + math.sin(a) * self.inward

    def found(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The way of points, and their distance from the curve."""
        off = points - self.start
        x, y = off @ self.ahead, off @ self.inward
        flat = off - np.outer(x, self.ahead) - np.outer(y, self.inward)
        if not self.radius:
            return x, np.hypot(np.linalg.norm(flat, axis=1), y)
        angle = np.unwrap(np.arctan2(x, self.radius - y))
        radial = np.hypot(x, self.radius - y) - self.radius
        return angle * self.radius, np.hypot(np.linalg.norm(flat, axis=1), radial)


def random_way(rng: np.random.Generator, start: np.ndarray, ahead: np.ndarray | None) -> Way:
    """A line or an arc of 5 to 30 cm, along `ahead` if that is given."""
    if ahead is None:
        ahead = rng.normal(size=3)
        ahead /= np.linalg.norm(ahead)
    across = np.cross(ahead, rng.normal(size=3))
    across /= np.linalg.norm(across)
    length = rng.uniform(0.05, 0.3)
    if rng.random() < 0.5:
        return Way(start, ahead, across, 0.0, length)
    radius = rng.uniform(length / 5.5, length)
    return Way(start, ahead, across, radius, length)


def random_turn(rng: np.random.Generator, most: float = 0.4) -> np.ndarray:
    return TOOL[:3, :3] @ Rotation.from_rotvec(rng.uniform(-most, most, 3)).as_matrix()


def as_move(way: Way, turn: np.ndarray | None, line: int, **options: object) -> Move:
    rotation = None if turn is None else tuple(map(tuple, turn.tolist()))

    def target(s: float) -> PoseTarget:
        return PoseTarget(tuple(way.point(s).tolist()), rotation)

    if way.radius:
        ends = (target(0.4 * way.length), target(way.length))
        return Move("circle", ends, line, f"p{line}", **options)
    return Move("lin", (target(way.length),), line, f"p{line}", **options)


def random_program(
    rng: np.random.Generator, count: int, smooth: bool, **options: object
) -> tuple[list[Way], list[Move]]:
    """Path moves from TOOL on, along one another's tangents if they are to be smooth."""
    ways, moves = [], []
    here, ahead = TOOL[:3, 3], None
    for line in range(1, count + 1):
        way = random_way(rng, here, ahead if smooth else None)
        ways.append(way)
        here, ahead = way.point(way.length), way.tangent(way.length)
        speeds = {"speed": rng.uniform(0.05, 1.5), "acc": rng.uniform(0.5, 5)}
        moves.append(as_move(way, random_turn(rng), line, **speeds, **options))
    return ways, moves
