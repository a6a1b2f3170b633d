"""Numbers of data sheets with their units: `"40.4 mNm/A"`, `"181 gcm2"`, `"5600 rpm"`, `"75 %"`."""

from __future__ import annotations

import math
import re

from ..readers.table import Table

RPM = math.pi / 30
FACTORS = {
    "torque": {"Nm": 1.0, "mNm": 1e-3, "Ncm": 1e-2, "kNm": 1e3},
    "force": {"N": 1.0, "kN": 1e3},
    "speed": {"rad/s": 1.0, "rpm": RPM, "1/min": RPM, "min-1": RPM, "deg/s": math.pi / 180},
    "inertia": {
        "kgm2": 1.0, "kgcm2": 1e-4, "kgmm2": 1e-6, "gcm2": 1e-7, "gmm2": 1e-9,
    },
    "torque constant": {"Nm/A": 1.0, "mNm/A": 1e-3, "Ncm/A": 1e-2, "Vs/rad": 1.0},
    "resistance": {"ohm": 1.0, "mohm": 1e-3},
    "current": {"A": 1.0, "mA": 1e-3},
    "voltage": {"V": 1.0, "mV": 1e-3},
    "time": {"s": 1.0, "ms": 1e-3, "min": 60.0},
    "power": {"W": 1.0, "kW": 1e3},
    "viscous friction": {"Nms/rad": 1.0, "mNms/rad": 1e-3, "mNm/rpm": 1e-3 / RPM},
    "part": {"": 1.0, "%": 1e-2},
    "ratio": {"": 1.0, ":1": 1.0},
    "": {"": 1.0},
}  # fmt: skip
"""Factors to SI by quantity and unit, spaces, dots and powers as `_plain` writes them."""
_NUMBER = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(.*?)\s*")


def _plain(unit: str) -> str:
    """A unit without spaces and signs between its parts: `g cm²` is `gcm2`."""
    unit = unit.replace("²", "2").replace("^", "").replace("⁻¹", "-1").replace("Ω", "ohm")
    unit = unit.replace("Ω", "ohm").replace("mOhm", "mohm").replace("Ohm", "ohm")
    return re.sub(r"[\s·*.⋅]", "", unit).removesuffix("at")


def quantity(table: Table, key: str, kind: str, default: float) -> float:
    """A number in SI units, or a text of a number and its unit; `default` if the key is missing.

    Args:
        table: The table of the file.
        key: The key in it.
        kind: One of `FACTORS`: what the number is.
        default: Its value where the file does not say it; whether `inf` is allowed follows from it.
    """
    value = table.take(key, default, "a number")
    if key not in table.data or not isinstance(value, str):
        return table.number(key, default, infinite=math.isinf(default))
    factors = FACTORS[kind]
    found = _NUMBER.fullmatch(value)
    factor = factors.get(_plain(found[2])) if found else None
    if found is None or factor is None:
        units = ", ".join(name for name in factors if name)
        raise table.error(
            key, f"a number{f', or text with one of {units}' if units else ''}", value
        )
    return float(found[1]) * factor
