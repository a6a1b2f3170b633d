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
        names = ("position_min", "position_max", "velocity_max", "acceleration_max", "jerk_max")
        arrays = [np.array([getattr(joint, name) for joint in robot.joints]) for name in names]
        turns = np.array([joint.revolute for joint in robot.joints])
        for array in (*arrays, turns):
            array.flags.writeable = False
        return cls(*arrays, turns)
