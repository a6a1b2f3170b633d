"""Reference states that generated code must reproduce, by the formulation's text over NumPy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..ground.arrays import Array
from ..kernels.quantities import HAS_METHODS, QUANTITIES
from ..kernels.settings import backend
from ..robot.model import Robot

STATES = 10
"""Reference states of a self-test."""
TOLERANCE = 1e-12
"""What a self-test allows: some thousand roundings, relative to the largest reference value.

For forward dynamics it is multiplied by the condition number of H: that is how much the solution of
H q'' = u - u' may enlarge a rounding. The number is that of H scaled to a diagonal of ones, because
elimination does not mind the units of a row. More than 1e-3 is never allowed.
"""
SMALL = 1e-3
"""Reference values that are all smaller than this (SI units) are compared with it instead."""


@dataclass(frozen=True, slots=True)
class References:
    """Reference states and their results: one array (STATES, ...) for each port."""

    arguments: list[Array]
    results: list[Array]
    tolerance: float

    def scales(self) -> list[float]:
        """The largest value of each result."""
        return [max(float(np.abs(wanted).max()), SMALL) for wanted in self.results]


def references(robot: Robot, quantity: str, method: str, wrench: bool) -> References:
    """Compute random states (always the same) and their results by the method over NumPy."""
    import erfd

    rng = np.random.default_rng(20)
    q = rng.uniform(-math.pi, math.pi, (STATES, robot.n))
    qd, qdd = rng.uniform(-3.0, 3.0, (2, STATES, robot.n))
    load = rng.uniform(-100.0, 100.0, (STATES, 6))
    options: dict[str, Any] = {"method": method} if quantity in HAS_METHODS else {}
    if wrench:
        options["wrench"] = load
    tolerance = TOLERANCE
    with backend("numpy"):
        if quantity == "energy":
            energies = (erfd.kinetic_energy(robot, q, qd), erfd.potential_energy(robot, q))
            return References([q, qd], [e[:, None] for e in energies], tolerance)
        states = {"qd": qd, "x": qdd}
        if quantity == "forward_dynamics":  # torques for accelerations of about the same size
            states["x"] = erfd.inverse_dynamics(robot, q, qd, qdd, wrench=load if wrench else None)
        arguments = [q, *(states[key] for key in QUANTITIES[quantity].arguments)]
        output = getattr(erfd, quantity)(robot, *arguments, **options)
        if quantity == "forward_dynamics":
            tolerance = min(tolerance * _condition(erfd.mass_matrix(robot, q)), 1e-3)
    results = output if isinstance(output, tuple) else (output,)
    arguments += [load] if wrench else []
    return References(arguments, [r.reshape(STATES, -1) for r in results], tolerance)


def _condition(h: Array) -> float:
    """The largest condition number of a batch of matrices, their diagonals scaled to ones."""
    size = np.sqrt(np.diagonal(h, axis1=-2, axis2=-1))
    return float(np.linalg.cond(h / (size[..., :, None] * size[..., None, :])).max())
