"""What a robot carries: a rigid body in the tool frame, lumped with the last link."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..errors import RobotError
from .model import Link, Robot
from .pose import Mat3, Vec3, as_mat3

NO_INERTIA: Mat3 = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@dataclass(frozen=True, slots=True)
class Payload:
    """Mass in kg, mass centre in m and inertia about it in kg m2, all in the tool frame."""

    mass: float
    center: Vec3 = (0.0, 0.0, 0.0)
    inertia: Mat3 = NO_INERTIA

    def __post_init__(self) -> None:
        try:
            Link("payload", self.mass, self.center, self.inertia)
        except RobotError as error:
            raise RobotError(f"payload: {error}") from None


def with_payload(robot: Robot, payload: Payload | None) -> Robot:
    """The robot with the payload as part of its last link; the same robot without one."""
    if payload is None or (payload.mass == 0 and payload.inertia == NO_INERTIA):
        return robot
    last = robot.links[-1]
    turn = np.array(robot.tool.rotation)
    bodies = [
        (last.mass, np.array(last.center), np.array(last.inertia)),
        (payload.mass, turn @ payload.center + robot.tool.xyz, turn @ payload.inertia @ turn.T),
    ]
    mass = sum(m for m, _, _ in bodies)
    center = sum((m * c for m, c, _ in bodies), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for m, c, own in bodies:
        arm = c - center
        inertia += own + m * (arm @ arm * np.eye(3) - np.outer(arm, arm))  # parallel axes
    x, y, z = (float(v) for v in center)
    link = replace(last, mass=mass, center=(x, y, z), inertia=as_mat3(inertia.tolist()))
    return replace(robot, links=(*robot.links[:-1], link))
