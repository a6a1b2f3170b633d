"""`Run`: the record of a motion, every quantity by name, the events, and a summary.

Row k of a cycle quantity (accelerations, torques) is of the cycle that ends at t[k]; row 0 is zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..ground.arrays import Array
from ..ground.drawn_by import painter
from ..mechanics.felt_load import felt_load
from ..robot.model import Robot
from .events import Event, is_feasible


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """The record of a motion: `run["q"]` and so on are arrays whose first axis is time.

    `data` are the arrays by name (units: `columns.UNITS`), `events` what the robot could not do.
    """

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
        """Whether the robot could follow the wanted motion: no event is a failure."""
        return is_feasible(self.events)

    def __repr__(self) -> str:
        failures = sum(event.fails for event in self.events)
        verdict = f"{failures} event{'s' * (failures > 1)}" if failures else "feasible"
        return f"Run({self.robot.name!r}, {len(self)} points, {verdict})"

    def _repr_html_(self) -> str:
        return str(painter("Run")(self))

    def plot(self, quantity: str | None = None) -> Any:
        """A figure of the run, a curve for each joint, with limits and what was asked for.

        Args:
            quantity: "q", "qd", "qdd", "u", "u_a", "path" (of the tool), "force" (in the joints) or
                "power"; left out: the motor torques if the run has them, else the positions.

        Returns:
            A `matplotlib.figure.Figure`.
        """
        return painter("Run.plot")(self, quantity)

    def gear_loads(self) -> Array | None:
        """The torques at the gears' outputs in each cycle.

        Returns:
            (N - 1, n), N m, N of sliding joints: what the links and the damping of the joints load
            the rotors with, less what a stop carries, times the ratios, without rotor inertia and
            without the friction of gear and motor. None where the run does not say.
        """
        parts = [f"ua_{name}" for name in ("links", "coriolis", "gravity", "external")]
        if not self.robot.drives or not all(name in self.data for name in parts):
            return None
        parts += ["ua_stop"] if "ua_stop" in self.data else []
        loads = np.sum([self.data[name][1:] for name in parts], axis=0)
        damping = np.array([joint.damping for joint in self.robot.joints])
        if damping.any():
            loads = loads + (damping * self["qd"][1:]) @ np.linalg.inv(self.robot.gear_matrix)
        return np.asarray(loads * np.array([drive.ratio for drive in self.robot.drives]))

    def _gear_torques(self) -> list[float | None]:
        """Average torques at the gears' outputs; None where a run does not say."""
        loads = self.gear_loads()
        if loads is None:
            return [None] * len(self.robot.drives)
        load = np.abs(loads)
        rates = np.abs(self["qd_a"])
        speed = (rates[1:] + rates[:-1]) / 2
        turned = speed.sum(axis=0)
        mean = np.cbrt((speed * load**3).sum(axis=0) / np.where(turned > 0, turned, 1.0))
        return [float(x) for x in mean]

    def load_at(self, link: int, point: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """The load felt at a point of a link over the run; `run["load"]` is that of the tool.

        Args:
            link: The link, 1 to n.
            point: The point (m), fixed in the frame of the link, (3,).

        Returns:
            The load in g, in the axes of the link's frame, (N, 3); row k is of the cycle that ends
            at t[k].
        """
        loads = np.zeros((len(self), 3))
        q, qd, qdd = self["q"][:-1], self["qd"][:-1], self["qdd"][1:]
        loads[1:] = felt_load(self.robot, q, qd, qdd, link=link, point=point)
        return loads

    def to_pandas(self) -> Any:
        """The run as a pandas DataFrame.

        Returns:
            A row for each moment, indexed by t (s), a column for each number;
            `frame.attrs["units"]` are the units.
        """
        from .write import to_pandas

        return to_pandas(self)

    def summary(self) -> list[dict[str, Any]]:
        """The load of each motor beside its limits.

        Returns:
            A dict for each motor (`motor`, from 1): torque (N m) at its peak, RMS, limit and rated;
            speed (rad/s) at its peak, mean and limit; `energy` (J); `saturated`, the part of time
            (0 to 1) at the torque limit. `gear_torque` is the average torque (N m) at the gear's
            output as gear makers take it, the cubic mean weighted with speed,
            `(sum |n| |T|^3 / sum |n|)^(1/3)`; None where the run does not say.
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
