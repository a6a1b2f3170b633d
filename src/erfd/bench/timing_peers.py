"""The same path timed by others: toppra (torques without friction) and copp-py (accelerations)."""

from __future__ import annotations

import contextlib
import time
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from ..ground.arrays import Array
from ..mechanics.dynamics import inverse_dynamics
from ..robot.limits import JointLimits
from ..robot.model import Robot


def without_friction(robot: Robot) -> Robot:
    """The robot with motors that rub nowhere and have no speed limit of their own."""
    free: dict[str, Any] = {"load_friction": 0.0, "coulomb": 0.0, "viscous": 0.0}
    drives = [replace(drive, **free, speed_max=np.inf) for drive in robot.drives]
    joints = [replace(joint, damping=0.0) for joint in robot.joints]
    return replace(robot, drives=tuple(drives), joints=tuple(joints))


def with_strong_motors(robot: Robot) -> Robot:
    """The robot with motors that can do all that its joints may."""
    strong: dict[str, Any] = {"torque_max": np.inf, "speed_max": np.inf, "curve": ()}
    return replace(robot, drives=tuple(replace(drive, **strong) for drive in robot.drives))


def by_toppra(robot: Robot, curve: Any, cells: int) -> tuple[Array, Array, float]:
    """Torques and joint speeds by toppra: s, s' (N + 1,), and the seconds of set-up and solving."""
    toppra, limits, algorithm = (
        import_module(name) for name in ("toppra", "toppra.constraint", "toppra.algorithm")
    )
    toppra.setup_logging("ERROR")
    n = robot.n
    K = np.array(robot.gear_matrix)
    inverse = np.linalg.inv(K)
    inertia = np.diag([drive.inertia for drive in robot.drives])
    most = np.array([drive.torque_max for drive in robot.drives])

    def torque(q: Array, qd: Array, qdd: Array) -> Array:
        return np.asarray(inverse_dynamics(robot, q, qd, qdd) @ inverse + inertia @ (K @ qdd))

    sides, both = np.vstack([np.eye(n), -np.eye(n)]), np.concatenate([most, most])
    s = np.linspace(curve.x[0], curve.x[-1], cells + 1)
    begin = time.perf_counter()
    path = toppra.SplineInterpolator(curve.x, curve(curve.x))
    speeds = JointLimits.of(robot).velocity
    constraints = [
        limits.SecondOrderConstraint(torque, lambda _: sides, lambda _: both, n),
        limits.JointVelocityConstraint(np.column_stack([-speeds, speeds])),
    ]
    solver = algorithm.TOPPRA(constraints, path, gridpoints=s)
    with contextlib.redirect_stdout(None):
        _, speed, _ = solver.compute_parameterization(0.0, 0.0)
    return s, np.asarray(speed), time.perf_counter() - begin


def by_copp(robot: Robot, curve: Any, cells: int) -> tuple[Array, Array, float]:
    """Speeds and accelerations of joints by copp-py: s, s' (N + 1,), seconds it took."""
    copp: Any = import_module("copp_py")

    limits = JointLimits.of(robot)
    s = np.linspace(curve.x[0], curve.x[-1], cells + 1)
    begin = time.perf_counter()
    arm = copp.Robot(robot.n, capacity=cells + 1)
    arm.append_s(s)
    q, first, second = (np.ascontiguousarray(curve(s, order)) for order in range(3))
    arm.set_q(q, first, second, 0)
    fast, strong = np.array(limits.velocity), np.array(limits.acceleration)
    arm.add_velocity_limits(fast, -fast, start_idx_s=0, length=cells + 1)
    arm.add_acceleration_limits(strong, -strong, start_idx_s=0, length=cells + 1)
    problem = copp.solver.topp2_ra.Problem(
        arm.constraints, idx_s_interval=(0, cells), a_boundary=(0.0, 0.0)
    )
    squares = copp.solver.topp2_ra.solve(problem, copp.solver.topp2_ra.Options())
    return s, np.sqrt(np.maximum(squares, 0.0)), time.perf_counter() - begin


def duration(s: Array, speed: Array) -> float:
    """The time of speeds at places with even accelerations between them, s."""
    return float((2 * np.diff(s) / (speed[1:] + speed[:-1])).sum())
