"""From joint torques to motor torques: gears, coupling, rotor inertia, friction, limits (App. D).

Rotor angles are q_a = K q. By virtual work the load of the links on the rotors is x = K^-T u
(`virtual-work`); the papers divide u_i by k_i and leave the coupling out (`diagonal`, erratum 10).
The motor torque of a cycle of length dt is

    u_a = phi(x) + (I_a + f_v dt) q_a'' + f_v q_a',      phi_i(x) = x + (mu_i |x| + c_i) s_i,

with viscous friction taken at the end of the cycle, as in (D.3), and damping of the joints (part of
x) likewise. s_i is the direction of rotor i at the end of the cycle (erratum 9): the sign of its
velocity; at rest friction holds as much as is needed, up to that size.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..ground.arguments import choice_of
from ..ground.arrays import Array, shaped_array
from ..robot.model import Robot

PATHS = ("virtual-work", "diagonal")
REST = 1e-9
"""A rotor slower than this (rad/s) rests: what is left of its velocity is rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Drives:
    """The drives of a robot as arrays (..., n); leading axes are variants of one motion."""

    K: Array
    K_inverse: Array
    path: str
    load_friction: Array
    coulomb: Array
    viscous: Array
    inertia: Array
    torque_max: Array
    speed_max: Array
    curves: tuple[tuple[tuple[float, float], ...], ...]

    @classmethod
    def of(cls, robot: Robot, *, path: str = "virtual-work", **varied: Array | None) -> Drives:
        """The robot's drives as arrays.

        Args:
            robot: The robot; it must have drives.
            path: How joint torques load the rotors, one of `PATHS`.
            varied: Arrays (..., n) by name that replace a quantity of the robot's drives, for
                variants: `load_friction`, `coulomb` (N m), `viscous` (N m s/rad), `inertia`
                (kg m2), `torque_max` (N m), `speed_max` (rad/s), all at the rotors.
        """
        choice_of("torque_path", path, PATHS)
        if not robot.drives:
            raise InputError(f"robot {robot.name!r}: expected drives, found none in its file")
        matrix: Array = np.array(robot.gear_matrix)
        names = ("load_friction", "coulomb", "viscous", "inertia", "torque_max", "speed_max")
        values = {}
        for name in names:
            value = varied.get(name)
            if value is None:
                value = np.array([getattr(drive, name) for drive in robot.drives])
            values[name] = shaped_array(name, value, (..., robot.n))
        curves = tuple(drive.curve for drive in robot.drives)
        inverse: Array = np.linalg.inv(matrix).astype(np.float64)
        return cls(matrix, inverse, path, **values, curves=curves)

    def load(self, u: Array) -> Array:
        """The links' load on the rotors, N m, for joint torques u (..., n)."""
        if self.path == "diagonal":
            return u / np.diag(self.K)
        return u @ self.K_inverse

    def matrix(self, h: Array) -> Array:
        """The load per rotor acceleration, A in load = A q_a'' + rest; H and A are (..., n, n)."""
        per_rotor = h @ self.K_inverse
        if self.path == "diagonal":
            return np.asarray(per_rotor / np.diag(self.K)[:, None])
        return np.asarray(self.K_inverse.T @ per_rotor)

    def ambiguous(self, h: Array) -> NDArray[np.bool_]:
        """Whether saturated motors may have no or several solutions, (...) (erratum 8).

        Never for the virtual-work path. For the diagonal one the matrix is not symmetric: a
        principal minor below zero takes the proof away (too many to look at beyond 10 joints).
        """
        n = h.shape[-1]
        doubtful = np.zeros(h.shape[:-2], dtype=bool)
        if self.path == "virtual-work" or n > 10:
            return doubtful
        matrix = self.matrix(h)
        for size in range(1, n + 1):
            for chosen in combinations(range(n), size):
                part = matrix[..., chosen, :][..., chosen]
                scale = np.prod(np.abs(np.einsum("...ii->...i", part)), axis=-1)
                doubtful |= np.linalg.det(part) < -1e-12 * scale
        return doubtful

    def direction(self, rate: Array) -> Array:
        """The direction s_i of rotors at their velocity at the end of a cycle: -1, 0 (rest), 1."""
        return np.where(np.abs(rate) > REST, np.sign(rate), 0.0)

    def friction(self, load: Array, direction: Array) -> Array:
        """Gear and Coulomb friction at the rotor, N m; against the motion, so it never drives."""
        return (self.load_friction * np.abs(load) + self.coulomb) * direction

    def motor_torque(self, load: Array, rate: Array, acceleration: Array, dt: float) -> Array:
        """Motor torques of a cycle of dt s that begins with the rotor velocities `rate`, N m.

        `load` is that of the links in N m, `acceleration` of the rotors in rad/s2, all (..., n).
        With dt = 0 it is the torque of that moment: a rotor at rest starts as it accelerates.
        """
        end = rate + acceleration * dt
        moving = np.sign(np.where(rate != 0, rate, acceleration))
        friction = self.friction(load, self.direction(end) if dt else moving)
        return load + friction + self.inertia * acceleration + self.viscous * end

    def cannot_hold(self, load: Array, limit: Array) -> NDArray[np.bool_]:
        """Whether a motor at its limit, friction helping, cannot keep its rotor at rest."""
        return np.asarray(np.abs(load) * (1 - self.load_friction) - self.coulomb > limit)

    def limit(self, rate: Array) -> Array:
        """The largest motor torque at the rotor speed at the start of the cycle, N m."""
        result = np.broadcast_to(self.torque_max, rate.shape)
        if not any(self.curves):
            return result
        columns = []
        for i, points in enumerate(self.curves):
            column = result[..., i]
            if points:
                speeds, torques = zip(*points, strict=True)
                column = np.minimum(column, np.interp(np.abs(rate[..., i]), speeds, torques))
            columns.append(column)
        return np.stack(columns, axis=-1)
