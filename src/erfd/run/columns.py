"""The columns of a run: their names and units, and the run as a flat table of numbers.

| quantity | columns |
|---|---|
| `t` | `t` |
| one number a joint or motor: `q`, `u_a`, ... | `q1`, `q2`, ... |
| one vector a joint: `force`, `moment` | `force1_x`, `force1_y`, `force1_z`, `force2_x`, ... |
| `pose`, the 4 x 4 matrix of the tool | `pose_00` (row 0, column 0), `pose_01`, ... `pose_33` |
| `deviation` | `deviation_distance`, `deviation_angle` |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import InputError
from ..ground.arrays import Array

if TYPE_CHECKING:
    from ..robot.model import Robot
    from .run import Run


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
"""The unit of every quantity (of a revolute joint), by name."""

_OF_JOINTS = frozenset((
    "q", "qd", "qdd", "q_given", "qd_given", "qdd_given", "u", "u_inertial", "u_coriolis",
    "u_gravity", "u_external", "u_friction", "u_stop",
))  # fmt: skip
OF_CYCLES = frozenset(("force", "moment", "power", "load")) | frozenset(
    name for name in UNITS if name.startswith(("qdd", "u"))
)
"""Quantities of a cycle in an achieved motion, whose row 0 belongs to none and is zero there."""
SLIDING = {"rad": "m", "rad/s": "m/s", "rad/s2": "m/s2", "N m": "N"}
"""The unit of a joint that slides, by that of one that turns."""


@dataclass(frozen=True, slots=True, eq=False)
class TableColumn:
    """A column of the table of a run: its name, its unit ("" if none) and its values (N,)."""

    name: str
    unit: str
    values: Array

    @property
    def title(self) -> str:
        """Name and unit, as in `q1 [rad]`."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name


def columns(run: Run) -> dict[str, tuple[TableColumn, ...]]:
    """The columns of every quantity of the run, in its order."""
    table = {}
    for name, array in run.data.items():
        if len(array) != len(run):
            raise InputError(f"run: {name}: expected {len(run)} rows, found {len(array)}")
        shape = array.shape[1:]
        unit = UNITS.get(name, "")
        flat = np.asarray(array, dtype=np.float64).reshape(len(run), -1)
        table[name] = tuple(
            TableColumn(
                name + suffix, _unit(name, index, unit, run.robot), np.ascontiguousarray(values)
            )
            for index, suffix, values in zip(
                np.ndindex(shape), _suffixes(name, shape, run.robot.n), flat.T, strict=True
            )
        )
    return table


def _suffixes(name: str, shape: tuple[int, ...], n: int) -> list[str]:
    """The ends of the column names behind the name of the quantity, one for each number."""
    if name == "deviation":
        return ["_distance", "_angle"]
    if shape == ():
        return [""]
    if shape == (n,):
        return [f"{i + 1}" for i in range(n)]
    if shape == (n, 3):
        return [f"{i + 1}_{axis}" for i in range(n) for axis in "xyz"]
    separator = "" if max(shape) <= 10 else "_"
    return ["_" + separator.join(map(str, index)) for index in np.ndindex(shape)]


def _unit(name: str, index: tuple[int, ...], unit: str, robot: Robot) -> str:
    """The unit of one number; joints that slide have other units than joints that turn."""
    if name == "pose":
        return unit if index[1] == 3 and index[0] < 3 else ""
    if name == "deviation":
        return unit.split(", ")[index[0]]
    if name in _OF_JOINTS and not robot.joints[index[0]].revolute:
        return SLIDING[unit]
    return unit
