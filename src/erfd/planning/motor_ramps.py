"""The acceleration of axes that have no limit of it: half of what their motors have left for it."""

from __future__ import annotations

import numpy as np

from ..drives.drives import Drives
from ..drives.rotor_equations import rotor_mass_matrix
from ..ground.arrays import Array
from ..mechanics.dynamics import gravity_torque
from ..robot.model import Robot

SHARE = 0.5
"""The part of the torque, beside what holds the arm, that a move takes to speed up."""
SHORTEST, LONGEST = 0.2, 5.0
"""s to full speed: no shorter, however strong the motors are; longer ones say that they are not."""


def motor_acceleration(robot: Robot, start: Array, end: Array, top: float) -> float | None:
    """The acceleration of a move from `start` to `end` (n,), in parts of it per s2.

    It is the same along the whole move: what the weakest motor has left at its start, in its middle
    and at its end, at the speed `top` (parts per s), without a payload. None: the motors have no
    limit of torque, or nothing is left.
    """
    if not robot.drives:
        return None
    drives = Drives.of(robot)
    travel = end - start
    q = np.stack([start, 0.5 * (start + end), end])
    limit = drives.limit(drives.K @ (top * travel))
    load = np.abs(drives.load(gravity_torque(robot, q)))
    left = limit - load * (1 + drives.load_friction) - drives.coulomb
    needed = np.abs(rotor_mass_matrix(robot, q) @ travel) * (1 + drives.load_friction)
    known = np.isfinite(left) & (needed > 0)
    if not known.any() or (left[known] <= 0).any():
        return None
    acceleration = SHARE * float((left[known] / needed[known]).min())
    ramp = max(top / acceleration, SHORTEST)
    return top / ramp if ramp <= LONGEST else None
