"""`Payload`: a rigid body in the tool frame, lumped with the last link, and its ten numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from ..errors import InputError, RobotError
from ..ground.arguments import number_of
from .model import Link, Robot
from .pose import Mat3, Vec3, as_mat3

NO_INERTIA: Mat3 = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
SECOND_MOMENTS = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
"""The order of the second moments among a payload's ten numbers: xx, xy, xz, yy, yz, zz."""


@dataclass(frozen=True, slots=True)
class Payload:
    """A rigid body that the robot carries, in the tool frame.

    `mass` in kg, mass centre `center` in m, `inertia` about it in kg m2.
    """

    mass: float
    center: Vec3 = (0.0, 0.0, 0.0)
    inertia: Mat3 = NO_INERTIA

    def __post_init__(self) -> None:
        try:
            Link("payload", self.mass, self.center, self.inertia)
        except RobotError as error:
            raise RobotError(f"payload: {error}") from None
        except (TypeError, ValueError, OverflowError, IndexError):
            found = " ".join(f"{self.mass!r:.20}, {self.center!r:.40}".split())
            expected = "a mass in kg, a centre of three numbers in m, an inertia of 3 x 3 in kg m2"
            raise RobotError(f"payload: expected {expected}, found {found}") from None


PayloadLike = Payload | float
"""What public functions take for a payload: a `Payload`, or a mass in kg at the tool point."""


def payload_of(value: PayloadLike | None) -> Payload | None:
    """The payload itself, one with this mass (kg) at the tool point, or None for None."""
    if value is None or isinstance(value, Payload):
        return value
    if isinstance(value, bool):
        raise InputError(f"payload: expected an erfd.Payload or a mass in kg, found {value}")
    return Payload(number_of("payload", value, "an erfd.Payload or a mass in kg"))


def with_payload(robot: Robot, payload: Payload | None) -> Robot:
    """The robot with the payload as part of its last link; the robot itself if it is None."""
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
    for m, c, tensor in bodies:
        arm = c - center
        inertia += tensor + m * (arm @ arm * np.eye(3) - np.outer(arm, arm))  # parallel axes
    x, y, z = (float(v) for v in center)
    link = replace(last, mass=mass, center=(x, y, z), inertia=as_mat3(inertia.tolist()))
    return replace(robot, links=(*robot.links[:-1], link))


@lru_cache(maxsize=100)
def payload_numbers(payload: Payload | None) -> tuple[float, ...]:
    """The ten numbers of a payload: m (kg), m c (kg m), second moments (kg m2) at the tool origin.

    These ten numbers are what kernels, runs and streams have of a payload; zeros for none.
    """
    if payload is None:
        return (0.0,) * 10
    m, c, inertia = payload.mass, np.array(payload.center), np.array(payload.inertia)
    second = np.eye(3) * np.trace(inertia) / 2 - inertia + m * np.outer(c, c)
    return (m, *(m * c).tolist(), *(float(second[i, j]) for i, j in SECOND_MOMENTS))


def payload_from_numbers(numbers: Sequence[float]) -> Payload | None:
    """The payload with these ten numbers (see `payload_numbers`); None if all of them are 0."""
    return _payload(tuple(numbers))


@lru_cache(maxsize=100)
def _payload(numbers: tuple[float, ...]) -> Payload | None:
    if not any(numbers):
        return None
    mass = numbers[0]
    center = np.array(numbers[1:4]) / mass if mass else np.zeros(3)
    xx, xy, xz, yy, yz, zz = numbers[4:]
    second = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - mass * np.outer(center, center)
    inertia = np.eye(3) * np.trace(second) - second
    # a point mass: what rounding leaves of its inertia may not be one
    if np.abs(inertia).max() <= 1e-12 * np.abs(numbers[4:]).max():
        inertia = np.zeros((3, 3))
    x, y, z = center.tolist()
    return Payload(mass, (x, y, z), as_mat3(inertia.tolist()))
