"""The shell's variables: their names, sizes and units, read from text and written as text."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import InputError
from ..ground.arrays import Array
from ..robot.model import Robot
from ..run.columns import SLIDING

TINY = 1e-11
"""Smaller numbers are printed as 0: they are what rounding left, and differ between machines."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable: its name, how many numbers it has (0: one a joint), its unit if joints turn."""

    name: str
    size: int
    unit: str
    meaning: str


VARIABLES = {
    variable.name: variable
    for variable in (
        Variable("gravity", 1, "m/s2", "z-component of the acceleration of the base, v'_0"),
        Variable("DACTimePeriod", 1, "s", "time between two steps of the DAC; 0: there is no DAC"),
        Variable("theta", 0, "rad", "joint positions, from the base"),
        Variable("omega", 0, "rad/s", "joint velocities"),
        Variable("alpha", 0, "rad/s2", "joint accelerations"),
        Variable("torque", 0, "N m", "torques of the motors, tied to voltage"),
        Variable("voltage", 0, "V", "voltages of the motors, tied to torque"),
        Variable("DACOut", 0, "V", "what the DAC gives: the voltages before any limit of a motor"),
        Variable("f_hand", 3, "N", "force of the hand on its surroundings, base axes, tool point"),
        Variable("n_hand", 3, "N m", "moment of the hand on its surroundings, base axes"),
        Variable("DACBits", 1, "", "resolution of the DAC in bits; 0: exact values of any size"),
        Variable("DACRange", 0, "V", "what a DAC with DACBits reaches, up and down"),
    )
}


def feed(robot: Robot) -> str:
    """The input that drives the arm: `voltage` of its motors, `torque` if R or Kt is unknown."""
    drives = robot.drives
    complete = (math.isfinite(d.resistance) and math.isfinite(d.torque_constant) for d in drives)
    return "voltage" if drives and all(complete) else "torque"


def units(name: str, robot: Robot) -> tuple[str, ...]:
    """The unit of every number of a variable."""
    variable = VARIABLES[name]
    unit = variable.unit
    if name in ("DACOut", "DACRange") and feed(robot) == "torque":
        unit = "N m"
    if variable.size:
        return (unit,) * variable.size
    slides = name in ("theta", "omega", "alpha") or (unit == "N m" and not robot.drives)
    linear = SLIDING.get(unit, unit)
    return tuple(linear if slides and not j.revolute else unit for j in robot.joints)


def unit_text(name: str, robot: Robot) -> str:
    """The unit, once if all numbers have the same."""
    all_units = units(name, robot)
    return all_units[0] if len(set(all_units)) == 1 else " ".join(f"[{unit}]" for unit in all_units)


def number_text(x: float) -> str:
    """A number as text, with six digits."""
    return f"{0.0 if abs(x) < TINY else x:.6g}"


def variable_line(name: str, values: Array, robot: Robot) -> str:
    """A variable as a line: its name, numbers and unit."""
    cells = " ".join(f"{number_text(x):>11}" for x in np.atleast_1d(values).tolist())
    return f"{name:<13} {cells}  {unit_text(name, robot)}"


def variable_data(name: str, values: Array, robot: Robot) -> dict[str, object]:
    """A variable as data for programs: its value and unit."""
    unit = sorted(set(all_units := units(name, robot)), key=all_units.index)
    numbers = np.atleast_1d(values).tolist()
    size = VARIABLES[name].size
    value = numbers[0] if size == 1 else numbers
    return {"value": value, "unit": unit[0] if len(unit) == 1 else list(all_units)}


def read_values(name: str, text: str, robot: Robot) -> Array:
    """Read the numbers of `name = v1 v2 ... vN`; with `deg` behind them they are degrees."""
    words = [word for word in re.split(r"[\s,]+", text.strip()) if word]
    degrees = bool(words) and words[-1] in ("deg", "deg/s", "deg/s2")
    if degrees:
        _check_degrees(name, words.pop())
    size = VARIABLES[name].size or robot.n
    if len(words) != size:
        expected = "1 number" if size == 1 else f"{size} numbers"
        raise InputError(f"{name}: expected {expected}, found {len(words)}")
    values = np.array([read_number(name, word) for word in words])
    if degrees:
        turns = np.array([joint.revolute for joint in robot.joints])
        values = np.where(turns, np.radians(values), values)
    return values


def _check_degrees(name: str, word: str) -> None:
    expected = {"theta": "deg", "omega": "deg/s", "alpha": "deg/s2"}.get(name)
    if word not in ("deg", expected) or expected is None:
        wanted = f"numbers in {VARIABLES[name].unit}" + (f" or {expected}" if expected else "")
        raise InputError(f"{name}: expected {wanted}, found {word!r}")


def read_number(name: str, word: str) -> float:
    """Read a finite number."""
    try:
        value = float(word)
    except ValueError:
        raise InputError(f"{name}: expected a number, found {word!r}") from None
    if not math.isfinite(value):
        raise InputError(f"{name}: expected a finite number, found {word!r}")
    return value


def match_name(word: str, names: Iterable[str], what: str) -> str:
    """The name that a word means: itself, or the only one that begins with it (case is equal)."""
    candidates = list(names)
    lowered = word.lower()
    for name in candidates:
        if name.lower() == lowered:
            return name
    matches = [name for name in candidates if name.lower().startswith(lowered)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise InputError(f"{word!r} may be {_listed(matches)}; write more of it")
    raise InputError(f"expected {what}, found {word!r}; `help` lists them")


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"
