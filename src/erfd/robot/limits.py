"""The limits of a robot's joints as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..ground.arrays import Array, Mask
from .model import Robot


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
