"""Motions from NumPy's NPZ: t (N,), q (N, n) and perhaps qd (N, n), or an array for each column."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from ...errors import InputError
from ...ground.arrays import Array
from ...ground.files import LARGEST, read_bytes
from .table import MotionTable, numbers, table_of


def read_npz(path: Path) -> MotionTable:
    """The table in an NPZ file: columns `q1`, `q2`, ... of an array `q` of two axes."""
    columns: dict[str, Array] = {}
    try:
        # no pickles: they run what is in them
        with np.load(BytesIO(read_bytes(path)), allow_pickle=False) as archive:
            if sum(info.file_size for info in archive.zip.infolist()) > LARGEST:
                raise InputError(f"{path.name}: expected at most {LARGEST:,} bytes, found more")
            arrays = {name: archive[name] for name in archive.files}
    except (
        OSError,
        ValueError,
        BadZipFile,
        AttributeError,
        TypeError,
        EOFError,
        MemoryError,
    ) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"{path.name}: cannot be read as NPZ: {reason:.120}") from None
    for name, array in arrays.items():
        if array.dtype.kind not in "fiu":
            continue
        if array.ndim == 1:
            columns[name] = numbers(path.name, name, array)
        elif array.ndim == 2:
            for k, values in enumerate(array.T):
                columns[f"{name}{k + 1}"] = numbers(path.name, name, values)
    rows = {len(column) for column in columns.values()}
    if len(rows) > 1:  # what has not a row for each time is something else: gains, limits
        length = len(columns.get("t", columns.get("time", next(iter(columns.values())))))
        columns = {title: c for title, c in columns.items() if len(c) == length}
    return table_of(path.name, "NPZ", columns)
