"""Moves of Lola 15 from a position in which it can go everywhere, for the tests of the planner."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import erfd
from erfd.planning.moves import Move, PoseTarget

LOLA = erfd.load("lola15")
READY = np.radians([0.0, 20.0, -20.0, 0.0, -60.0, 0.0])
TOOL = erfd.forward_kinematics(LOLA, READY)
HERE = TOOL[:3, 3]


def off(*step: float) -> np.ndarray:
    """A point so far (m) from HERE."""
    return HERE + np.array(step)


def pose(dx: float = 0, dy: float = 0, dz: float = 0, turn: object = None) -> PoseTarget:
    """A target so far (m) from HERE, turned in base axes by a rotation vector."""
    place = tuple(off(dx, dy, dz).tolist())
    if turn is None:
        return PoseTarget(place)
    turned = Rotation.from_rotvec(turn).as_matrix() @ TOOL[:3, :3]
    return PoseTarget(place, tuple(map(tuple, turned.tolist())))


def lin(target: object, line: int = 1, **options: object) -> Move:
    return Move("lin", (target,), line, f"p{line}", **options)


def circle(via: object, end: object, line: int = 1, **options: object) -> Move:
    return Move("circle", (via, end), line, f"p{line}", names=(f"v{line}", f"p{line}"), **options)


def kinds(made: object) -> list[tuple[int, str]]:
    return [(note.line, note.kind) for note in made.notes]
