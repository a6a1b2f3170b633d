"""Diagrams as one table (CSV) for a spreadsheet or another program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .curves import Curves, Line

ROWS = 10_000
"""Rows made at a time."""


def csv_of(runs: Sequence[Sequence[Curves]]) -> Iterator[str]:
    """The diagrams of each run side by side, in pieces of text.

    Two runs have their own times: their rows follow each other, and a first column says whose
    (A, B). What a run does not have is left empty.
    """
    several = len(runs) > 1
    titles = list(dict.fromkeys(title for found in runs for title in _titles(found)))
    yield ",".join([*(["run"] if several else []), "t [s]", *titles]) + "\n"
    for letter, found in zip("AB", runs, strict=False):
        own = {
            title: row
            for curves in found
            for title, row in zip(_titles([curves]), curves.values, strict=True)
        }
        t = found[0].t
        for start in range(0, len(t), ROWS):
            rows = slice(start, start + ROWS)
            empty = [""] * len(t[rows])
            columns = [own[x][rows].tolist() if x in own else empty for x in titles]
            lines = zip(t[rows].tolist(), *columns, strict=True)
            head = f"{letter}," if several else ""
            yield "".join(f"{head}{','.join(map(str, line))}\n" for line in lines)


def _titles(found: Sequence[Curves]) -> list[str]:
    """What a column is: joint, quantity and kind, unit; no comma, for it stands between columns."""
    return [
        f"{line.label} ({_what(curves, line)}; {line.kind}) [{curves.unit}]".replace(",", ";")
        for curves in found
        for line in curves.lines
    ]


def _what(curves: Curves, line: Line) -> str:
    """A limit of the robot is not a column of the run: it is told by its diagram."""
    return curves.name if line.of == "limit" else line.of
