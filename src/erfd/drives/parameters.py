"""The parameters of joints and drives that a kernel takes as inputs, so that it stays compiled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..ground.arrays import Array
from ..robot.limits import JointLimits
from ..robot.model import Robot
from .drives import Drives

PARAMETERS = (
    "load_friction", "coulomb", "viscous", "inertia", "torque_max", "speed_max", "fastest", "low",
    "high", "braking",
)  # fmt: skip
"""Vectors of length n, in this order, then dt and 1 / dt."""
BRAKING = 0.5
"""Catching up with a lost position uses this part of the joints' largest acceleration."""


def parameters_of(robot: Robot, drives: Drives) -> dict[str, Array]:
    """The parameters of a robot by name, arrays (n,) in SI units (`PARAMETERS`)."""
    limits = JointLimits.of(robot)
    values = {
        "fastest": limits.velocity,
        "low": limits.lower,
        "high": limits.upper,
        "braking": BRAKING * limits.acceleration,
    }
    return {name: values[name] if name in values else getattr(drives, name) for name in PARAMETERS}


def parameter_rows(values: Mapping[str, Any], dt: float, n: int, lanes: int) -> Array:
    """The parameters (10 n + 2, lanes) from arrays (n,) or (lanes, n) by name."""
    columns = [np.broadcast_to(values[name], (lanes, n)).T for name in PARAMETERS]
    return np.concatenate([*columns, np.full((1, lanes), dt), np.full((1, lanes), 1 / dt)])
