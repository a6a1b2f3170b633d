"""The arguments of inverse kinematics, checked: poses and tools; joint limits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..ground.arrays import Array, Mask, as_numbers, require_finite, require_shape
from ..mechanics.kinematics import pose_matrix
from ..robot.limits import JointLimits
from ..robot.model import Robot
from ..robot.pose import Pose

ROUNDING = 1e-6
"""How far R^T R of a pose may be from the identity: printed numbers are rounded."""
BLOCK = 2048
"""Poses at once, so that what is computed from them stays in the cache."""
MIRRORED = float("inf")
"""The rotation error of a left-handed matrix."""
LAST_ROW = np.array([0.0, 0.0, 0.0, 1.0])
SLACK = 1e-11
"""A joint this far (rad, m) beyond its limit is at its limit: rounding."""


def checked_poses(poses: ArrayLike | Pose) -> Array:
    """Poses (..., 4, 4) in m, checked to be rotations and translations."""
    if isinstance(poses, Pose):
        return pose_matrix(poses)
    result = require_shape("pose", as_numbers("pose", poses, copy=False), (..., 4, 4))
    flat = result.reshape(-1, 16)
    with np.errstate(invalid="ignore", over="ignore"):
        off = max(
            (_rotation_error(flat[k : k + BLOCK]) for k in range(0, len(flat), BLOCK)), default=0.0
        )
    require_finite("pose", result)
    if off > ROUNDING:
        defect = "a mirrored one" if off == MIRRORED else f"one that is off by {off:.3g}"
        raise InputError(f"pose: expected a rotation matrix, found {defect}")
    if (flat[:, 12:] != LAST_ROW).any():
        raise InputError("pose: expected 0, 0, 0, 1 in the last row")
    return result


def _rotation_error(flat: Array) -> float:
    """How far R R^T of poses (N, 16) is from the identity at most; infinite if one is mirrored."""
    r = np.ascontiguousarray(flat[:, :12].T).reshape(3, 4, -1)[:, :3]
    gram = (r[:, None] * r).sum(axis=2)
    worst = float(np.abs(gram - np.eye(3)[..., None]).max())
    x, y, z = r
    triple = z[0] * (x[1] * y[2] - x[2] * y[1]) + z[1] * (x[2] * y[0] - x[0] * y[2])
    triple += z[2] * (x[0] * y[1] - x[1] * y[0])
    return MIRRORED if worst <= ROUNDING and (triple < 0).any() else worst


def tool_of(robot: Robot, tool: Pose | None) -> Pose:
    """The tool frame that counts: `tool`, or the robot's if it is None."""
    if tool is None:
        return robot.tool
    if not isinstance(tool, Pose):
        raise InputError(f"tool: expected an erfd.Pose or None, found {tool!r:.60}")
    return tool


@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """The position limits of the joints in rad (m), (n,) each.

    `turns` are the revolute joints; `middle` and `half` are of the range, `half` infinite without
    both limits.
    """

    lower: Array
    upper: Array
    turns: Mask
    middle: Array
    half: Array

    @classmethod
    def of(cls, robot: Robot) -> Limits:
        """The robot's limits; an endless joint has its middle at 0."""
        return robot.once(cls, lambda: cls._of(robot))

    @classmethod
    def _of(cls, robot: Robot) -> Limits:
        limits = JointLimits.of(robot)
        lower, upper = limits.lower, limits.upper
        closed = np.isfinite(lower) & np.isfinite(upper)
        low, high = (np.where(closed, edge, 0.0) for edge in (lower, upper))
        middle = np.clip(0.5 * (low + high), lower, upper)
        half = np.where(closed, 0.5 * (high - low), np.inf)
        return cls(lower, upper, limits.turns, middle, half)

    @property
    def even(self) -> bool:
        """Whether every joint has both limits or none, so that its middle says all."""
        return bool((np.isfinite(self.lower) == np.isfinite(self.upper)).all())

    def turned(self, q: Array, near: Array | None) -> tuple[Array, Array]:
        """Joint positions in the turn (q + 2 pi k) nearest to `near` within the limits.

        `near` None is the middle of the range. The second result says by how much (rad, m) a joint
        is beyond its limits in its best turn, (..., n): 0 within.
        """
        near = self.middle if near is None else near
        full = 2.0 * np.pi
        wanted = np.round((near - q) / full)
        least = np.ceil((self.lower - SLACK - q) / full)
        most = np.floor((self.upper + SLACK - q) / full)
        k = np.clip(wanted, least, np.maximum(least, most))
        if (least > most).any():  # no turn is within: the one that is least beyond
            below, above = self.lower - q - full * most, q + full * least - self.upper
            k = np.where((least > most) & (below < above), most, k)
        result = np.where(self.turns, q + full * k, q)
        over = np.maximum(np.maximum(self.lower - result, result - self.upper), 0.0)
        inside = over <= SLACK
        result = np.where(inside, np.clip(result, self.lower, self.upper), result)
        return result, np.where(inside, 0.0, over)

    def margin(self, q: Array) -> Array:
        """The least room to a limit as a part of half the range, (...): 1 in the middle of all."""
        return np.asarray((1.0 - np.abs(q - self.middle) / self.half).min(axis=-1))
