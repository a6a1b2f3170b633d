"""Write and read a run as one Parquet file, which reads back exactly, bit for bit.

A row is a moment, a column a number (see `columns`), with its unit in the field's metadata.
The file's metadata hold the rest, as text:

| key | text |
|---|---|
| `erfd.format` | the version of this layout, 1 |
| `erfd.version` | the ERFD that wrote the file |
| `erfd.robot` | the robot, TOML (docs/robot-format.md) |
| `erfd.program` | the program of the motion, empty if it was not given |
| `erfd.quantities` | JSON: for each quantity its columns, their units and the shape they make |
| `erfd.events` | JSON: a list of events |
| `erfd.check` | SHA-256 of the file, with 64 zeros in place of its digits |

Parquet itself does not notice every changed byte; the checksum does.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import __version__
from ..errors import InputError, RobotError
from ..ground.arguments import path_of
from ..ground.arrays import Array
from ..ground.files import read_bytes, write_bytes
from ..ground.optional import import_optional
from .checksum import PLACEHOLDER, check, with_checksum
from .columns import columns

if TYPE_CHECKING:
    from ..robot.model import Robot
    from .events import Event
    from .run import Run

FORMAT = 1
ROWS = 65_536
"""Rows of a row group, which can be read without the others."""


def write_parquet(run: Run, path: str | Path, *, program: str = "") -> None:
    """Write the run, its robot and the text of its program into one Parquet file.

    Args:
        run: The run.
        path: The file; it is written beside its place and then renamed.
        program: The text of the program that asked for the motion.
    """
    write_bytes(path, with_checksum(_encode(run, program)))


def read_run(path: str | Path) -> Run:
    """Read a run from a Parquet file that `write_run` has written.

    Args:
        path: The `.parquet` file.

    Returns:
        The run: its arrays, events and robot equal those that were written, bit for bit.

    Raises:
        InputError: No run of ERFD, a damaged file, or one of a newer format.
        MissingDependencyError: pyarrow is not installed (the extra `erfd[runs]`).

    >>> import erfd
    >>> erfd.read_run("run.parquet")  # doctest: +SKIP
    Run('lola15', 301 points, feasible)
    """
    path = path_of("path", path)
    from .run import Run

    text, table = _decode(path)
    data = {}
    for name, entry in json.loads(text["erfd.quantities"]).items():
        data[name] = quantity_from(table, entry)
    return Run(robot_from(path, text["erfd.robot"]), data, events_from(text["erfd.events"]))


def read_run_program(path: str | Path) -> str:
    """Read the text of the program that was written with a run.

    Args:
        path: The `.parquet` file.

    Returns:
        The text, empty if there was none.
    """
    return _decode(path)[0]["erfd.program"]


def _encode(run: Run, program: str) -> bytes:
    """The run as Parquet, with zeros for the digits of its checksum."""
    arrow, parquet = packages()
    from ..robot.readers.toml import toml_text as robot_text

    table = columns(run)
    flat = [column for group in table.values() for column in group]
    kind = arrow.float64()
    fields = [arrow.field(c.name, kind, False, metadata={"unit": c.unit}) for c in flat]
    quantities = {
        name: {
            "shape": run.data[name].shape[1:],
            "columns": [column.name for column in group],
            "units": [column.unit for column in group],
        }
        for name, group in table.items()
    }
    text = {
        "erfd.format": str(FORMAT),
        "erfd.version": __version__,
        "erfd.robot": robot_text(run.robot, "rad"),
        "erfd.program": program,
        "erfd.quantities": json.dumps(quantities),
        "erfd.events": json.dumps([asdict(event) for event in run.events]),
    }
    schema = arrow.schema(fields, metadata=text)
    sink = arrow.BufferOutputStream()
    # no dictionaries: they may take -0 for 0
    options = {"compression": "zstd", "use_dictionary": False}
    with parquet.ParquetWriter(sink, schema, **options) as writer:
        # from buffers: a NumPy array would make Arrow import pandas, if it is installed
        buffers = [[None, arrow.py_buffer(column.values)] for column in flat]
        arrays = [arrow.Array.from_buffers(kind, len(run), pair) for pair in buffers]
        writer.write_table(arrow.table(arrays, schema=schema), row_group_size=ROWS)
        writer.add_key_value_metadata({"erfd.check": PLACEHOLDER})
    return bytes(sink.getvalue().to_pybytes())


def _decode(path: str | Path) -> tuple[dict[str, str], Any]:
    """The texts in the file's metadata, and its table."""
    arrow, parquet = packages()
    data = read_bytes(path)
    check(path, memoryview(data))
    # in this thread only: Arrow's own threads can abort the interpreter at exit (apache/arrow
    # issue 34314), and a run is small
    file = parquet.ParquetFile(arrow.BufferReader(data), pre_buffer=False)
    text = texts_of(file)
    version = int(text["erfd.format"])
    if version != FORMAT:
        writer = text["erfd.version"]
        raise InputError(
            f"{path}: expected run format {FORMAT}, found {version}, written by erfd {writer};"
            " an erfd at least that new reads it"
        )
    return text, file.read(use_threads=False)


def texts_of(file: Any) -> dict[str, str]:
    """The texts in the metadata of an open Parquet file, by key."""
    return {key.decode(): value.decode() for key, value in file.metadata.metadata.items()}


def quantity_from(table: Any, entry: dict[str, Any]) -> Array:
    """A quantity from its columns in an Arrow table; `entry` is that of `erfd.quantities`."""
    parts = [table.column(column).chunks for column in entry["columns"]]
    flat = [np.concatenate([np.from_dlpack(part) for part in chunks]) for chunks in parts]
    return np.stack(flat, axis=-1).reshape(-1, *entry["shape"])


def events_from(text: str) -> tuple[Event, ...]:
    """The events of a JSON list."""
    from .events import Event

    def event(entry: dict[str, Any]) -> Event:
        shares = tuple((str(cause), float(share)) for cause, share in entry.pop("shares"))
        return Event(**entry, shares=shares)

    return tuple(map(event, json.loads(text)))


def robot_from(path: str | Path, text: str) -> Robot:
    """The robot of a run file at `path`, from the text of its TOML."""
    from ..robot.readers import toml

    try:
        return toml.loads(text)
    except RobotError as error:
        raise InputError(f"{path}: {error}") from None


def packages() -> tuple[Any, Any]:
    """The modules pyarrow and pyarrow.parquet; an error if they are not installed."""
    needs = ("a Parquet file", "runs")
    return import_optional("pyarrow", *needs), import_optional("pyarrow.parquet", *needs)
