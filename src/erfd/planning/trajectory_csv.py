"""Trajectories from CSV files: columns t, q1..qn and, if wanted, qd1..qdn."""

from __future__ import annotations

import csv
import math
from io import StringIO
from pathlib import Path

import numpy as np

from ..errors import InputError
from ..ground.arguments import path_of
from ..ground.files import read_text
from .trajectory import Trajectory


def read_trajectory(
    path: str | Path, n: int, *, degrees: bool = False, resample: bool = False
) -> Trajectory:
    """The trajectory in a CSV file, for a robot of n joints.

    With a header the columns t, q1..qn and, if wanted, qd1..qdn may stand in any order, and others
    are passed over. Without one they are t, q1..qn, and qd1..qdn if there are as many.

    Args:
        path: The file.
        n: Joints of the robot.
        degrees: Angles are in deg and deg/s, not rad and rad/s. Times are in s.
        resample: Derive qd from q anew where the file's velocities disagree with its positions.

    Returns:
        The trajectory in rad (m) and rad/s (m/s), times in s.

    Raises:
        InputError: A file that cannot be read, missing columns, or times without a fixed step.

    >>> erfd.read_trajectory("motion.csv", robot.n)  # doctest: +SKIP
    """
    path = path_of("path", path)
    path = Path(path)
    rows = _rows(path)
    wanted = ["t", *(f"q{i}" for i in range(1, n + 1))]
    rates = [f"qd{i}" for i in range(1, n + 1)]
    first = rows[0][1]
    if any(_number(cell) is None for cell in first):
        places = {name.strip().lower(): k for k, name in enumerate(first)}
        missing = [name for name in wanted if name not in places]
        if missing:
            expected = f"columns {', '.join(wanted)}"
            raise InputError(f"{path.name}: expected {expected}, found no {', '.join(missing)}")
        rate_columns = [name for name in rates if name in places]
        if rate_columns and len(rate_columns) < n:
            lost = ", ".join(name for name in rates if name not in places)
            raise InputError(f"{path.name}: expected all of {rates[0]}..{rates[-1]}, no {lost}")
        order = [places[name] for name in (*wanted, *rate_columns)]
        rows = rows[1:]
    else:
        if len(first) not in (n + 1, 2 * n + 1):
            expected = f"{n + 1} columns (t, q1..q{n}) or {2 * n + 1} (with qd1..qd{n})"
            raise InputError(f"{path.name}: expected {expected}, found {len(first)}")
        order = list(range(len(first)))
    table = np.array([_values(path, line, cells, order) for line, cells in rows])
    if len(table) < 2:
        raise InputError(f"{path.name}: expected at least two rows of numbers, found {len(table)}")
    scale = math.pi / 180 if degrees else 1.0
    q, qd = table[:, 1 : n + 1] * scale, table[:, n + 1 :] * scale
    try:
        return Trajectory(table[:, 0], q, qd if qd.size else None, resample=resample)
    except InputError as error:
        raise InputError(f"{path.name}: {error}") from None


def _rows(path: Path) -> list[tuple[int, list[str]]]:
    """(line number, cells) of every line that is neither empty nor a comment."""
    reader = csv.reader(StringIO(read_text(path)))
    try:
        rows = [(reader.line_num, row) for row in reader if any(c.strip() for c in row)]
    except csv.Error as error:
        raise InputError(f"{path.name}: cannot be read as CSV: {error}") from None
    rows = [(line, row) for line, row in rows if not row[0].lstrip().startswith("#")]
    if not rows:
        raise InputError(f"{path.name}: expected rows of numbers, found none")
    return rows


def _number(cell: str) -> float | None:
    """The number in a cell, None if it holds something else."""
    try:
        return float(cell)
    except ValueError:
        return None


def _values(path: Path, line: int, cells: list[str], order: list[int]) -> list[float]:
    """The finite numbers of the cells in this order, or an error that names line and column."""
    values = []
    for k in order:
        value = _number(cells[k]) if k < len(cells) else None
        if value is None or not math.isfinite(value):
            cell = repr(cells[k]) if k < len(cells) else "nothing"
            raise InputError(
                f"{path.name}: line {line}: column {k + 1}: expected a number, found {cell}"
            )
        values.append(value)
    return values


def trajectory_text(trajectory: Trajectory) -> str:
    """A trajectory as CSV that `read_trajectory` reads: t, q1..qn, qd1..qdn; s, rad (m), rad/s.

    >>> import erfd
    >>> print(trajectory_text(erfd.Trajectory([0.0, 0.5], [[0.0], [0.1]])), end="")
    t,q1,qd1
    0.0,0.0,0.0
    0.5,0.1,0.2
    """
    names = [f"{what}{i}" for what in ("q", "qd") for i in range(1, trajectory.n + 1)]
    rows = np.column_stack([trajectory.t, trajectory.q, trajectory.qd]).tolist()
    lines = [",".join(["t", *names]), *(",".join(map(repr, row)) for row in rows)]
    return "\n".join(lines) + "\n"
