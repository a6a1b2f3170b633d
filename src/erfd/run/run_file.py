"""`RunFile`: an open Parquet file of a run, whose quantities are read when they are needed.

A run of a million moments fills gigabytes in memory; a diagram needs two of its thirty quantities.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError
from ..ground.arrays import Array
from . import parquet as layout
from .checksum import check
from .events import is_feasible

if TYPE_CHECKING:
    from ..robot.model import Robot
    from .events import Event

KEPT = 256 * 2**20
"""Bytes of quantities that an open file keeps in memory, those used last."""


class RunFile:
    """A run in an open Parquet file: `file["q"]` as in a `Run`, read on demand.

    The checksum is compared once, when the file is opened.
    """

    def __init__(self, path: str | Path):
        arrow, parquet = layout.packages()
        self.path = Path(path)
        try:
            self._source = arrow.memory_map(str(self.path))
        except (OSError, ValueError) as error:
            raise InputError(f"{path}: cannot be read: {error}") from None
        data = memoryview(self._source.read_buffer())
        check(path, data)
        self._file = parquet.ParquetFile(self._source, pre_buffer=False)
        meta = self._file.metadata
        self._rows = [meta.row_group(k).num_rows for k in range(meta.num_row_groups)]
        text = layout.texts_of(self._file)
        if int(text["erfd.format"]) != layout.FORMAT:
            version = text["erfd.format"]
            raise InputError(f"{path}: expected run format {layout.FORMAT}, found {version}")
        self.quantities: dict[str, dict[str, Any]] = json.loads(text["erfd.quantities"])
        self.program = text["erfd.program"]
        self.robot: Robot = layout.robot_from(path, text["erfd.robot"])
        self.events: tuple[Event, ...] = layout.events_from(text["erfd.events"])
        self._kept: OrderedDict[str, Array] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return int(self._file.metadata.num_rows)

    def __contains__(self, name: object) -> bool:
        return name in self.quantities

    @property
    def feasible(self) -> bool:
        """Whether the robot could follow the wanted motion: no event is a failure."""
        return is_feasible(self.events)

    def __repr__(self) -> str:
        return f"RunFile({self.path.name!r}, {self.robot.name!r}, {len(self)} points)"

    def __getitem__(self, name: str) -> Array:
        """A quantity as in `Run`: its first axis is time."""
        if name not in self.quantities:
            names = ", ".join(self.quantities)
            raise InputError(f"{self.path}: expected one of {names}, found {name!r}")
        with self._lock:
            if name not in self._kept:
                self._kept[name] = self._read(name)
                self._forget()
            self._kept.move_to_end(name)
            return self._kept[name]

    def part(self, name: str, first: int, last: int) -> Array:
        """The rows first..last-1 of a quantity; of a long run only what is near them is read."""
        groups = self._groups(first, last)
        whole = not groups or len(groups) == len(self._rows)
        if whole or name in self._kept or name not in self.quantities:
            return self[name][first:last]
        start = sum(self._rows[: groups[0]])
        with self._lock:
            return self._read(name, groups)[first - start : last - start]

    def _groups(self, first: int, last: int) -> list[int]:
        """The numbers of the row groups in which these rows are."""
        ends = np.cumsum(self._rows)
        return [k for k, end in enumerate(ends) if first < end and last > end - self._rows[k]]

    def _read(self, name: str, groups: list[int] | None = None) -> Array:
        entry = self.quantities[name]
        numbers = list(range(self._file.num_row_groups)) if groups is None else groups
        table = self._file.read_row_groups(numbers, columns=entry["columns"], use_threads=False)
        values = layout.quantity_from(table, entry)
        values.flags.writeable = False
        return values

    def _forget(self) -> None:
        while len(self._kept) > 1 and sum(v.nbytes for v in self._kept.values()) > KEPT:
            self._kept.popitem(last=False)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._kept.clear()
            self._file.close()
