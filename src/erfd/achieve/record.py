"""The run of a motion under Algorithm 1: all columns from its cycles, in one pass.

Row k of a cycle quantity (accelerations, torques) is of the cycle that ends at t[k]; row 0 is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..planning.trajectory import Trajectory
from ..robot.payload import Payload, payload_numbers
from ..run.events import find_events
from ..run.run import Run
from ..run.units import UNITS
from .compiled_loop import columns
from .record_kernel import CYCLE, keep

if TYPE_CHECKING:
    from .achiever import Achiever

Array = NDArray[np.float64]


def record(
    planner: Achiever,
    trajectory: Trajectory,
    asked: Array,
    rows: Array,
    wrench: Array | None,
    payloads: Sequence[Payload | None],
) -> Run:
    """A run from its cycles: all that follows from the motion is worked out here, in one pass.

    `asked` (N, 2 n) is the given state, `rows` are those of `cycle` (N, ..), the start first.
    """
    robot, drives, n = planner.robot, planner.drives, planner.robot.n
    tens = None
    carried = set(payloads)
    if carried != {None}:
        known = {p: payload_numbers(p) for p in carried}
        tens = np.array([known[p] for p in payloads])
    found = columns(rows, n, planner.policy)
    data: dict[str, Array] = {"t": trajectory.t, "q_given": trajectory.q, "qd_given": trajectory.qd}
    data |= {name: found[key] for name, key in ROWS.items()}
    fixed = planner.parameters[:, 0]
    kept = keep(robot, drives.path, rows, asked, found["wanted"], wrench, tens, fixed)
    for name in (*CYCLE, "force", "moment", "load"):
        kept[name][0] = 0.0
    data |= kept
    data["stalled"] = np.zeros((len(rows), n))
    tight = bool(data["saturated"].any())
    if tight:
        standing = data["ua_gravity"] + data["ua_external"]
        stalled = drives.cannot_hold(standing, data["u_a_max"]) & (data["saturated"] != 0)
        data["stalled"] = stalled.astype(np.float64)
    distance, sine, cosine = kept["apart"].T
    data["deviation"] = np.stack([distance, np.arctan2(sine, cosine)], axis=-1)
    data["energy"] = np.cumsum(data["power"] * trajectory.dt, axis=0)
    if wrench is not None:
        data["wrench"] = np.array(wrench)
    if tens is not None:
        data["payload"] = tens
    ordered = {name: data[name] for name in UNITS if name in data}
    eventful = tight or bool(data["clipped"].any())
    return Run(robot, ordered, find_events(ordered, robot) if eventful else ())


ROWS = {
    "q": "q", "qd": "qd", "qdd": "qdd", "qdd_given": "wanted", "u_a": "torque",
    "u_a_wanted": "needed", "u_a_max": "limit", "saturated": "side", "clipped": "clipped",
}  # fmt: skip
"""Columns of a run that stand in the rows of `cycle`, and their names there."""
