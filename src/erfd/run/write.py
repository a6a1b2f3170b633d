"""Write a run: Parquet (whole, and read back exactly), CSV, MCAP for Foxglove, pandas.

>>> erfd.write_run(run, "run.parquet")  # doctest: +SKIP
>>> erfd.read_run("run.parquet")  # doctest: +SKIP
Run('lola15', 301 points, feasible)

Every file is written beside its place and then renamed: a killed writer leaves the old file or
none. All but CSV need the extra `erfd[runs]`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError
from ..ground.arguments import instance_of, path_of, text_of
from ..ground.files import write_bytes
from ..ground.optional import import_optional
from .columns import TableColumn, columns
from .mcap import write_mcap
from .parquet import read_run, read_run_program, write_parquet

if TYPE_CHECKING:
    from .run import Run

__all__ = [
    "read_run",
    "read_run_program",
    "to_pandas",
    "write_csv",
    "write_mcap",
    "write_parquet",
    "write_run",
]

SUFFIXES = (".parquet", ".csv", ".mcap")


def write_run(run: Run, path: str | Path, *, program: str = "") -> None:
    """Write a run to a file, in the format that its name ends in.

    Args:
        run: The run.
        path: A file that ends in `.parquet` (whole, for `read_run`), `.csv` or `.mcap` (Foxglove);
            it is written beside its place and then renamed.
        program: The text of the program that asked for the motion; CSV has no place for it.

    Raises:
        InputError: Another ending, or a place that cannot be written.
        MissingDependencyError: The package for the format is not installed (the extra
            `erfd[runs]`).

    >>> import erfd
    >>> erfd.write_run(run, "run.parquet")  # doctest: +SKIP
    """
    from .run import Run

    instance_of("run", run, Run)
    text_of("program", program)
    path_of("path", path)
    suffix = Path(path).suffix.lower()
    if suffix == ".parquet":
        write_parquet(run, path, program=program)
    elif suffix == ".csv":
        write_csv(run, path)
    elif suffix == ".mcap":
        write_mcap(run, path, program=program)
    else:
        listed = ", ".join(SUFFIXES)
        raise InputError(f"{path}: expected a name that ends in one of {listed}")


def write_csv(run: Run, path: str | Path) -> None:
    """Write the run as CSV: a row for each moment, titles such as `q1 [rad]`.

    Numbers have all the digits they need to read back exactly.

    Args:
        run: The run.
        path: The file.
    """
    table = _flat(run)
    lines = [",".join(column.title for column in table)]
    rows = np.stack([column.values for column in table], axis=-1).tolist()
    lines += [",".join(map(repr, row)) for row in rows]
    write_bytes(path, ("\n".join(lines) + "\n").encode())


def to_pandas(run: Run) -> Any:
    """The run as a pandas DataFrame.

    Args:
        run: The run.

    Returns:
        A row for each moment, indexed by t (s), columns as in `columns`; `frame.attrs["units"]` are
        the units of the columns, `frame.attrs["robot"]` is a name.
    """
    pandas = import_optional("pandas", "a DataFrame", "runs")
    first, *table = _flat(run)
    index = pandas.Index(first.values, name=first.name)
    frame = pandas.DataFrame({column.name: column.values for column in table}, index=index)
    frame.attrs["units"] = {column.name: column.unit for column in (first, *table)}
    frame.attrs["robot"] = run.robot.name
    return frame


def _flat(run: Run) -> list[TableColumn]:
    """All columns, t first."""
    groups = columns(run)
    return [*groups.pop("t"), *(column for group in groups.values() for column in group)]
