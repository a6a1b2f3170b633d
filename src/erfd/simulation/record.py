"""The record of a run: every quantity by name, the events, and a summary.

Row k of a cycle quantity (accelerations, torques) is of the cycle that ends at t[k]; row 0 is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..api.felt import felt_load
from ..errors import InputError
from ..motion.trajectory import Trajectory
from ..robot.model import Robot
from ..robot.payload import Payload
from .carried import ten_numbers
from .compiled import columns
from .events import Event, find_events
from .ledger import CYCLE, keep

if TYPE_CHECKING:
    from .achieve import Achiever

Array = NDArray[np.float64]

UNITS = {
    "t": "s", "q": "rad", "qd": "rad/s", "qdd": "rad/s2", "q_given": "rad", "qd_given": "rad/s",
    "qdd_given": "rad/s2", "u": "N m", "u_inertial": "N m", "u_coriolis": "N m", "u_gravity": "N m",
    "u_external": "N m", "u_friction": "N m", "q_a": "rad", "qd_a": "rad/s", "qdd_a": "rad/s2",
    "q_a_given": "rad", "qd_a_given": "rad/s", "qdd_a_given": "rad/s2", "u_a": "N m",
    "u_a_wanted": "N m", "u_a_max": "N m", "saturated": "", "clipped": "", "stalled": "",
    "ua_links": "N m", "ua_rotor": "N m", "ua_coriolis": "N m", "ua_gravity": "N m",
    "ua_external": "N m", "ua_load_friction": "N m", "ua_viscous": "N m", "force": "N",
    "moment": "N m", "pose": "m", "deviation": "m, rad", "power": "W", "energy": "J",
    "load": "g", "wrench": "N, N m", "payload": "kg, kg m, kg m2",
    "u_stop": "N m", "ua_stop": "N m", "voltage": "V", "current": "A", "kinetic": "J",
    "potential": "J", "work_motors": "J", "work_external": "J", "lost_friction": "J",
    "lost_stops": "J", "energy_gap": "J",
}  # fmt: skip
"""Every column and its unit (of a revolute joint)."""


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """What happened: `run["q"]` and so on are arrays whose first axis is time; see `UNITS`."""

    robot: Robot
    data: dict[str, Array]
    events: tuple[Event, ...]

    def __getitem__(self, name: str) -> Array:
        if name not in self.data:
            raise InputError(f"run: expected one of {', '.join(self.data)}, found {name!r}")
        return self.data[name]

    def __len__(self) -> int:
        return len(self.data["t"])

    @property
    def feasible(self) -> bool:
        """Whether the robot did what was asked of it."""
        return not self.events

    def __repr__(self) -> str:
        verdict = "feasible" if self.feasible else f"{len(self.events)} events"
        return f"Run({self.robot.name!r}, {len(self)} points, {verdict})"

    def _gear_torques(self) -> list[float | None]:
        """Average torques at the gears' outputs; None where a run does not say."""
        parts = [f"ua_{name}" for name in ("links", "coriolis", "gravity", "external")]
        if not self.robot.drives or not all(name in self.data for name in parts):
            return [None] * len(self.robot.drives)
        ratio = np.array([drive.ratio for drive in self.robot.drives])
        load = np.abs(sum(self.data[name][1:] for name in parts) * ratio)
        speed = np.abs(self["qd_a"][1:])
        turned = speed.sum(axis=0)
        mean = np.cbrt((speed * load**3).sum(axis=0) / np.where(turned > 0, turned, 1.0))
        return [float(x) for x in mean]

    def load_at(self, link: int, point: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """The load felt at a point (m) of a link (1 to n), in g and its axes, (N, 3).

        Row k is of the cycle that ends at t[k], as in `run["load"]`, which is that of the tool.
        """
        found = np.zeros((len(self), 3))
        q, qd, qdd = self["q"][:-1], self["qd"][:-1], self["qdd"][1:]
        found[1:] = felt_load(self.robot, q, qd, qdd, link=link, point=point)
        return found

    def to_pandas(self) -> Any:
        """A pandas DataFrame with every number in a column of its own, indexed by t."""
        from ..report.export import to_pandas

        return to_pandas(self)

    def summary(self) -> list[dict[str, Any]]:
        """Per motor: peak and RMS torque (N m), peak and mean speed (rad/s), against its limits.

        `gear_torque` is the average torque at the gear's output as gear makers take it, the cubic
        mean weighted with speed, (sum |n| |T|^3 / sum |n|)^(1/3), N m.
        """
        rows = []
        gear = self._gear_torques()
        torque, speed = np.abs(self["u_a"][1:]), np.abs(self["qd_a"][1:])
        for i, drive in enumerate(self.robot.drives):
            rms = float(np.sqrt((torque[:, i] ** 2).mean()))
            rows.append(
                {
                    "motor": i + 1,
                    "torque_peak": float(torque[:, i].max()),
                    "torque_rms": rms,
                    "torque_max": drive.torque_max,
                    "torque_rated": drive.torque_rated,
                    "speed_peak": float(speed[:, i].max()),
                    "speed_mean": float(speed[:, i].mean()),
                    "speed_max": drive.speed_max,
                    "gear_torque": gear[i],
                    "energy": float(self["energy"][-1, i]),
                    "saturated": float((self["saturated"][1:, i] != 0).mean()),
                }
            )
        return rows


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
        known = {p: ten_numbers(p) for p in carried}
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
