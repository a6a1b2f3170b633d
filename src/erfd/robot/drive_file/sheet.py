"""From what data sheets of motors and gears print to the numbers of a `Drive` (docs/drives.md)."""

from __future__ import annotations

import math
from typing import Any

from ..readers.table import Phrase, Table
from .units import quantity

MOTOR = {
    "torque_constant": "torque constant",
    "resistance": "resistance",
    "rotor_inertia": "inertia",
    "no_load_current": "current",
    "nominal_torque": "torque",
    "peak_torque": "torque",
    "peak_current": "current",
    "max_speed": "speed",
    "voltage": "voltage",
    "thermal_time_constant": "time",
}
"""What `[drive.motor]` may say, and what it is."""
GEAR = {
    "ratio": "ratio",
    "efficiency": "part",
    "inertia": "inertia",
    "no_load_torque": "torque",
    "max_input_speed": "speed",
    "average_torque": "torque",
    "peak_torque": "torque",
}
"""What `[drive.gear]` may say; inertia and no-load torque at its input, torques at its output."""


def drive_values(motor: Table | None, gear: Table | None) -> dict[str, Any]:
    """The numbers of a drive, by the names of its fields, as far as the sheets give them.

    With the efficiency eta at its rated load a gear takes x / eta of the motor for the load x, so
    mu = 1 / eta - 1. A motor that runs free takes Kt I0: all of it is taken as Coulomb friction,
    which is exact at the no-load speed and too much below it.
    """
    m, g = _numbers(motor, MOTOR), _numbers(gear, GEAR)
    values: dict[str, Any] = {}
    for key in ("torque_constant", "resistance", "thermal_time_constant"):
        if key in m:
            values[key] = m[key]
    constant = m.get("torque_constant")
    for key in ("no_load_current", "peak_current"):
        if key in m and constant is None:
            assert motor is not None
            raise motor.error(
                "torque_constant", f"it beside {key}, which it makes a torque", Phrase("none")
            )
    if "rotor_inertia" in m or "inertia" in g:
        values["inertia"] = m.get("rotor_inertia", 0.0) + g.get("inertia", 0.0)
    if "no_load_current" in m or "no_load_torque" in g:
        free = m.get("no_load_current", 0.0) * (constant or 0.0)
        values["coulomb"] = free + g.get("no_load_torque", 0.0)
    peaks = [m[k] for k in ("peak_torque",) if k in m]
    peaks += [m["peak_current"] * constant] if constant and "peak_current" in m else []
    if peaks:
        values["torque_max"] = min(peaks)
    speeds = [x for x in (m.get("max_speed"), g.get("max_input_speed")) if x is not None]
    if speeds:
        values["speed_max"] = min(speeds)
    names = (
        (m, "nominal_torque", "torque_rated"), (m, "voltage", "voltage_max"),
        (g, "ratio", "ratio"), (g, "average_torque", "gear_torque_average"),
        (g, "peak_torque", "gear_torque_peak"),
    )  # fmt: skip
    values |= {name: sheet[key] for sheet, key, name in names if key in sheet}
    if "efficiency" in g:
        assert gear is not None
        values["load_friction"] = _load_friction(gear, g["efficiency"])
    return values


def _numbers(table: Table | None, kinds: dict[str, str]) -> dict[str, float]:
    """The numbers of a table in SI units; one that is given has to be above 0."""
    if table is None:
        return {}
    found = {key: quantity(table, key, kind, math.nan) for key, kind in kinds.items()}
    table.done()
    for key in (key for key in kinds if key in table.data):
        signed = key == "ratio"
        if not (found[key] != 0 if signed else found[key] > 0):
            raise table.error(
                key, "a number other than 0" if signed else "a number > 0", found[key]
            )
    return {key: value for key, value in found.items() if key in table.data}


def _load_friction(gear: Table, efficiency: float) -> float:
    """mu of an efficiency."""
    if not 0.5 < efficiency <= 1:
        expected = "a part above 0.5 and up to 1 (at half and less a gear locks itself, which is"
        raise gear.error("efficiency", f"{expected} not modelled)", efficiency)
    return 1 / efficiency - 1
