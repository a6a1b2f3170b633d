"""The names of what may vary, what they mean, and which values a robot can have."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ..errors import InputError
from ..ground.arrays import Array, Mask
from ..robot.model import Robot

WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
PLACE = ("x", "y", "z")
TURNS = ("roll", "pitch", "yaw")
PER_MOTOR = ("friction", "torque", "rotor_inertia")
"""Factors, on all motors or, as `friction.3`, on one; both multiply."""
MEANINGS = {
    "payload": ("kg", "mass of what the robot carries where the program says nothing else"),
    "payload.x": ("m", "its mass centre in the tool frame; also .y, .z"),
    "payload.inertia": ("kg m2", "its moment of inertia about the mass centre, about every axis"),
    "wrench.fx": ("N", "force of the tool on its environment, base coordinates; also .fy, .fz"),
    "wrench.mx": ("N m", "moment of the tool on its environment; also .my, .mz"),
    "friction": ("", "factor on all friction of gears and motors; friction.3: of motor 3 alone"),
    "torque": ("", "factor on the motors' torque limits and curves; torque.3: of motor 3 alone"),
    "rotor_inertia": ("", "factor on the rotors' inertia; rotor_inertia.3: of motor 3 alone"),
    "link.3.mass": ("kg", "mass of link 3; its inertia about the mass centre goes with it"),
    "link.3.x": ("m", "mass centre of link 3 in its frame; also .y, .z"),
    "speed": ("", "speed override: the whole motion so many times as fast"),
    "mount.x": ("m", "where the base stands; also .y, .z"),
    "mount.roll": ("rad", "how the base is turned; also .pitch, .yaw"),
    "tool.x": ("m", "the tool frame in the flange; also .y, .z"),
    "tool.roll": ("rad", "how the tool frame is turned; also .pitch, .yaw"),
}
"""Unit and meaning of every name; numbers and axes stand for the others."""


@dataclass(frozen=True, slots=True)
class VariedInput:
    """One thing that varies: its name in parts, its unit, the least value, and what it changes.

    `geometry`: the motion has to be planned anew; else only numbers of the kernel change.
    """

    name: str
    parts: tuple[str, ...]
    unit: str
    least: float = -math.inf
    above: bool = False
    geometry: bool = False

    @property
    def angle(self) -> bool:
        """Whether it is an angle, which people give in degrees."""
        return self.unit == "rad"

    def good(self, values: Array) -> Mask:
        """Which values (V,) a robot can have."""
        enough = values > self.least if self.above else values >= self.least
        return np.asarray(np.isfinite(values) & enough)

    @property
    def expected(self) -> str:
        """What is expected of a value, in words."""
        if math.isinf(self.least):
            return "a finite number"
        return f"a number {'>' if self.above else '>='} {self.least:g}"


def quantity_of(name: str, robot: Robot) -> VariedInput:
    """The quantity of a name.

    Raises:
        InputError: There is none of that name, or the robot has no such motor or link.
    """
    parts = tuple(name.split("."))
    first, rest = parts[0], parts[1:]
    if first == "payload":
        if not rest:
            return VariedInput(name, parts, "kg", 0.0)
        if rest == ("inertia",):
            return VariedInput(name, parts, "kg m2", 0.0)
        if len(rest) == 1 and rest[0] in PLACE:
            return VariedInput(name, parts, "m")
    if first == "wrench" and len(rest) == 1 and rest[0] in WRENCH:
        return VariedInput(name, parts, "N" if rest[0][0] == "f" else "N m")
    if first in PER_MOTOR and len(rest) <= 1:
        if rest:
            _numbered(name, "motor", rest[0], robot)
        return VariedInput(name, parts, "", 0.0, above=first == "torque")
    if first == "link" and len(rest) == 2 and rest[1] in ("mass", *PLACE):
        _numbered(name, "link", rest[0], robot)
        return VariedInput(name, parts, *(("kg", 0.0) if rest[1] == "mass" else ("m",)))
    if name == "speed":
        return VariedInput(name, parts, "", 0.0, above=True, geometry=True)
    if first in ("mount", "tool") and len(rest) == 1 and rest[0] in (*PLACE, *TURNS):
        return VariedInput(name, parts, "m" if rest[0] in PLACE else "rad", geometry=True)
    raise InputError(f"vary: expected one of {', '.join(MEANINGS)}, found {name!r:.60}")


def _numbered(name: str, what: str, word: str, robot: Robot) -> None:
    if not (re.fullmatch(r"[0-9]{1,4}", word) and 1 <= int(word) <= robot.n):
        raise InputError(f"vary {name}: expected {what} 1 to {robot.n}, found {word!r:.60}")


def quantities_of(names: Iterable[str], robot: Robot) -> tuple[VariedInput, ...]:
    """The quantities of these names; friction and the like need drives, which are there."""
    found = tuple(quantity_of(name, robot) for name in names)
    links = [q for q in found if q.parts[0] == "link"]
    for quantity in links:
        if not robot.links[int(quantity.parts[1]) - 1].mass and quantity.parts[2] != "mass":
            raise InputError(f"vary {quantity.name}: expected a link with a mass, found 0 kg")
    return found


def problems(quantities: tuple[VariedInput, ...], draws: Array, robot: Robot) -> list[str]:
    """For each variant (V, names) what is wrong with it in a sentence, empty if nothing is."""
    found = [""] * len(draws)

    def note(bad: Mask, sentence: str, values: Array) -> None:
        for k in np.flatnonzero(bad).tolist():
            found[k] = found[k] or f"{sentence}, found {values[k]:.6g}"

    columns = {q.name: draws[:, k] for k, q in enumerate(quantities)}
    for quantity in quantities:
        values = columns[quantity.name]
        note(~quantity.good(values), f"{quantity.name}: expected {quantity.expected}", values)
    with np.errstate(invalid="ignore"):
        factors = motor_factors(columns, "friction", len(draws), robot.n)
        friction = factors * np.array([drive.load_friction for drive in robot.drives])
        worst = friction.max(axis=1) if robot.n else np.zeros(len(draws))
    note(np.asarray(~(worst < 1)), "friction: expected a load friction below 1", worst)
    return found


def motor_factors(columns: Mapping[str, Array], kind: str, count: int, n: int) -> Array:
    """The factors (V, n) of a kind (`PER_MOTOR`) on each motor."""
    whole = columns.get(kind, np.ones(count))
    factors = np.repeat(whole[:, None], n, axis=1)
    for i in range(n):
        if f"{kind}.{i + 1}" in columns:
            factors[:, i] = factors[:, i] * columns[f"{kind}.{i + 1}"]
    return factors
