"""Read rows of data for the Inverse Arm from a text file, and write its results.

    # theta, omega and alpha of every joint; a time in s may be the first number of every row
    0.00   0 0.5   0 0   0 1
    0.01   0 0.5   0 0   0 1

Numbers stand between spaces or commas. With times that rise from 0 the results are a schedule, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..errors import InputError
from ..ground.arrays import Array
from ..ground.files import read_text
from ..robot.model import Robot
from .variables import read_number, units


@dataclass(frozen=True, slots=True, eq=False)
class InverseArmRows:
    """Sets of theta, omega, alpha, (N, n) each, and their times (N,) in s or None."""

    path: Path
    t: Array | None
    theta: Array
    omega: Array
    alpha: Array


def read_rows(text: str, n: int) -> InverseArmRows:
    """Read the rows of a file, for a robot of n joints."""
    path = Path(text).expanduser()
    table = list[list[float]]()
    for number, line in enumerate(read_text(path).splitlines(), 1):
        words = re.split(r"\s*,\s*|\s+", line.partition("#")[0].strip())
        if words == [""]:
            continue
        where = f"{path.name}: line {number}"
        expected = f"{len(table[0])} as before" if table else f"{3 * n}, or {3 * n + 1} with a time"
        if len(words) not in ((len(table[0]),) if table else (3 * n, 3 * n + 1)):
            raise InputError(f"{where}: expected numbers: {expected}, found {len(words)}")
        table.append([read_number(where, word) for word in words])
    if not table:
        raise InputError(f"{path.name}: expected rows of {3 * n} numbers, found none")
    values = np.array(table)
    timed = values.shape[1] == 3 * n + 1
    theta, omega, alpha = np.split(values[:, 1:] if timed else values, 3, axis=1)
    return InverseArmRows(path, values[:, 0] if timed else None, theta, omega, alpha)


def rows_text(robot: Robot, t: Array | None, series: dict[str, Array]) -> str:
    """All variables (N, n) of a moment in a row, in full, its time first if it has one.

    A comment before them names the columns.
    """
    heads = [] if t is None else ["t[s]"]
    for name in series:
        heads += [f"{name}{i}[{unit}]" for i, unit in enumerate(units(name, robot), 1)]
    table = np.hstack([*([] if t is None else [t[:, None]]), *series.values()])
    lines = [f"# {' '.join(head.replace(' ', '') for head in heads)}"]
    lines += [" ".join(map(repr, row)) for row in table.tolist()]
    return "\n".join(lines) + "\n"
