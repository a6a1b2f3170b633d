"""Motions from CSV: any separator, a header or none, a decimal comma where the separator allows."""

from __future__ import annotations

import csv
import math
from io import StringIO
from pathlib import Path

import numpy as np

from ...errors import InputError
from ...ground.arrays import Array
from ...ground.files import read_text
from .table import MotionTable

SEPARATORS = (";", "\t", ",", "|")
"""In the order in which they are looked for; else cells stand between spaces."""


def read_csv(path: Path) -> MotionTable:
    """The table in a text file; of the lines that begin with # only titles count."""
    lines = [(k, line) for k, line in enumerate(read_text(path).splitlines(), 1) if line.strip()]
    data = [(k, line) for k, line in lines if not line.lstrip().startswith("#")]
    if not data:
        raise InputError(f"{path.name}: expected rows of numbers, found none")
    separator = next((s for s in SEPARATORS if s in data[0][1]), " ")
    comma = separator in "; \t|" and "," in data[-1][1]
    rows = _rows(path, data, separator)
    if separator == "," and not any(number(cell) is None for cell in rows[0][1]):
        _refuse_decimal_comma(path, rows[0], len(rows[0][1]))
    titles: tuple[str, ...] = ()
    if any(number(cell, comma) is None for cell in rows[0][1]):
        titles = tuple(cell.strip() for cell in rows[0][1])
        rows = rows[1:]
    else:
        titles = _titles_in_comments(lines, rows[0], separator)
    width = len(titles) or len(rows[0][1])

    def column(k: int) -> Array:
        cells = ((row[k] if k < len(row) else "") for _, row in rows)
        found = (number(cell, comma) for cell in cells)
        return np.array([math.nan if x is None else x for x in found], dtype=np.float64)

    def place(row: int, k: int) -> str:
        line, cells = rows[row]
        cell = repr(cells[k].strip())[:60] if k < len(cells) else "nothing"
        return f"line {line}: column {k + 1}: expected a number, found {cell}"

    return MotionTable(path.name, "CSV", titles, width, column, place)


def number(cell: str, comma: bool = False) -> float | None:
    """The number in a cell, None if it holds something else."""
    try:
        return float(cell.replace(",", ".") if comma else cell)
    except ValueError:
        return None


def _rows(path: Path, data: list[tuple[int, str]], separator: str) -> list[tuple[int, list[str]]]:
    """(line number, cells) of every line."""
    if separator == " ":
        return [(k, line.split()) for k, line in data]
    reader = csv.reader(StringIO("\n".join(line for _, line in data)), delimiter=separator)
    try:
        # a line of empty cells only, as spreadsheets leave them, is no row
        rows = [(data[reader.line_num - 1][0], row) for row in reader if any(map(str.strip, row))]
    except csv.Error as error:
        raise InputError(f"{path.name}: cannot be read as CSV: {error}") from None
    if not rows:
        raise InputError(f"{path.name}: expected rows of numbers, found none")
    # a separator at the end of every line makes a last column of nothing
    if all(row and not row[-1].strip() for _, row in rows):
        rows = [(line, row[:-1]) for line, row in rows]
    return rows


def _refuse_decimal_comma(path: Path, row: tuple[int, list[str]], width: int) -> None:
    """A decimal comma between spaces, `0,5 1,0`, cannot be told from a separator by a machine."""
    line, cells = row
    if any(" " in cell.strip() for cell in cells):
        raise InputError(
            f"{path.name}: line {line}: expected one number between commas, found {cells[0]!r:.40}"
        )


def _titles_in_comments(
    lines: list[tuple[int, str]], first: tuple[int, list[str]], separator: str
) -> tuple[str, ...]:
    """The titles in the last comment before the first row, as `numpy.savetxt` writes them."""
    before = [line for k, line in lines if k < first[0]]
    if not before:
        return ()
    text = before[-1].lstrip().lstrip("#").strip()
    cells = text.split() if separator == " " else text.split(separator)
    if len(cells) != len(first[1]) or any(number(cell) is not None for cell in cells):
        return ()
    return tuple(cell.strip() for cell in cells)
