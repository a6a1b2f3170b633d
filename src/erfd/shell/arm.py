"""Inverse Arm and Forward Arm of a robot with its drives, and the gravity of the shell.

The report's arm has no gears and neglects friction. Other robots have both: torques here are those
of the motors, tau = x + (mu |x| + c) s + I_a w' + f_v w with the load x = K^-T (u + D q') at the
rotors (as in `forward/plant.py`), which is tau = u for a direct drive without friction.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..drives.dc_motor import motor_torque, motor_voltage
from ..drives.drives import Drives
from ..forward.fixed_step import PythonLoop
from ..forward.plant import plant_of
from ..forward.simulate import initial_modes
from ..ground.arrays import Array
from ..mechanics.dispatch import require_regular
from ..mechanics.dynamics import inverse_dynamics
from ..robot.model import Robot
from .variables import feed


def inverse_arm(
    robot: Robot, theta: Array, omega: Array, alpha: Array, *, wrench: Array | None = None
) -> Array:
    """Motor torques (..., n), N m, that give accelerations alpha; at rest friction is overcome."""
    u = inverse_dynamics(robot, theta, omega, alpha, wrench=wrench, damping=True)
    if not robot.drives:
        return u
    drives = Drives.of(robot)
    return drives.motor_torque(drives.load(u), omega @ drives.K.T, alpha @ drives.K.T, 0.0)


def forward_arm(
    robot: Robot, theta: Array, omega: Array, inputs: Array, *, wrench: Array | None = None
) -> Array:
    """Accelerations (n,) under voltages (V), or torques (N m) where those drive the robot.

    No limit is applied to them; what rubs may stick.
    """
    require_regular(robot)
    unlimited = tuple(
        replace(drive, torque_max=np.inf, voltage_max=np.inf, curve=()) for drive in robot.drives
    )
    plant, values = plant_of(
        replace(robot, drives=unlimited), feed(robot), wrench=wrench is not None
    )
    n = robot.n
    state = np.zeros((plant.size, 1))
    state[:n, 0], state[n : 2 * n, 0] = theta, np.array(plant.K) @ omega
    wrench_inputs = np.zeros(0) if wrench is None else wrench
    rows, _ = PythonLoop(plant, values, "rk3", 1.0).run(
        state, initial_modes(n, 1), np.concatenate([inputs, wrench_inputs])[None, :, None],
        steps=0, every=1, fence=np.array([[-np.inf], [np.inf]]) * np.ones(n),
    )  # fmt: skip
    return np.asarray(np.array(plant.K_inverse) @ rows[0, plant.size : plant.size + n, 0])


def voltages(robot: Robot, torque: Array, omega: Array) -> Array:
    """Voltages that give motor torques at joint velocities omega, (..., n) (11)."""
    return motor_voltage(robot, torque, omega @ np.array(robot.gear_matrix).T)


def torques(robot: Robot, voltage: Array, omega: Array) -> Array:
    """Motor torques under voltages at joint velocities omega, (..., n) (12)."""
    return motor_torque(robot, voltage, omega @ np.array(robot.gear_matrix).T)


def base_acceleration(robot: Robot) -> Array:
    """The acceleration v'_0 (3,) of the base in frame 0, m/s2, that stands for gravity."""
    return np.asarray(-(_frame_0(robot).T @ np.array(robot.gravity)))


def with_gravity(robot: Robot, value: float) -> Robot:
    """The robot with another z-component of v'_0, m/s2; the other two stay."""
    acceleration = base_acceleration(robot)
    acceleration[2] = value
    x, y, z = (float(v) + 0.0 for v in -(_frame_0(robot) @ acceleration))
    return replace(robot, gravity=(x, y, z))


def _frame_0(robot: Robot) -> Array:
    """The axes of frame 0 in the world, as columns."""
    return np.asarray(np.array(robot.mount.rotation) @ np.array(robot.base.rotation))


def limit_notes(robot: Robot, inputs: Array) -> list[str]:
    """A note for every motor that would need more than its limit; inputs (n,) in V or N m."""
    kind = feed(robot)
    unit, limit = ("V", "voltage_max") if kind == "voltage" else ("N m", "torque_max")
    notes = []
    for i, (drive, value) in enumerate(zip(robot.drives, inputs.tolist(), strict=False), 1):
        largest = getattr(drive, limit)
        if abs(value) > largest * (1 + 1e-12):
            notes.append(f"note: motor {i}: {value:.6g} {unit} is beyond its limit of {largest:g}")
    return notes
