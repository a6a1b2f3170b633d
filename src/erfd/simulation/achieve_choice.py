"""Who computes Algorithm 1: machine code, or CasADi."""

from __future__ import annotations

from ..kernels.kernel import LONGEST, Setting
from ..robot.model import Robot


def compiles(robot: Robot) -> bool:
    """Whether machine code is to be used for this robot."""
    return Setting.backend != "numpy" and robot.n <= LONGEST
