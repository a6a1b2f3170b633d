"""What the motors can really do, cycle by cycle, of what a path planner asks (001, Algorithm 1).

The algorithm itself is in `cycle`; `achiever` has it step by step.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError
from ..kernels.choice import compiles
from ..mechanics.dynamics import mass_matrix
from ..planning.trajectory import Trajectory
from ..robot.model import Robot
from ..robot.payload import Payload, with_payload
from ..run.run import Run
from .achiever import Achiever, per_point
from .casadi_loop import CasadiLoop
from .compiled_loop import CycleLoop
from .cycle import CALM, row_size
from .record import record

Array = NDArray[np.float64]


def achievable(
    robot: Robot,
    trajectory: Trajectory,
    *,
    policy: str = "consistent",
    follow: str = "velocity",
    torque_path: str = "virtual-work",
    wrench: ArrayLike | None = None,
    payload: Payload | Sequence[Payload | None] | None = None,
    q0: ArrayLike | None = None,
    qd0: ArrayLike | None = None,
) -> Run:
    """What the robot's motors achieve of a trajectory (001, Algorithm 1), as a `Run`.

    `policy`: `consistent` (erratum 8) or `printed`. `follow`: after a shortfall keep the programmed
    `velocity` (the paper: the lag stays) or catch up with the `position`. `wrench` (6,) or (N, 6)
    and `payload`, one or one for each point, act in the cycle that ends at that point.
    """
    planner, loads, carried = prepared(
        robot, trajectory, policy, follow, torque_path, wrench, payload, q0, qd0
    )
    given = np.hstack([trajectory.q, trajectory.qd])
    rows = cycles(planner, given, loads, carried)
    _warn_if_ambiguous(planner, trajectory.t, rows[:, :, 0], carried)
    return record(planner, trajectory, given, rows[:, :, 0], loads, carried)


def _warn_if_ambiguous(
    planner: Achiever, t: Array, rows: Array, carried: Sequence[Payload | None]
) -> None:
    """Say so where the diagonal torque path leaves more or less than one solution."""
    n = planner.robot.n
    if planner.drives.path == "virtual-work" or planner.policy == "printed":
        return
    hard: list[int] = np.flatnonzero(rows[1:, len(CALM) * n] > 0).tolist()
    for payload in set(carried):
        mine = np.array([k for k in hard if carried[k + 1] == payload], dtype=np.intp)
        h = mass_matrix(with_payload(planner.robot, payload), rows[mine, :n])
        doubtful = planner.drives.ambiguous(h)
        if doubtful.any():
            when = t[mine[doubtful.argmax()]]
            warnings.warn(
                f"robot {planner.robot.name!r}: with the diagonal torque path, the saturated motors"
                f" at {when:g} s may have no or several solutions",
                stacklevel=3,
            )
            return


def prepared(
    robot: Robot,
    trajectory: Trajectory,
    policy: str,
    follow: str,
    torque_path: str,
    wrench: ArrayLike | None,
    payload: Payload | Sequence[Payload | None] | None,
    q0: ArrayLike | None,
    qd0: ArrayLike | None,
) -> tuple[Achiever, Array | None, list[Payload | None]]:
    """The checked arguments of `achievable`."""
    if trajectory.n != robot.n:
        raise InputError(
            f"trajectory: expected {robot.n} joints for robot {robot.name!r}, found {trajectory.n}"
        )
    size = len(trajectory)
    loads = per_point("wrench", wrench, size)
    carried = list(payload) if isinstance(payload, Sequence) else [payload] * size
    if len(carried) != size:
        raise InputError(f"payload: expected one or {size}, one a point, found {len(carried)}")
    planner = Achiever(
        robot,
        trajectory.dt,
        policy=policy,
        follow=follow,
        torque_path=torque_path,
        q0=trajectory.q[0] if q0 is None else q0,
        qd0=trajectory.qd[0] if qd0 is None else qd0,
    )
    return planner, loads, carried


def cycles(
    planner: Achiever,
    asked: Array,
    loads: Array | None,
    carried: Sequence[Payload | None],
) -> Array:
    """The rows of all points, (N, row, 1): in machine code as far as that goes."""
    robot = planner.robot
    loaded = set(carried[1:]) != {None}
    variety = planner.variety(loads is not None, loaded)
    given = asked[1:]
    push = None if loads is None else _once(loads[1:])[:, :, None]
    body = None
    if loaded:
        kinds = list(dict.fromkeys(carried[1:]))
        numbers = CasadiLoop.of(robot, variety).bodies.numbers(kinds)
        where = {payload: k for k, payload in enumerate(kinds)}
        chosen = [where[p] for p in carried[1:]] if len(kinds) > 1 else [0]
        body = numbers[chosen][:, :, None]
    state = np.concatenate([planner.q, planner.qd])[:, None]
    done = np.zeros((1, row_size(robot.n), 1))
    done[0, : 2 * robot.n] = state
    if compiles(robot):
        loop = CycleLoop.of(robot, variety)
        done = loop.run(state, given, planner.parameters, wrench=push, body=body, noted=True)
        if len(done) == len(asked):
            return done
    gone = len(done) - 1
    left = [None if x is None else (x[gone:] if len(x) > 1 else x) for x in (push, body)]
    rest = CasadiLoop.of(robot, variety).run(
        done[-1, : 2 * robot.n], given[gone:], planner.parameters, wrench=left[0], body=left[1]
    )
    return np.concatenate([done, rest[1:]])


def _once(values: Array) -> Array:
    """One row if all are the same array row (a constant), else all of them."""
    return values[:1] if values.strides[0] == 0 else values
