"""State of the shell: robot, variables, simulation so far, open output file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..errors import InputError
from ..ground.arrays import Array
from ..robot.library import load
from ..robot.model import Robot
from .arm import base_acceleration, torques, voltages, with_gravity
from .converter import MOST_BITS, USUAL_RANGE, converted
from .history import History
from .variables import VARIABLES, feed, number_text, variable_line


@dataclass(slots=True, eq=False)
class OutputFile:
    """The file that print_simulation writes to while it is open."""

    path: Path
    text: str = ""


@dataclass(slots=True, eq=False)
class ShellSession:
    """The state of a shell; `source` is what its robot was loaded from.

    `dt` in s and `method` are those of simulations; `stops` says whether joints end at their limits
    (`inelastic`) or ignore them (None).
    """

    source: str
    robot: Robot
    dt: float = 0.001
    method: str = "rk3"
    stops: str | None = "inelastic"
    values: dict[str, Array] = field(default_factory=dict)
    history: History | None = None
    output: OutputFile | None = None

    def __post_init__(self) -> None:
        self._reset()

    def _reset(self) -> None:
        n = self.robot.n
        self.values = {name: np.zeros(v.size or n) for name, v in VARIABLES.items()}
        self.values["DACTimePeriod"] = np.array([self.dt])
        self.values["gravity"] = base_acceleration(self.robot)[2:] + 0.0
        self.values["DACRange"] = self._usual_range()
        if self.feed == "torque":
            del self.values["voltage"]
        self.history = None

    def _usual_range(self) -> Array:
        """The limits of the motors, V (N m): what a converter would be chosen for."""
        limit = "voltage_max" if self.feed == "voltage" else "torque_max"
        found = np.array([getattr(drive, limit) for drive in self.robot.drives] or [np.inf])
        limits = np.broadcast_to(found, (self.robot.n,))
        return np.where(np.isfinite(limits), limits, USUAL_RANGE)

    @property
    def feed(self) -> str:
        """What drives the arm: `voltage` or `torque`."""
        return feed(self.robot)

    @property
    def wrench(self) -> Array | None:
        """Force (N) and moment (N m) of the hand on its surroundings (6,); None if zero."""
        wrench_values = np.concatenate([self.values["f_hand"], self.values["n_hand"]])
        return wrench_values if wrench_values.any() else None

    def read(self, source: str) -> None:
        """Load another robot: every variable begins again, and the simulation is gone."""
        self.robot, self.source = load(source), source
        self._reset()

    def get(self, name: str) -> Array:
        """The value of a variable; one that this robot does not have is an error that says why."""
        if name not in self.values:
            raise InputError(
                f"{name}: robot {self.robot.name!r} does not tell R and Kt of all its motors; "
                "use torque"
            )
        return self.values[name]

    def set(self, name: str, values: Array) -> tuple[str, ...]:
        """Set a variable and those that are tied to it; returns the names of all of them."""
        self.get(name)
        if name == "gravity":
            self.robot = with_gravity(self.robot, float(values[0]))
        self._check(name, values)
        self.values[name] = np.array(values)
        if name == "DACOut":
            self.values[name] = self.converted(self.values[name])
        return (name, *self._tie(name))

    def _tie(self, name: str) -> tuple[str, ...]:
        """Update what is tied to a variable: torque, voltage, DACOut; the torque to omega, too."""
        values, omega = self.values, self.values["omega"]
        if name in ("DACBits", "DACRange"):
            values["DACOut"] = self.converted(values[self.feed])
            return ("DACOut",)
        if name not in ("omega", "torque", "voltage", "DACOut"):
            return ()
        if self.feed == "torque":
            if name == "omega":
                return ()
            other = "torque" if name == "DACOut" else "DACOut"
            values[other] = (
                values[name].copy() if other == "torque" else self.converted(values[name])
            )
            return (other,)
        if name == "torque":
            values["voltage"] = voltages(self.robot, values["torque"], omega)
            values["DACOut"] = self.converted(values["voltage"])
            return ("voltage", "DACOut")
        twin = {"voltage": "DACOut", "DACOut": "voltage"}.get(name)
        if twin == "DACOut":
            values[twin] = self.converted(values[name])
        elif twin:
            values[twin] = values[name].copy()
        values["torque"] = torques(self.robot, values["voltage"], omega)
        return ("torque", twin) if twin else ("torque",)

    def converted(self, values: Array) -> Array:
        """What the DAC makes of values (..., n) in V (N m)."""
        return converted(values, int(self.values["DACBits"][0]), self.values["DACRange"])

    def _check(self, name: str, values: Array) -> None:
        """Refuse what a converter cannot be."""
        if name == "DACTimePeriod":
            self._check_period(float(values[0]))
        if name == "DACBits":
            bits = float(values[0])
            if not 0 <= bits <= MOST_BITS or bits != round(bits):
                raise InputError(
                    f"DACBits: expected a whole number from 0 to {MOST_BITS}, found {bits:g}"
                )
            if bits and not self.period_steps:
                raise InputError(
                    f"DACBits: expected 0, as there is no DAC while DACTimePeriod is 0,"
                    f" found {bits:g}"
                )
        if name == "DACRange" and not (values > 0).all():
            raise InputError(f"DACRange: expected numbers above 0, found {values.min():g}")

    def _check_period(self, period: float) -> None:
        if period == 0 and self.values["DACBits"][0]:
            raise InputError("DACTimePeriod: expected more than 0, as DACBits is not 0, found 0")
        count = round(period / self.dt)
        if period < 0 or abs(count * self.dt - period) > 1e-6 * self.dt:
            raise InputError(
                f"DACTimePeriod: expected 0 or a multiple of the step of {self.dt:g} s,"
                f" found {period:g}"
            )

    @property
    def period_steps(self) -> int:
        """Steps of the simulation in one period of the DAC; 0 without a DAC."""
        return round(float(self.values["DACTimePeriod"][0]) / self.dt)

    def show(self, name: str) -> str:
        """A variable as a line; gravity that is not along z of frame 0 says so."""
        text = variable_line(name, self.get(name), self.robot)
        x, y, z = base_acceleration(self.robot).tolist()
        if name == "gravity" and max(abs(x), abs(y)) > 1e-9 * (1 + abs(z)):
            text += f"  (v'_0 = {number_text(x)} {number_text(y)} {number_text(z)} in frame 0)"
        return text

    def take_end(self) -> None:
        """Set the variables to the last moment of the simulation."""
        if self.history is None:
            return
        for name in (*self.history.names, "DACOut"):
            self.values[name] = self.history.series(name)[-1].copy()
