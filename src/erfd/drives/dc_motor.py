"""Direct-current motors (003, Eqs. 11 and 12): torque, voltage and current at the rotor.

Inductance is neglected, as in the report: V = R I + Kt w, tau = Kt I, w the rotor's velocity.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..ground.arguments import flag_of
from ..ground.arrays import Array, finite_array
from ..robot.library import RobotLike, robot_of
from ..robot.model import Robot


@dataclass(frozen=True, slots=True, eq=False)
class Motors:
    """The DC motors of a robot, (n,) each.

    `resistance` R in ohm, `constant` Kt in N m/A (V s/rad), `voltage_max` in V.
    """

    resistance: Array
    constant: Array
    voltage_max: Array


def motors_of(robot: Robot) -> Motors:
    """The motors of a robot; a drive without R or Kt is an error that names it."""
    if not robot.drives:
        raise InputError(f"robot {robot.name!r}: expected drives, found none in its file")
    for i, drive in enumerate(robot.drives, 1):
        for key in ("resistance", "torque_constant"):
            if np.isnan(getattr(drive, key)):
                raise InputError(
                    f"robot {robot.name!r}: drive {i}: expected {key} of its motor, found none"
                )
    names = ("resistance", "torque_constant", "voltage_max")
    return Motors(*(np.array([getattr(d, name) for d in robot.drives]) for name in names))


def motor_voltage(robot: RobotLike, torque: ArrayLike, speed: ArrayLike) -> Array:
    """The voltages that give motor torques, V = R tau / Kt + Kt w (11).

    No limit is applied: what exceeds `Drive.voltage_max` the motor cannot get.

    Args:
        robot: The robot; its drives must have a resistance and a torque constant.
        torque: Motor torques at the rotors in N m, (..., n).
        speed: Velocities of the rotors in rad/s, (..., n).

    Returns:
        The voltages in V, (..., n).

    Raises:
        InputError: A drive without resistance or torque constant, or a wrong shape.

    >>> import erfd
    >>> erfd.motor_voltage(erfd.load("two_link"), [1.0, 0.5], [0.0, 0.0]).shape
    (2,)
    """
    robot = robot_of(robot)
    m = motors_of(robot)
    shape = (..., robot.n)
    tau, w = finite_array("torque", torque, shape), finite_array("speed", speed, shape)
    return np.asarray(m.resistance * tau / m.constant + m.constant * w)


def motor_torque(
    robot: RobotLike, voltage: ArrayLike, speed: ArrayLike, *, limited: bool = False
) -> Array:
    """The motor torques under voltages, tau = Kt (V - Kt w) / R (12).

    Args:
        robot: The robot; its drives must have a resistance and a torque constant.
        voltage: Voltages of the motors in V, (..., n).
        speed: Velocities of the rotors in rad/s, (..., n).
        limited: First bring the voltages within `Drive.voltage_max`, as a simulation does.

    Returns:
        The motor torques at the rotors in N m, (..., n).

    Raises:
        InputError: A drive without resistance or torque constant, or a wrong shape.

    >>> import erfd
    >>> erfd.motor_torque(erfd.load("two_link"), [1.0, 0.5], [0.0, 0.0]).shape
    (2,)
    """
    robot = robot_of(robot)
    limited = flag_of("limited", limited)
    m = motors_of(robot)
    shape = (..., robot.n)
    v, w = finite_array("voltage", voltage, shape), finite_array("speed", speed, shape)
    if limited:
        v = np.clip(v, -m.voltage_max, m.voltage_max)
    return np.asarray(m.constant * (v - m.constant * w) / m.resistance)
