"""The continuous load as a table, as sentences, and as data for programs."""

from __future__ import annotations

import math
from typing import Any

from ..ground.json_text import json_value
from ..report.tables.table import number
from .continuous import ContinuousLoad, LoadRow

COLUMNS = {
    "rms torque": "RMS N m", "thermal": "heat", "gear average": "gear mean N m",
    "gear peak": "gear peak N m", "voltage": "peak V", "bus power": "peak W",
    "bus power mean": "mean W",
}  # fmt: skip
"""The columns of `continuous_table` by quantity."""


def continuous_table(
    load: ContinuousLoad, mark: str = ""
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The loads as a table: its columns, and a row for every motor and one for the supply.

    A cell is a value and its percentage of the limit, if there is one; `mark` is put behind what
    is over it. Columns without any value are left out.
    """
    found = {(row.motor, row.quantity): row for row in load.rows}
    used = [name for name in COLUMNS if any(quantity == name for _, quantity in found)]

    def cell(row: LoadRow | None) -> str:
        if row is None:
            return "-"
        share = "" if math.isinf(row.limit) else f" ({100 * row.part:.0f} %)"
        return f"{row.value:.4g}{share}" + (mark if row.severity == "failure" else "")

    rows = []
    for motor in (*range(1, len(load.rms_torque) + 1), 0) if load.rows else ():
        rpm = number(round(float(load.rms_speed[motor - 1]) * 30 / math.pi, 1)) if motor else "-"
        cells = [cell(found.get((motor, name))) for name in used]
        rows.append((str(motor) if motor else "supply", rpm, *cells))
    return ("motor", "RMS 1/min", *(COLUMNS[name] for name in used)), rows


def continuous_lines(load: ContinuousLoad) -> list[str]:
    """Failures, warnings and notes in sentences, one a line; what was not checked is apart."""
    return [*map(str, load.failures), *map(str, load.warnings), *load.notes]


def continuous_data(load: ContinuousLoad) -> dict[str, Any]:
    """The loads as data that JSON can hold; SI units, null for a limit that does not exist."""
    names = ("motor", "quantity", "value", "limit", "unit", "part", "severity")
    rows = [{name: getattr(row, name) for name in names} | {"text": str(row)} for row in load.rows]
    for row, entry in zip(load.rows, rows, strict=True):
        if math.isinf(row.limit):
            entry["part"] = None
    data: dict[str, Any] = json_value(
        {
            "pause": load.pause,
            "period": load.period,
            "rms_torque": load.rms_torque.tolist(),
            "rms_speed": load.rms_speed.tolist(),
            "rows": rows,
            "not_checked": load.not_checked,
            "notes": load.notes,
        }
    )
    return data
