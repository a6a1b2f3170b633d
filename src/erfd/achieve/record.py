"""The record of a motion under Algorithm 1: all columns of its `Run`, in one pass.

Row k of a cycle quantity (accelerations, torques) is of the cycle that ends at t[k]; row 0 is zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..drives.drives import Drives
from ..ground.arrays import Array
from ..planning.trajectory import Trajectory
from ..run.columns import UNITS
from ..run.events import RUN_AWAY, STOP, find_events
from ..run.run import Run
from .compiled_loop import columns
from .record_kernel import CYCLE, derived_columns

if TYPE_CHECKING:
    from .achiever import Achiever
    from .loads import Loads


def record(
    achiever: Achiever, trajectory: Trajectory, rows: Array, loads: Loads, *, measured: bool = False
) -> Run:
    """Make a run from its cycles: `rows` are those of `cycle` (N, ..), the start first.

    Fewer rows than the trajectory has points: the arm has run away, and the run ends there.
    `measured`: the rows are no cycles of Algorithm 1, friction is what is left of their torques.
    """
    count = len(rows)
    loads = loads.first(count)
    robot, drives, n = achiever.robot, achiever.drives, achiever.robot.n
    values = columns(rows, n, achiever.policy)
    data: dict[str, Array] = {
        "t": trajectory.t[:count], "q_given": trajectory.q[:count],
        "qd_given": trajectory.qd[:count],
    }  # fmt: skip
    data |= {name: values[key] for name, key in ROWS.items()}
    given = np.hstack([data["q_given"], data["qd_given"]])
    derived = derived_columns(achiever, loads, rows, given=given, wanted=values["wanted"])
    for name in (*CYCLE, "force", "moment", "load"):
        derived[name][0] = 0.0
    data |= derived
    if values["stop"].any():
        data["u_stop"], data["ua_stop"] = values["stop"], -drives.load(values["stop"])
        data["ua_load_friction"] -= data["ua_stop"]
        data["u_friction"] -= data["ua_stop"] @ drives.K
        data["clipped"] = np.where(values["stop"] != 0, STOP, data["clipped"])
    if not measured and data["saturated"].any():
        _settle_divided(data, drives, values["load"], trajectory.dt)
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
    ended = RUN_AWAY if count < len(trajectory.t) else ""
    return Run(robot, ordered, find_events(ordered, robot, ended=ended))


def _settle_divided(data: dict[str, Array], drives: Drives, load: Array, dt: float) -> None:
    """Give friction no more than it can be in cycles that were divided.

    Means of the torques do not fit the equations of the cycle's start there; what the terms change
    within the cycle counts to the centrifugal and Coriolis part.
    """
    apart = np.abs(np.diff(data["q"], axis=0) - data["qd"][1:] * dt)
    divided = (apart > 1e-9 * (1 + np.abs(data["q"][1:]))).any(axis=1)
    rows = 1 + np.flatnonzero(divided & (data["saturated"][1:] != 0).any(axis=1))
    if not len(rows):
        return
    most = drives.load_friction * np.abs(load[rows]) + drives.coulomb
    friction = data["ua_load_friction"][rows]
    excess = friction - np.clip(friction, -most, most)
    data["u_a_max"] = data["u_a_max"].copy()  # at the start, where a motor may have less
    data["u_a_max"][rows] = np.maximum(data["u_a_max"][rows], np.abs(data["u_a"][rows]))
    data["ua_load_friction"][rows] -= excess
    data["ua_coriolis"][rows] += excess
    data["u_friction"][rows] -= excess @ drives.K
    data["u_coriolis"][rows] += excess @ drives.K


ROWS = {
    "q": "q", "qd": "qd", "qdd": "qdd", "qdd_given": "wanted", "u_a": "torque",
    "u_a_wanted": "needed", "u_a_max": "limit", "saturated": "side", "clipped": "clipped",
}  # fmt: skip
"""Columns of a run that stand in the rows of `cycle`, and their names there."""
