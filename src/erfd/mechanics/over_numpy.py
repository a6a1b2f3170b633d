"""Compute quantities over NumPy: the expressions of `kernels.quantities`, run on arrays."""

from __future__ import annotations

import math

import numpy as np

from ..ground.arrays import Array
from ..kernels.quantities import HAS_METHODS, QUANTITIES
from ..robot.pose import Pose
from .state import State


def results_over_numpy(state: State, quantity: str, method: str) -> tuple[Array, ...]:
    """All results of a quantity; NaN where H is singular."""
    robot, entry = state.robot, QUANTITIES[quantity]
    if method == "auto" and quantity in HAS_METHODS:
        from ..kernels.count import best_method

        method = best_method(robot, quantity)
    shapes = entry.outputs(robot.n)
    sizes = [math.prod(shape) for shape in shapes]
    try:
        flat = state.vector(entry.express(robot, state.arm, method))
    except ZeroDivisionError:  # H is singular
        flat = np.full((*state.shape, sum(sizes)), np.nan)
    parts = np.split(flat, np.cumsum(sizes)[:-1], axis=-1)
    return tuple(
        part.reshape((*state.shape, *shape)) for part, shape in zip(parts, shapes, strict=True)
    )


def pose_matrix(pose: Pose) -> Array:
    """A constant pose as a homogeneous 4x4 matrix."""
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = pose.rotation, pose.xyz
    return result
