"""Diagrams as one CSV table, for a spreadsheet or another program."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ...ground.arrays import Array
from .curves import Curves, Line

ROWS = 10_000
"""Rows made at a time."""


def csv_pieces(runs: Sequence[Sequence[Curves]]) -> Iterator[str]:
    """The diagrams of one run or two as CSV, in pieces of text.

    Two runs have their own times: their rows follow each other, and a first column says whose
    (A, B). What a run does not have is left empty.
    """
    several = len(runs) > 1
    titles = list(dict.fromkeys(title for diagrams in runs for title in _titles(diagrams)))
    yield ",".join([*(["run"] if several else []), "t [s]", *titles]) + "\n"
    for letter, diagrams in zip("AB", runs, strict=False):
        values = {
            title: row
            for curves in diagrams
            for title, row in zip(_titles([curves]), curves.values, strict=True)
        }
        t = diagrams[0].t
        for start in range(0, len(t), ROWS):
            rows = slice(start, start + ROWS)
            empty = [""] * len(t[rows])
            columns = [_cells(values[x][rows]) if x in values else empty for x in titles]
            lines = zip(t[rows].tolist(), *columns, strict=True)
            head = f"{letter}," if several else ""
            yield "".join(f"{head}{','.join(map(str, line))}\n" for line in lines)


def _cells(values: Array) -> Sequence[float | str]:
    """Numbers for the table; what is none is left empty."""
    return ["" if math.isnan(x) else x for x in values.tolist()]


def _titles(diagrams: Sequence[Curves]) -> list[str]:
    """The titles of the columns: joint, quantity and kind, unit; without commas."""
    return [
        f"{line.label} ({_what(curves, line)}; {line.kind}) [{curves.unit}]".replace(",", ";")
        for curves in diagrams
        for line in curves.lines
    ]


def _what(curves: Curves, line: Line) -> str:
    """The quantity of a line; a limit of the robot is no column of the run, so its diagram's."""
    return curves.name if line.of == "limit" else line.of
