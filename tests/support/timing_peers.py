"""The same path timed by others: toppra (torques without friction) and copp-py (accelerations)."""

import contextlib
import time
from dataclasses import replace

import numpy as np

import erfd
from erfd.robot.limits import JointLimits


def joint_speeds(robot):
    """The speeds (n,) of the joints that joints and rotors on their own allow."""
    limits = JointLimits.of(robot)
    return limits.velocity


def without_friction(robot):
    """The robot with motors that rub nowhere and have no speed limit of their own."""
    names = ("load_friction", "coulomb", "viscous")
    drives = [replace(d, **dict.fromkeys(names, 0.0), speed_max=np.inf) for d in robot.drives]
    joints = [replace(j, damping=0.0) for j in robot.joints]
    return replace(robot, drives=tuple(drives), joints=tuple(joints))


def with_strong_motors(robot):
    """The robot with motors that can do all that its joints may."""
    strong = {"torque_max": np.inf, "speed_max": np.inf, "curve": ()}
    return replace(robot, drives=tuple(replace(d, **strong) for d in robot.drives))


def by_toppra(robot, curve, cells, inverse_dynamics=None):
    """s, s' (N + 1,) and the time that setting up and solving took (s), torque and speed limits."""
    import toppra
    import toppra.algorithm
    import toppra.constraint as limits

    toppra.setup_logging("ERROR")
    n = robot.n
    K = np.array(robot.gear_matrix)
    inverse = np.linalg.inv(K)
    spin = K.T @ np.diag([d.inertia for d in robot.drives]) @ K
    most = np.array([d.torque_max for d in robot.drives])
    dynamics = inverse_dynamics or (lambda *motion: erfd.inverse_dynamics(robot, *motion))

    def torque(q, qd, qdd):
        return dynamics(q, qd, qdd) @ inverse + spin @ qdd @ inverse

    sides, both = np.vstack([np.eye(n), -np.eye(n)]), np.concatenate([most, most])
    s = np.linspace(curve.x[0], curve.x[-1], cells + 1)
    begin = time.perf_counter()
    path = toppra.SplineInterpolator(curve.x, curve(curve.x))
    speeds = joint_speeds(robot)
    constraints = [
        limits.SecondOrderConstraint(torque, lambda _: sides, lambda _: both, n),
        limits.JointVelocityConstraint(np.column_stack([-speeds, speeds])),
    ]
    solver = toppra.algorithm.TOPPRA(constraints, path, gridpoints=s)
    with contextlib.redirect_stdout(None):
        _, speed, _ = solver.compute_parameterization(0.0, 0.0)
    return s, speed, time.perf_counter() - begin


def by_copp(robot, curve, cells):
    """s, s' (N + 1,) and the time that setting up and solving took (s), speeds and accelerations."""
    import copp_py as copp

    limits, n = JointLimits.of(robot), robot.n
    s = np.linspace(curve.x[0], curve.x[-1], cells + 1)
    begin = time.perf_counter()
    arm = copp.Robot(n, capacity=cells + 1)
    arm.append_s(s)
    rows = [np.ascontiguousarray(curve(s, order)) for order in range(3)]
    arm.set_q(*rows, 0)
    most = [np.ascontiguousarray(x) for x in (limits.velocity, limits.acceleration)]
    arm.add_velocity_limits(most[0], -most[0], start_idx_s=0, length=cells + 1)
    arm.add_acceleration_limits(most[1], -most[1], start_idx_s=0, length=cells + 1)
    problem = copp.solver.topp2_ra.Problem(
        arm.constraints, idx_s_interval=(0, cells), a_boundary=(0.0, 0.0)
    )
    squares = copp.solver.topp2_ra.solve(problem, copp.solver.topp2_ra.Options())
    return s, np.sqrt(np.maximum(squares, 0.0)), time.perf_counter() - begin


def duration(s, speed):
    """The time of speeds at places with even accelerations between them, s."""
    return float((2 * np.diff(s) / (speed[1:] + speed[:-1])).sum())
