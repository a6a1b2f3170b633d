"""The achievable motion of a whole trajectory as a `Run` (001, Algorithm 1).

The algorithm itself is in `cycle`; `achiever` has it step by step.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..ground.arguments import instance_of
from ..ground.arrays import Array
from ..ground.caller import warn_caller
from ..kernels.choice import compiles
from ..mechanics.dynamics import mass_matrix
from ..planning.trajectory import Trajectory
from ..robot.library import RobotLike, robot_of
from ..robot.model import Robot
from ..robot.payload import Payload, PayloadLike, with_payload
from ..run.run import Run
from .achiever import Achiever
from .casadi_loop import CasadiLoop
from .compiled_loop import CycleLoop
from .loads import Loads
from .record import record
from .symbols import CYCLE_VECTORS, row_size


def achievable(
    robot: RobotLike,
    trajectory: Trajectory,
    *,
    policy: str = "consistent",
    follow: str = "velocity",
    torque_path: str = "virtual-work",
    wrench: ArrayLike | None = None,
    payload: PayloadLike | Sequence[PayloadLike | None] | None = None,
    q0: ArrayLike | None = None,
    qd0: ArrayLike | None = None,
) -> Run:
    """Compute the motion that the robot's motors achieve of a trajectory (001, Algorithm 1).

    Args:
        robot: The arm, with a drive for every joint.
        trajectory: The given motion: N points, dt s apart, of the robot's n joints.
        policy: How a shortage of torque is shared: `consistent` (erratum 8) or `printed`.
        follow: What the arm follows after a shortfall: the programmed `velocity` (the paper: the
            lag stays) or the `position`, with which it catches up.
        torque_path: How joint torques come to the rotors: `virtual-work` or `diagonal`.
        wrench: Force (N), then moment (N m), that the end effector exerts on the environment at
            the tool point, base coordinates: (6,), or (N, 6) for the cycle that ends at each point.
        payload: What the arm carries, a `Payload` or kg at the tool point: one, or N, each for the
            cycle that ends at its point.
        q0: Joint positions at the start, (n,), rad (m); the trajectory's if left out.
        qd0: Joint velocities at the start, (n,), rad/s (m/s); the trajectory's if left out.

    Returns:
        A `Run` of N points: motion, torques by cause, reactions, poses, events. An arm that runs
        away (a joint turns faster than parts of a cycle can follow) ends it before the N-th point.

    Raises:
        InputError: An argument does not fit the robot or the trajectory, or the arm runs away in
            the first cycle.

    >>> import numpy as np, erfd
    >>> t = 0.01 * np.arange(101)
    >>> motion = erfd.Trajectory(t, 0.2 * (1 - np.cos(np.pi * t[:, None])) * np.ones(6))
    >>> erfd.achievable(erfd.load("lola15"), motion).feasible
    True
    """
    robot = robot_of(robot)
    instance_of("trajectory", trajectory, Trajectory)
    options = {"policy": policy, "follow": follow, "torque_path": torque_path}
    achiever = achiever_of(robot, trajectory, q0, qd0, **options)
    loads = Loads.of(len(trajectory), wrench, payload)
    rows = cycles(achiever, given_rows(trajectory.q, trajectory.qd), loads)[:, :, 0]
    if len(rows) == 1:
        raise InputError(
            "achievable: expected loads and a start that an arm can have: it runs away in the first"
            " cycle"
        )
    if len(rows) < len(trajectory) and policy == "printed":
        raise InputError(
            f"policy: the printed one has no finite result after {trajectory.t[len(rows) - 1]:g} s"
            f" with dt = {trajectory.dt:g} s; expected a longer cycle, or `consistent`"
        )
    _warn_if_ambiguous(achiever, trajectory.t, rows, loads.payloads)
    return record(achiever, trajectory, rows, loads)


def _warn_if_ambiguous(
    achiever: Achiever, t: Array, rows: Array, payloads: Sequence[Payload | None]
) -> None:
    """Warn where the diagonal torque path leaves no or several solutions."""
    n = achiever.robot.n
    if achiever.drives.path == "virtual-work" or achiever.policy == "printed":
        return
    saturated: list[int] = np.flatnonzero(rows[1:, len(CYCLE_VECTORS) * n] > 0).tolist()
    for payload in set(payloads):
        indices = np.array([k for k in saturated if payloads[k + 1] == payload], dtype=np.intp)
        h = mass_matrix(with_payload(achiever.robot, payload), rows[indices, :n])
        doubtful = achiever.drives.ambiguous(h)
        if doubtful.any():
            when = t[indices[doubtful.argmax()]]
            warn_caller(
                f"robot {achiever.robot.name!r}: with the diagonal torque path, the saturated"
                f" motors at {when:g} s may have no or several solutions"
            )
            return


def achiever_of(
    robot: Robot,
    trajectory: Trajectory,
    q0: ArrayLike | None,
    qd0: ArrayLike | None,
    **options: str,
) -> Achiever:
    """The achiever of a trajectory, from its start if `q0` or `qd0` is left out."""
    if trajectory.n != robot.n:
        raise InputError(
            f"trajectory: expected {robot.n} joints for robot {robot.name!r}, found {trajectory.n}"
        )
    q0, qd0 = trajectory.q[0] if q0 is None else q0, trajectory.qd[0] if qd0 is None else qd0
    return Achiever(robot, trajectory.dt, q0=q0, qd0=qd0, **options)


def given_rows(q: Array, qd: Array) -> Array:
    """What is given for the cycles (N, 3 n): positions, velocities, and the velocities before."""
    return np.hstack([q, qd, np.vstack([qd[:1], qd[:-1]])])


def cycles(achiever: Achiever, given: Array, loads: Loads) -> Array:
    """Run Algorithm 1 over all points: rows as in `cycle`, (N, row, 1), the start first.

    `given` (N, 3 n) has positions, velocities, and those before. Machine code does what it can,
    CasADi the rest; fewer rows than N: the arm ran away.
    """
    robot, payloads = achiever.robot, loads.payloads[1:]
    loaded = set(payloads) != {None}
    options = achiever.cycle_options(loads.wrench is not None, loaded)
    targets = given[1:]
    wrench = None if loads.wrench is None else _once(loads.wrench[1:])[:, :, None]
    body = None
    if loaded:
        distinct = list(dict.fromkeys(payloads))
        numbers = CasadiLoop.of(robot, options).bodies.numbers(distinct)
        place_of = {payload: k for k, payload in enumerate(distinct)}
        chosen = [place_of[p] for p in payloads] if len(distinct) > 1 else [0]
        body = numbers[chosen][:, :, None]
    state = np.concatenate([achiever.q, achiever.qd])[:, None]
    rows = np.zeros((1, row_size(robot.n), 1))
    rows[0, : 2 * robot.n] = state
    if compiles(robot):
        loop = CycleLoop.of(robot, options)
        rows = loop.run(state, targets, achiever.parameters, wrench=wrench, body=body, noted=True)
        if len(rows) == len(given):
            return rows
    done = len(rows) - 1
    left = [None if x is None else (x[done:] if len(x) > 1 else x) for x in (wrench, body)]
    rest = CasadiLoop.of(robot, options).run(
        rows[-1, : 2 * robot.n], targets[done:], achiever.parameters, wrench=left[0], body=left[1]
    )
    return np.concatenate([rows, rest[1:]])


def _once(values: Array) -> Array:
    """Keep one row of values that were broadcast (a constant), else all rows."""
    return values[:1] if values.strides[0] == 0 else values
