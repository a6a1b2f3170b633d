"""The states that all packages compute, and the results that they must have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..ground.arrays import Array
from ..kernels.settings import backend
from ..mechanics.dynamics import forward_dynamics, inverse_dynamics, mass_matrix
from ..robot.model import Robot

BENCHED_QUANTITIES = ("forward_dynamics", "inverse_dynamics", "mass_matrix")
SEED = 15


@dataclass(frozen=True, slots=True)
class States:
    """The states q, q', q'' and u, each (N, n), and ERFD's results over NumPy, not compiled."""

    q: Array
    qd: Array
    qdd: Array
    u: Array
    results: dict[str, Array]

    def arguments(self, quantity: str, count: int) -> dict[str, Array]:
        """The first `count` states by the names of the functions' arguments."""
        names = {"forward_dynamics": ("q", "qd", "u"), "inverse_dynamics": ("q", "qd", "qdd")}
        return {name: getattr(self, name)[:count] for name in names.get(quantity, ("q",))}

    def single(self, quantity: str, k: int = 0) -> dict[str, Array]:
        """State k alone, each argument (n,)."""
        return {name: a[k].copy() for name, a in self.arguments(quantity, k + 1).items()}


def random_states(robot: Robot, count: int) -> States:
    """Random states, always the same; u gives q'' of moderate size, so that rounding is small."""
    rng = np.random.default_rng(SEED)
    q = rng.uniform(-np.pi, np.pi, (count, robot.n))
    qd, qdd = rng.uniform(-3, 3, (2, count, robot.n))
    with backend("numpy"):
        u = inverse_dynamics(robot, q, qd, qdd)
        results = {
            "forward_dynamics": forward_dynamics(robot, q, qd, u),
            "inverse_dynamics": u,
            "mass_matrix": mass_matrix(robot, q),
        }
    return States(q, qd, qdd, u, results)
