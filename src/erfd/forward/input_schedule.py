"""Input schedules: torques or voltages over time, as data and as a text file.

Every line has a time in s and one value a joint:

    # comments and empty lines are passed over
    linear              # or `held`, the default: the value stays until the next line
    0.0   0.0  0.0
    0.5   1.2  0.3      # numbers between spaces or commas
    2.0   1.2  0.0

Times rise and begin at 0; after the last one its values stay. Values are torques (N m, N) or
voltages (V), whatever the schedule is used for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..ground.arguments import path_of
from ..ground.arrays import Array, as_numbers
from ..ground.files import read_text, write_text

INTERPOLATIONS = ("held", "linear")


@dataclass(frozen=True, slots=True, eq=False)
class InputSchedule:
    """Input values over time.

    Args:
        t: Times in s, (N,), rising from 0.
        values: Values of n joints at those times, (N, n): N m (N) or V, as the schedule is used.
        linear: Whether values are joined by lines; else each is held until the next.

    Raises:
        InputError: Times do not rise from 0, shapes do not fit, or a number is not finite.

    >>> import erfd
    >>> erfd.InputSchedule([0.0, 0.5], [[0.0, 1.0], [2.0, 3.0]], linear=True).at(0.25).tolist()
    [1.0, 2.0]
    """

    t: Array
    values: Array
    linear: bool

    def __init__(self, t: ArrayLike, values: ArrayLike, *, linear: bool = False):
        times, rows = as_numbers("schedule", t), as_numbers("schedule", values)
        if times.ndim != 1 or not len(times) or rows.ndim != 2 or len(rows) != len(times):
            found = f"{times.shape} and {rows.shape}"
            raise InputError(f"schedule: expected t (N,) and values (N, n), found {found}")
        for k, (time, row) in enumerate(zip(times, rows, strict=True)):
            problem = _problem(times[k - 1] if k else None, float(time), row)
            if problem:
                raise InputError(f"schedule: row {k + 1}: {problem}")
        for name, array in (("t", times), ("values", rows)):
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        object.__setattr__(self, "linear", bool(linear))

    @property
    def n(self) -> int:
        """The number of joints."""
        return int(self.values.shape[1])

    @property
    def duration(self) -> float:
        """The last time, s."""
        return float(self.t[-1])

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        kind = INTERPOLATIONS[self.linear]
        return f"InputSchedule({len(self)} rows of {self.n} values, {self.duration:g} s, {kind})"

    def at(self, t: ArrayLike) -> Array:
        """The values at some times.

        Args:
            t: Times in s, (...).

        Returns:
            Values (..., n); at a jump the new ones.
        """
        times = np.asarray(t, dtype=np.float64)
        if self.linear:
            columns = [np.interp(times, self.t, column) for column in self.values.T]
            return np.stack(columns, axis=-1)
        near = 1e-9 * (1.0 + np.abs(times))  # k dt is not always the number in the file
        place = np.searchsorted(self.t, times + near, side="right") - 1
        return np.asarray(self.values[np.maximum(place, 0)])


def _problem(before: float | None, time: float, row: ArrayLike) -> str:
    """The reason why a row cannot be, or an empty text."""
    if not (math.isfinite(time) and np.isfinite(row).all()):
        return "expected finite numbers, found one that is not"
    if before is None and time != 0:
        return f"expected t = 0 in the first row, found {time:g} (nothing says what is before it)"
    if before is not None and not time > before:
        return f"expected a time after {before:g} s, found {time:g}"
    return ""


def read_input_schedule(path: str | Path, n: int) -> InputSchedule:
    """Read an input schedule from a text file.

    Args:
        path: The file.
        n: The number of joints, which is the number of values in a line.

    Returns:
        The schedule.

    Raises:
        InputError: The file cannot be read, or a line is not a time and n numbers.
    """
    path = path_of("path", path)
    lines = read_text(path).splitlines()
    linear, rows = False, list[list[float]]()
    first = True
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        if first and text.lower() in INTERPOLATIONS:
            linear, first = text.lower() == "linear", False
            continue
        first = False
        row = _numbers(f"{path.name}: line {number}", text, n)
        problem = _problem(rows[-1][0] if rows else None, row[0], row)
        if problem:
            raise InputError(f"{path.name}: line {number}: {problem}")
        rows.append(row)
    if not rows:
        raise InputError(f"{path.name}: expected lines of a time and {n} values, found none")
    table = np.array(rows)
    return InputSchedule(table[:, 0], table[:, 1:], linear=linear)


def _numbers(where: str, text: str, n: int) -> list[float]:
    """The numbers of a line, a time and n values."""
    cells = [cell.strip() for cell in text.split(",")] if "," in text else text.split()
    if len(cells) != n + 1:
        expected = f"{n + 1} numbers (a time and {n} values)"
        raise InputError(f"{where}: expected {expected}, found {len(cells)}")
    row = []
    for k, cell in enumerate(cells, 1):
        try:
            row.append(float(cell))
        except ValueError:
            what = repr(cell) if cell else "nothing"
            raise InputError(f"{where}: column {k}: expected a number, found {what}") from None
    return row


def write_input_schedule(schedule: InputSchedule, path: str | Path) -> None:
    """Write a schedule to a text file; it reads back equal."""
    lines = [INTERPOLATIONS[schedule.linear]]
    for time, row in zip(schedule.t, schedule.values, strict=True):
        lines.append(" ".join(repr(float(x)) for x in (time, *row)))
    write_text(Path(path), "\n".join(lines) + "\n")
