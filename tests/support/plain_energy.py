"""What energy a cycle in one piece brings from nowhere: an independent text of that rule.

Energies are those of the library's public functions over the links' own parameters, the loads those
of the plain saturation problem.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import erfd

Array = NDArray[np.float64]

GAIN, STRAY = 20.0, 1.0
"""Energy that may come from nowhere (1/s2), and how far off (rad/s, m/s) it is looked at."""


def strays(robot: erfd.Robot, y: Array, wanted: Array, dt: float) -> NDArray[np.bool_]:
    """Whether rotors (m, n) end so far off that the energy of the cycle is looked at, (m,)."""
    ratios = np.abs(np.diag(robot.gear_matrix))
    return np.asarray((np.abs(y - wanted) * dt / ratios).max(axis=1) > STRAY)


def too_much(
    arm: erfd.Robot,
    before: tuple[Array, Array],
    after: tuple[Array, Array],
    load: Array,
    y: Array,
    torque: Array,
    *,
    wrench: Array | None,
    dt: float,
    path: str,
) -> Array:
    """The energy that a cycle gained beyond what is allowed, (m,) in J; at most 0 is good.

    `before` and `after` are q and qd (m, n); `load` are the rotors' loads without the damping of
    the joints, `y` their accelerations before any stop, `torque` the motors'; wrench (m, 6).
    """
    K, inertia = np.array(arm.gear_matrix), np.array([d.inertia for d in arm.drives])
    (q, qd), (q_after, qd_after) = before, after
    still, turned = np.zeros_like(q), q_after - q
    with erfd.backend("numpy"):
        links = [erfd.kinetic_energy(arm, *state) for state in (before, after)]
        heights = [erfd.potential_energy(arm, x) for x in (q, q_after)]
        outside = erfd.inverse_dynamics(arm, q, still, still, wrench=wrench)
        outside = outside - erfd.inverse_dynamics(arm, q, still, still)
    rotors = [0.5 * ((rate @ K.T) ** 2) @ inertia for rate in (qd, qd_after)]
    change = links[1] - links[0] + rotors[1] - rotors[0] + heights[1] - heights[0]
    change = change + (turned * outside).sum(axis=1)
    joints = load * np.diag(K) if path == "diagonal" else load @ K
    gain = change - (turned * (joints + (inertia * y) @ K)).sum(axis=1)
    if path != "diagonal":
        gain = np.maximum(gain, change - ((turned @ K.T) * torque).sum(axis=1))
    scale = links[0] + rotors[0] + 9.81 * sum(link.mass for link in arm.links)
    return np.asarray(gain - GAIN * dt**2 * scale)
