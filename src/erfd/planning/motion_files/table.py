"""The table that every reader of motion files hands on: titles, and numbers by column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...errors import InputError
from ...ground.arrays import Array


@dataclass(frozen=True, slots=True, eq=False)
class MotionTable:
    """Columns of a motion file, before anyone knows which joint they belong to.

    `name` is the file's name, `format` what it is in words. `titles` are empty for a file without
    them, which then has `width` columns. `column(k)` gives the numbers of column k (NaN where there
    is none), `place(row, k)` says where that is and what was found there. `setpoints`: the rows are
    the points of a command, to be joined by the rule of its controller, not samples of a motion.
    """

    name: str
    format: str
    titles: tuple[str, ...]
    width: int
    column: Callable[[int], Array]
    place: Callable[[int, int], str]
    setpoints: bool = False

    def finite(self, k: int) -> Array:
        """The numbers of column k; an error names the first that is none."""
        values = self.column(k)
        wrong = ~np.isfinite(values)
        if wrong.any():
            raise InputError(f"{self.name}: {self.place(int(wrong.argmax()), k)}")
        return values


def table_of(
    name: str, kind: str, columns: dict[str, Array], *, setpoints: bool = False
) -> MotionTable:
    """A table of whole columns, each (N,), by title."""
    titles, values = tuple(columns), list(columns.values())
    lengths = {title: len(column) for title, column in columns.items()}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{title}: {rows}" for title, rows in lengths.items())
        raise InputError(f"{name}: expected columns of one length, found {found:.200}")

    def place(row: int, k: int) -> str:
        number = values[k][row]
        return f"row {row + 1}: {titles[k]}: expected a finite number, found {number:g}"

    return MotionTable(
        name, kind, titles, len(titles), lambda k: values[k], place, setpoints=setpoints
    )


def numbers(name: str, title: str, values: object) -> Array:
    """The values of a column as floats; an error names the column."""
    try:
        return np.asarray(values).astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name}: {title}: expected numbers, found something else") from None
