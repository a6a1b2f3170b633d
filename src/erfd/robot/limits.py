"""The limits of a robot's joints as arrays, and positions that are checked against them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..errors import InputError
from ..ground.arrays import Array, Mask
from .model import Joint, Robot

SLACK = 1e-9
"""A joint may be this far (rad, m) beyond its limit before that counts."""


@dataclass(frozen=True, slots=True, eq=False)
class JointLimits:
    """Arrays (n,): `lower`, `upper` in rad (m), `velocity`, `acceleration`, `jerk` per s, s2, s3.

    What has no limit is infinite. `turns` says which joints are revolute.
    """

    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    jerk: Array
    turns: Mask

    @classmethod
    def of(cls, robot: Robot) -> JointLimits:
        """The limits of a robot's joints, gathered once; the arrays are read-only."""
        return robot.once(cls, lambda: cls._of(robot))

    @classmethod
    def _of(cls, robot: Robot) -> JointLimits:
        def gathered(name: str) -> Array:
            array = np.array([getattr(joint, name) for joint in robot.joints])
            array.flags.writeable = False
            return array

        turns = np.array([joint.revolute for joint in robot.joints])
        turns.flags.writeable = False
        return cls(
            gathered("position_min"), gathered("position_max"), gathered("velocity_max"),
            gathered("acceleration_max"), gathered("jerk_max"), turns,
        )  # fmt: skip

    def beyond(self, q: Array) -> Array:
        """How far (rad, m) joint positions (..., n) are beyond their limits; < 0 within them."""
        return np.maximum(self.lower - q, q - self.upper)


def shown_in(joint: Joint) -> tuple[float, str]:
    """The scale and the unit in which messages give a joint's position: deg, or mm if it slides."""
    return (180 / math.pi, "deg") if joint.revolute else (1000.0, "mm")


def check_within(name: str, q: Array, low: Array, high: Array) -> None:
    """Raise an error if joint positions (n,) or (m, n) are beyond their limits (n,)."""
    outside = np.argwhere((q < low - SLACK) | (q > high + SLACK))
    if len(outside):
        *row, i = (int(k) for k in outside[0])
        where, found = f"{name}{row or ''}", f"{q[(*row, i)]:g}"
        bounds = f"{low[i]:g} to {high[i]:g}"
        raise InputError(f"{where}: expected joint {i + 1} within {bounds}, found {found}")
