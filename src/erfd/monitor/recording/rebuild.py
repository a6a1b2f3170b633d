"""Make a `Run` of a recorded stream: its numbers, and what follows from them by the model.

What was streamed is kept to the last bit. What was not is worked out as for any run: velocities and
accelerations by differences, torques by the robot's dynamics and drives. Where samples are missing
a new stretch begins; nothing is made up in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...ground.arrays import Array
from ...robot.limits import JointLimits
from ...robot.payload import Payload, payload_from_numbers, with_payload
from ..protocol import Hello
from ..viewer.reader import Batch, Item, Message, Restart

if TYPE_CHECKING:
    from ...achieve.achiever import Achiever
    from ...planning.trajectory import Trajectory
    from ...robot.model import Robot
    from ...run.run import Run

VECTORS = ("force", "moment", "load")
OF_JOINTS = (
    "power", "energy", "voltage", "current", "q_a", "qd_a", "qdd_a", "q_a_given", "qd_a_given",
    "qdd_a_given", "u_inertial", "u_coriolis", "u_gravity", "u_external", "u_friction", "ua_links",
    "ua_rotor", "ua_coriolis", "ua_gravity", "ua_external", "ua_load_friction", "ua_viscous",
)  # fmt: skip
"""What a run has and no stream needs to: three numbers, or one, for every joint or the tool."""


@dataclass(frozen=True, slots=True, eq=False)
class StreamHistory:
    """One history of a stream: its hello, sequence numbers (N,), t (N,), rows (N, w), messages."""

    hello: Hello
    numbers: NDArray[np.int64]
    t: Array
    rows: Array
    messages: tuple[dict[str, Any], ...]


def recordings(items: Sequence[Item]) -> list[StreamHistory]:
    """Split the items of a journal into histories; those without samples are left out."""
    histories: list[StreamHistory] = []
    hello: Hello | None = None
    batches: list[Batch] = []
    messages: list[dict[str, Any]] = []

    def end() -> None:
        if hello is not None and batches:
            numbers = np.concatenate([b.numbers for b in batches])
            t, rows = (np.concatenate([getattr(b, k) for b in batches]) for k in ("t", "rows"))
            histories.append(StreamHistory(hello, numbers, t, rows, tuple(messages)))
        batches.clear()
        messages.clear()

    for item in items:
        if isinstance(item, Hello):
            end()
            hello = item
        elif isinstance(item, Restart):
            end()
        elif isinstance(item, Message):
            messages.append(item.body)
        elif hello is not None and item.rows.shape[1] == hello.width:
            batches.append(item)
    end()
    return histories


def robot_of(hello: Hello) -> Robot | None:
    """The robot that the publisher described, or a bundled one of that name."""
    from ...robot.library import load, robots
    from ...robot.readers import toml

    if hello.model:
        return toml.loads(hello.model)
    return load(hello.robot) if hello.robot in robots() else None


def run_of(recording: StreamHistory, robot: Robot | None = None) -> Run:
    """Make a run of a history; `robot` where the publisher has not described it."""
    from ...achieve.achiever import Achiever
    from ...mechanics.kinematics import forward_kinematics
    from ...run.events import find_events
    from ...run.run import Run

    hello = recording.hello
    robot = robot or robot_of(hello)
    if robot is None:
        raise InputError(
            f"{hello.name}: expected a stream that describes its robot; name one with --robot"
        )
    if robot.n != hello.n or "q" not in hello.places:
        raise InputError(f"{hello.name}: expected q of {robot.n} joints, found n = {hello.n}")
    streamed = {name: recording.rows[:, place] for name, place in hello.places.items()}
    # a jump ahead in time is a gap, too
    steps = np.diff(recording.numbers) != 1
    steps |= np.diff(recording.t) > 1.5 * hello.dt
    edges = [0, *(np.flatnonzero(steps) + 1).tolist(), len(recording.t)]
    if not robot.drives:  # motors are unknown: what came, and the tool
        data = {"t": recording.t, "pose": forward_kinematics(robot, streamed["q"])}
        return Run(robot, data | _as_run(streamed, robot.n), ())
    limits = JointLimits.of(robot)
    achiever = Achiever(robot, hello.dt, q0=np.clip(streamed["q"][0], limits.lower, limits.upper))
    parts = [
        _stretch(achiever, recording.t[a:b], {k: v[a:b] for k, v in streamed.items()})
        for a, b in pairwise(edges)
    ]
    data = {}
    for name in {name: 0 for part in parts for name in part}:  # a wrench may come and go
        shape = next(part[name].shape[1:] for part in parts if name in part)
        empty = (np.zeros((len(part["t"]), *shape)) for part in parts)
        data[name] = np.concatenate([p.get(name, e) for p, e in zip(parts, empty, strict=True)])
    data["energy"] = np.cumsum(data["power"] * hello.dt, axis=0)
    data |= _as_run(streamed, robot.n)
    programmed = "qd_given" in streamed and len(edges) == 2  # no gap that looks like a jump
    return Run(robot, data, find_events(data, robot, programmed=programmed))


def _stretch(achiever: Achiever, t: Array, streamed: dict[str, Array]) -> dict[str, Array]:
    """Compute all quantities of samples without a gap.

    The state before the first sample follows from its velocity and acceleration, so that every
    sample is the end of a cycle.
    """
    from ...achieve.loads import Loads
    from ...achieve.record import record

    dt, size, drives = achiever.dt, len(t), achiever.drives
    q = streamed["q"]
    qd = streamed.get("qd", _difference(q, dt))
    qdd = streamed.get("qdd", _difference(qd, dt))
    first = q[0] - qd[0] * dt, qd[0] - qdd[0] * dt
    starts = np.vstack([first[0], q[:-1]]), np.vstack([first[1], qd[:-1]])
    wrench = streamed.get("wrench", np.zeros((size, 6)))
    ten = streamed.get("payload", np.zeros((size, 10)))
    payloads = [payload_from_numbers(row) for row in ten.tolist()]
    rows = {"q": q, "qd": qd, "qdd": qdd, "wanted": streamed.get("qdd_given", qdd)}
    if "u_a" in streamed:
        rows["torque"] = streamed["u_a"]
    else:
        rows["torque"] = _torques(achiever, *starts, qdd, wrench, payloads)
    rows["needed"] = streamed.get("u_a_wanted", rows["torque"])
    rows["limit"] = streamed.get("u_a_max", drives.limit(starts[1] @ drives.K.T))
    over = np.abs(rows["needed"]) > rows["limit"] * (1 + 1e-9)
    rows["side"] = streamed.get("saturated", np.where(over, np.sign(rows["needed"]), 0.0))
    rows["clipped"] = streamed.get("clipped", np.zeros_like(q))
    given = streamed.get("q_given", q), streamed.get("qd_given", qd)
    # not a `Trajectory`: a clock's t need not be a perfect grid
    given_motion = _GivenMotion(
        np.r_[t[0] - dt, t], np.vstack([first[0], given[0]]), _with_row_before(given[1]), dt
    )
    wrench_rows = _with_row_before(wrench) if wrench.any() else None
    table = _table(q.shape[1], first, rows)
    loads = Loads(wrench_rows, [None, *payloads])
    run = record(achiever, cast("Trajectory", given_motion), table, loads, measured=True)
    return {name: values[1:] for name, values in run.data.items()}


def _table(n: int, first: tuple[Array, Array], rows: dict[str, Array]) -> Array:
    """Rows of `achieve.cycle`, the start first, as its compiled loop leaves them."""
    from ...achieve.symbols import CYCLE_VECTORS, NOTE_VECTORS, SATURATED_VECTORS, row_size

    table = np.zeros((len(rows["q"]) + 1, row_size(n)))
    table[0, : 2 * n] = np.concatenate(first)
    after = len(CYCLE_VECTORS) * n
    table[1:, after] = 1.0  # the parts of `SATURATED_VECTORS` are written, too
    starts = {name: k * n for k, name in enumerate(CYCLE_VECTORS)}
    starts |= {
        name: after + 1 + k * n for k, name in enumerate((*SATURATED_VECTORS, *NOTE_VECTORS))
    }
    for name, values in rows.items():
        table[1:, starts[name] : starts[name] + n] = values
    return table


def _with_row_before(values: Array) -> Array:
    """Put a row that is not used before the values."""
    return np.vstack([values[:1], values])


@dataclass(frozen=True, slots=True, eq=False)
class _GivenMotion:
    """What `achieve.record` reads of a trajectory: t (N,), q and qd (N, n), dt s."""

    t: Array
    q: Array
    qd: Array
    dt: float

    def __len__(self) -> int:
        return len(self.t)


def _difference(values: Array, dt: float) -> Array:
    """Differences (x[k] - x[k-1]) / dt; the first is taken as the second, 0 if there is none."""
    differences = np.zeros_like(values)
    differences[1:] = np.diff(values, axis=0) / dt
    differences[:1] = differences[1:2] if len(values) > 1 else 0.0
    return differences


def _torques(
    achiever: Achiever,
    q: Array,
    qd: Array,
    qdd: Array,
    wrench: Array,
    payloads: Sequence[Payload | None],
) -> Array:
    """Motor torques of cycles that begin at q, qd and have the accelerations qdd."""
    from ...mechanics.dynamics import inverse_dynamics

    drives, dt = achiever.drives, achiever.dt
    u = np.array([joint.damping for joint in achiever.robot.joints]) * (qd + qdd * dt)
    for payload in set(payloads):
        rows = np.array([carried == payload for carried in payloads])
        robot = with_payload(achiever.robot, payload)
        u[rows] += inverse_dynamics(robot, q[rows], qd[rows], qdd[rows], wrench=wrench[rows])
    return drives.motor_torque(drives.load(u), qd @ drives.K.T, qdd @ drives.K.T, dt)


def _as_run(streamed: dict[str, Array], n: int) -> dict[str, Array]:
    """Streamed quantities in the shapes of a run, which has its own meaning of some names.

    What a controller calls `power` may not be a number for each joint: it is `power_streamed` then.
    """
    data = {}
    for column, values in streamed.items():
        renamed = column in VECTORS or (column in OF_JOINTS and values.shape[1] != n)
        name = f"{column}_streamed" if renamed else column
        if name in ("wrench", "payload") and not values.any():
            continue  # a run has them only where there are any
        if name == "pose":
            poses = np.tile(np.eye(4), (len(values), 1, 1))
            poses[:, :3] = values.reshape(-1, 3, 4)
            data[name] = poses
        elif name in ("path_time", "rate", "line"):
            data[name] = np.ascontiguousarray(values[:, 0])
        else:
            data[name] = np.ascontiguousarray(values)
    return data
