"""`Body`: mass, centre and inertia of a rigid body, rotated, moved and summed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...errors import RobotError
from ..pose import Mat3, Pose, Vec3, as_mat3

NEGLIGIBLE = 1e-12  # a sum this small beside its terms is rounding


@dataclass(frozen=True, slots=True)
class Body:
    """A rigid body: mass in kg, mass centre in m, inertia about the mass centre in kg m2.

    A body that is taken away (a hole) has a negative mass and inertia.
    """

    mass: float
    center: Vec3
    inertia: Mat3

    def times(self, factor: float) -> Body:
        """The same shape `factor` times as dense."""
        tensor = as_mat3([[factor * x for x in row] for row in self.inertia])
        return Body(factor * self.mass, self.center, tensor)

    def placed(self, pose: Pose) -> Body:
        """The same body in the outer frame of `pose`; its own frame is the inner one."""
        turn = np.array(pose.rotation)
        tensor = turn @ np.array(self.inertia) @ turn.T
        return Body(self.mass, pose.apply(self.center), _symmetric(tensor))


def combine(bodies: Iterable[Body]) -> Body:
    """The sum of the bodies as one body; an error if their masses add up to nothing.

    Tensors move directly to the common mass centre, never to a far origin and back, so that
    nothing is lost to cancellation.
    """
    parts = list(bodies)
    mass = sum(body.mass for body in parts)
    if abs(mass) <= NEGLIGIBLE * sum(abs(body.mass) for body in parts):
        raise RobotError(f"mass: expected a mass other than 0, found {len(parts)} that cancel")
    center = sum((b.mass * np.array(b.center) for b in parts), np.zeros(3)) / mass
    tensor = np.zeros((3, 3))
    for body in parts:
        arm = np.array(body.center) - center
        tensor += np.array(body.inertia)
        tensor += body.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))  # parallel axes
    x, y, z = (float(v) for v in center)
    return Body(float(mass), (x, y, z), _symmetric(tensor))


def _symmetric(tensor: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Mat3:
    return as_mat3(((tensor + tensor.T) / 2).tolist())
