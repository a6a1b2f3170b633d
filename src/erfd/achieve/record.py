"""The record of a motion under Algorithm 1: all columns of its `Run`, in one pass.

Row k of a cycle quantity (accelerations, torques) is of the cycle that ends at t[k]; row 0 is zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..ground.arrays import Array
from ..planning.trajectory import Trajectory
from ..run.columns import UNITS
from ..run.events import find_events
from ..run.run import Run
from .compiled_loop import columns
from .record_kernel import CYCLE, derived_columns

if TYPE_CHECKING:
    from .achiever import Achiever
    from .loads import Loads


def record(achiever: Achiever, trajectory: Trajectory, rows: Array, loads: Loads) -> Run:
    """Make a run from its cycles: `rows` are those of `cycle` (N, ..), the start first."""
    robot, drives, n = achiever.robot, achiever.drives, achiever.robot.n
    values = columns(rows, n, achiever.policy)
    data: dict[str, Array] = {"t": trajectory.t, "q_given": trajectory.q, "qd_given": trajectory.qd}
    data |= {name: values[key] for name, key in ROWS.items()}
    given = np.hstack([trajectory.q, trajectory.qd])
    derived = derived_columns(achiever, loads, rows, given=given, wanted=values["wanted"])
    for name in (*CYCLE, "force", "moment", "load"):
        derived[name][0] = 0.0
    data |= derived
    data["stalled"] = np.zeros((len(rows), n))
    saturated = bool(data["saturated"].any())
    if saturated:
        standing = data["ua_gravity"] + data["ua_external"]
        stalled = drives.cannot_hold(standing, data["u_a_max"]) & (data["saturated"] != 0)
        data["stalled"] = stalled.astype(np.float64)
    distance, sine, cosine = derived["apart"].T
    data["deviation"] = np.stack([distance, np.arctan2(sine, cosine)], axis=-1)
    data["energy"] = np.cumsum(data["power"] * trajectory.dt, axis=0)
    if loads.wrench is not None:
        data["wrench"] = np.array(loads.wrench)
    if loads.payload_rows is not None:
        data["payload"] = loads.payload_rows
    ordered = {name: data[name] for name in UNITS if name in data}
    eventful = saturated or bool(data["clipped"].any())
    return Run(robot, ordered, find_events(ordered, robot) if eventful else ())


ROWS = {
    "q": "q", "qd": "qd", "qdd": "qdd", "qdd_given": "wanted", "u_a": "torque",
    "u_a_wanted": "needed", "u_a_max": "limit", "saturated": "side", "clipped": "clipped",
}  # fmt: skip
"""Columns of a run that stand in the rows of `cycle`, and their names there."""
