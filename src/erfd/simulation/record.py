"""The record of a run: every quantity by name, the events, and a summary.

Row k of a cycle quantity (accelerations, torques) is of the cycle that ends at t[k]; row 0 is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..api.dynamics import bias, external_torque, gravity_torque, joint_reactions, mass_matrix
from ..api.kinematics import forward_kinematics
from ..errors import InputError
from ..motion.trajectory import Trajectory
from ..robot.model import Robot
from ..robot.payload import Payload, with_payload
from .drives import Drives
from .events import Event, find_events

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

    def to_pandas(self) -> Any:
        """A pandas DataFrame with every number in a column of its own, indexed by t."""
        from ..report.export import to_pandas

        return to_pandas(self)

    def summary(self) -> list[dict[str, Any]]:
        """Per motor: peak and RMS torque (N m), peak and mean speed (rad/s), against its limits."""
        rows = []
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
                    "energy": float(self["energy"][-1, i]),
                    "saturated": float((self["saturated"][1:, i] != 0).mean()),
                }
            )
        return rows


def record(
    robot: Robot,
    trajectory: Trajectory,
    drives: Drives,
    first: tuple[Array, Array],
    rows: dict[str, Array],
    wrench: Array | None,
    payloads: Sequence[Payload | None],
) -> Run:
    """A run from its cycles: all that follows from the motion is worked out here, in batches.

    `first` is the state at the start; `rows` has an array (N - 1, n) for each name of `cycle.ROW`.
    """

    def column(name: str) -> Array:
        return np.vstack([np.zeros(robot.n), rows[name]])

    dt = trajectory.dt
    data: dict[str, Array] = {"t": np.array(trajectory.t)}
    data["q"], data["qd"] = np.vstack([first[0], rows["q"]]), np.vstack([first[1], rows["qd"]])
    data["qdd"] = column("qdd")
    data |= {"q_given": np.array(trajectory.q), "qd_given": np.array(trajectory.qd)}
    data["qdd_given"] = column("wanted")
    data |= _joint_parts(robot, data, wrench, payloads)
    for name in ("q", "qd", "qdd"):
        for end in ("", "_given"):
            data[f"{name}_a{end}"] = data[f"{name}{end}"] @ drives.K.T
    data |= {"u_a": column("torque"), "u_a_wanted": column("needed"), "u_a_max": column("limit")}
    data |= {"saturated": column("side"), "clipped": column("clipped")}
    standing = drives.load(data["u_gravity"] + data["u_external"])
    stalled = drives.cannot_hold(standing, data["u_a_max"]) & (data["saturated"] != 0)
    data["stalled"] = stalled.astype(np.float64)
    for part in ("inertial", "coriolis", "gravity", "external"):
        name = "ua_links" if part == "inertial" else f"ua_{part}"
        data[name] = drives.load(data[f"u_{part}"])
    before = np.vstack([data["qd_a"][:1], data["qd_a"][:-1]])
    data["ua_rotor"] = drives.inertia * data["qdd_a"]
    data["ua_viscous"] = drives.viscous * (before + data["qdd_a"] * dt)
    data["ua_viscous"][0] = 0.0
    known = sum(data[f"ua_{p}"] for p in _KNOWN)
    data["ua_load_friction"] = data["u_a"] - known
    data["u_friction"] = (data["ua_load_friction"] + data["ua_viscous"]) @ drives.K
    data["pose"] = forward_kinematics(robot, data["q"])
    data["deviation"] = _deviation(data["pose"], forward_kinematics(robot, data["q_given"]))
    data["power"] = data["u_a"] * data["qd_a"]
    data["energy"] = np.cumsum(data["power"] * dt, axis=0)
    return Run(robot, data, find_events(data))


_KNOWN = ("links", "rotor", "coriolis", "gravity", "external", "viscous")


def _joint_parts(
    robot: Robot, data: dict[str, Array], wrench: Array | None, payloads: Sequence[Payload | None]
) -> dict[str, Array]:
    """Joint torques by cause and reactions, at the state at the start of each cycle."""
    size, n = data["q"].shape
    parts = {f"u_{p}": np.zeros((size, n)) for p in ("inertial", "coriolis", "gravity", "external")}
    parts |= {"force": np.zeros((size, n, 3)), "moment": np.zeros((size, n, 3))}
    groups: dict[Payload | None, list[int]] = {}
    for k in range(1, size):
        groups.setdefault(payloads[k], []).append(k)
    for payload, rows in groups.items():
        arm = with_payload(robot, payload)
        now = np.array(rows)
        q, qd, qdd = data["q"][now - 1], data["qd"][now - 1], data["qdd"][now]
        load = None if wrench is None else wrench[now]
        parts["u_inertial"][now] = np.einsum("kij,kj->ki", mass_matrix(arm, q), qdd)
        parts["u_gravity"][now] = gravity_torque(arm, q)
        parts["u_coriolis"][now] = bias(arm, q, qd) - parts["u_gravity"][now]
        if load is not None:
            parts["u_external"][now] = external_torque(arm, q, load)
        parts["force"][now], parts["moment"][now] = joint_reactions(arm, q, qd, qdd, wrench=load)
    names = ("inertial", "coriolis", "gravity", "external")
    return {"u": sum((parts[f"u_{p}"] for p in names), np.zeros((size, n))), **parts}


def _deviation(pose: Array, given: Array) -> Array:
    """Distance (m) and angle (rad) between the achieved and the programmed tool, (N, 2)."""
    distance = np.linalg.norm(pose[:, :3, 3] - given[:, :3, 3], axis=-1)
    turn = np.einsum("kji,kjl->kil", given[:, :3, :3], pose[:, :3, :3])
    skew = np.stack(
        [
            turn[:, 2, 1] - turn[:, 1, 2],
            turn[:, 0, 2] - turn[:, 2, 0],
            turn[:, 1, 0] - turn[:, 0, 1],
        ]
    )
    sine, cosine = np.linalg.norm(skew, axis=0) / 2, (np.einsum("kii->k", turn) - 1) / 2
    return np.stack([distance, np.arctan2(sine, cosine)], axis=-1)
