"""Motions from Parquet: every column of numbers, runs of ERFD included."""

from __future__ import annotations

from pathlib import Path

from ...errors import InputError
from ...ground.files import read_bytes
from ...ground.optional import import_optional
from .table import MotionTable, numbers, table_of


def read_parquet(path: Path) -> MotionTable:
    """The table in a Parquet file; columns of other things than numbers are passed over."""
    arrow = import_optional("pyarrow", "a Parquet file", "runs")
    parquet = import_optional("pyarrow.parquet", "a Parquet file", "runs")
    data = read_bytes(path)
    try:
        file = parquet.ParquetFile(arrow.BufferReader(data), pre_buffer=False)
        table = file.read(use_threads=False)
    except (arrow.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{path.name}: cannot be read as Parquet: {reason:.120}") from None
    columns = {}
    for field in table.schema:
        kind = arrow.types
        dates = kind.is_timestamp(field.type)
        if dates or kind.is_floating(field.type) or kind.is_integer(field.type):
            unit = (field.metadata or {}).get(b"unit", b"").decode(errors="replace")
            unit = field.type.unit if dates else unit
            title = f"{field.name} [{unit}]" if unit else field.name
            # an empty cell becomes NaN, which is refused where a joint needs the column
            column = table.column(field.name)
            column = column.cast(arrow.int64()) if dates else column
            column = column.cast(arrow.float64(), safe=False)
            values = column.to_pylist()
            columns[title] = numbers(path.name, field.name, [*map(_or_nan, values)])
    return table_of(path.name, "Parquet", columns)


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else value
