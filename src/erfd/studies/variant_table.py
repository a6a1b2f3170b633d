"""A table of variants: CSV or Parquet, a column for each name, a row for each variant."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from ..ground.arrays import Array
from ..ground.files import read_bytes, read_text
from ..ground.optional import import_optional

ENDINGS = (".csv", ".parquet")


def is_table(vary: Any) -> bool:
    """Whether what varies is the path of a table."""
    return isinstance(vary, Path) or (isinstance(vary, str) and vary.lower().endswith(ENDINGS))


def read_table(vary: Any) -> tuple[tuple[str, ...], Array]:
    """The names and the variants (V, names) of a table; what is no number is NaN.

    Raises:
        InputError: No table, no row, or two columns of one name.
    """
    path = Path(vary)
    if path.suffix.lower() == ".parquet":
        names, rows = _parquet(path)
    else:
        lines = list(csv.reader(io.StringIO(read_text(path))))
        lines = [line for line in lines if line and not line[0].startswith("#")]
        names = tuple(word.strip() for word in lines[0]) if lines else ()
        for k, line in enumerate(lines[1:], 2):
            if len(line) != len(names):
                expected = f"{len(names)} columns as in the first line"
                raise InputError(f"{path}: line {k}: expected {expected}, found {len(line)}")
        rows = np.array([[_number(word) for word in line] for line in lines[1:]])
    if not names or not len(rows):
        raise InputError(f"{path}: expected a table of variants, found no rows")
    if len(set(names)) < len(names):
        raise InputError(f"{path}: expected a name for each column, found one twice")
    return names, rows


def _parquet(path: Path) -> tuple[tuple[str, ...], Array]:
    parquet = import_optional("pyarrow.parquet", "a table of variants", "runs")
    pyarrow = import_optional("pyarrow", "a table of variants", "runs")
    try:
        table = parquet.read_table(pyarrow.BufferReader(read_bytes(path)))
        columns = [table[name].to_numpy(zero_copy_only=False).astype(float)
                   for name in table.column_names]  # fmt: skip
    except (pyarrow.ArrowException, ValueError, TypeError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{path}: expected a Parquet file of numbers, found {reason}") from None
    return tuple(table.column_names), np.column_stack(columns) if columns else np.zeros((0, 0))


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return float("nan")
