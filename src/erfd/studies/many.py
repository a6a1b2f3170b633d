"""`erfd.verify_many`: a folder of programs on a fleet of robots, one row of verdict a pair."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ErfdError, InputError
from ..ground.files import write_bytes
from ..ground.optional import import_optional
from ..lirl import ProgramError, signals_beside
from ..lirl.program_file import read_program
from ..robot.library import RobotLike, robot_of
from ..robot.model import Robot
from ..verification.result import Verification
from ..verification.verify import is_path, verify
from .workers import check_workers, client_of, on_workers

TOGETHER = 8
"""Pairs of a part: of one robot, whose machine code they share."""
MOST_FILES = 100_000
"""Files that a folder of programs may have, those below it included."""
COLUMNS = ("program", "robot", "feasible", "verdict", "seconds", "torque", "motor", "load",
           "warnings", "not_checked", "error")  # fmt: skip
"""The columns of the table: `torque` the largest part of a torque limit and its `motor` (from 1),
`load` the largest part of a limit of the continuous load, `seconds` the program takes."""
SETUP = ("tool", "wrench", "payload", "dt", "q0", "cell", "turning", "adapt", "policy", "follow",
         "torque_path", "pause", "strict")  # fmt: skip
"""What `verify` is told of every pair."""


def verify_many(
    programs: str | Path | Sequence[str | Path],
    robots: RobotLike | Sequence[RobotLike],
    *,
    cluster: Any = None,
    tell: Callable[[float, str], None] = lambda part, what: None,
    **setup: Any,
) -> dict[str, Any]:
    """Verify many programs on many robots.

    Args:
        programs: A folder, whose programs (`.irl`, also in folders of it) are taken with the signal
            schedules beside them, or a list of programs and paths.
        robots: A robot, or a list of them.
        cluster: A `dask.distributed.Client` or the address of its scheduler; left out, this
            machine.
        tell: Called with the part that is done (0 to 1) and a word for what is being done.
        setup: What `verify` is told besides, the same for all: `payload`, `wrench`, `cell`, ...

    Returns:
        A table: a column (pairs,) by name (`program`, `robot`, `feasible`, `verdict`, `seconds`,
        `torque`, `motor`, `load`, `warnings`, `not_checked`, `error`), the programs of the first
        robot first. A pair that cannot be verified is a row with its `error`.

    Raises:
        InputError: No programs, no robot, or one that cannot be read.

    >>> import erfd
    >>> text = 'program p; seq move ptp joint(mainjoint(10)); endseq endprogram'
    >>> erfd.verify_many([text], ["lola15", "puma560"])["feasible"].tolist()
    [True, True]
    """
    unknown = [name for name in setup if name not in SETUP]
    if unknown:
        raise InputError(f"verify_many: expected {', '.join(SETUP)}, found {unknown[0]!r:.60}")
    given, fleet = _programs(programs), _robots(robots)
    brief = (given, fleet, setup)
    count = len(given) * len(fleet)
    rows: dict[int, dict[str, Any]] = {}
    parts = [(r, first) for r in range(len(fleet)) for first in range(0, len(given), TOGETHER)]

    def take(found: list[tuple[int, dict[str, Any]]]) -> None:
        rows.update(found)
        tell(len(rows) / count, f"{len(rows)} of {count} pairs")

    if cluster is None:
        for part in range(len(parts)):
            take(pairs_of(brief, part))
    else:
        with client_of(cluster) as client:
            check_workers(client)
            on_workers(client, brief, pairs_of, range(len(parts)), take)
    found = [rows[k] for k in range(count)]
    return {name: np.array([row[name] for row in found]) for name in COLUMNS}


def pairs_of(brief: Any, part: int) -> list[tuple[int, dict[str, Any]]]:
    """The rows of a part, with their places in the table."""
    programs, fleet, setup = brief
    parts = -(-len(programs) // TOGETHER)
    robot, first = part // parts, part % parts * TOGETHER
    last = min(first + TOGETHER, len(programs))
    return [(robot * len(programs) + k, _row(programs[k], fleet[robot], setup))
            for k in range(first, last)]  # fmt: skip


def _row(program: tuple[str, str, Any], robot: Robot, setup: dict[str, Any]) -> dict[str, Any]:
    """The verdict on one pair."""
    name, text, signals = program
    row: dict[str, Any] = dict.fromkeys(COLUMNS, "")
    row |= {"program": name, "robot": robot.name, "feasible": False, "seconds": np.nan,
            "torque": np.nan, "motor": 0, "load": np.nan, "warnings": 0}  # fmt: skip
    try:
        found = verify(text, robot, name=name, signals=signals, **setup)
    except ProgramError as error:
        mistake = error.mistakes[0]
        row["error"] = f"line {mistake.line}: {mistake.sentence}"
        return row
    except (ErfdError, ArithmeticError, np.linalg.LinAlgError) as error:
        row["error"] = (str(error) or type(error).__name__).splitlines()[0]
        return row
    return row | _figures(found)


def _figures(found: Verification) -> dict[str, Any]:
    """The figures of a verification."""
    use = np.zeros(found.robot.n)
    if len(found.run) > 1:
        limit = found.run["u_a_max"][1:]
        use = (np.abs(found.run["u_a"][1:]) / np.where(limit > 0, limit, np.inf)).max(axis=0)
    loads = [] if found.continuous is None else [row.part for row in found.continuous.rows]
    return {
        "feasible": found.feasible, "verdict": found.verdict, "seconds": found.seconds,
        "torque": float(use.max()), "motor": int(use.argmax()) + 1,
        "load": max(loads, default=0.0), "warnings": len(found.warnings),
        "not_checked": "; ".join(found.not_checked),
    }  # fmt: skip


def _files_under(folder: Path) -> list[Path]:
    """The programs in a folder and below it, in order; one with too many files is refused."""
    found: list[Path] = []
    seen = 0
    for place, _, names in os.walk(folder):
        seen += len(names)
        if seen > MOST_FILES:
            raise InputError(f"{folder}: expected at most {MOST_FILES:,} files, found more")
        found += [Path(place, name) for name in names if name.endswith(".irl")]
    return sorted(found)


def _programs(programs: Any) -> list[tuple[str, str, Any]]:
    """Name, text and signals of every program."""
    if isinstance(programs, Path) or (isinstance(programs, str) and Path(programs).is_dir()):
        folder = Path(programs)
        if not folder.is_dir():
            raise InputError(f"{folder}: expected a folder of programs, found none")
        paths = _files_under(folder)
        if not paths:
            raise InputError(f"{folder}: expected programs (.irl), found none")
        names = [str(path.relative_to(folder)) for path in paths]
        return [(name, read_program(path), signals_beside(path))
                for name, path in zip(names, paths, strict=True)]  # fmt: skip
    if isinstance(programs, str | bytes) or not isinstance(programs, Sequence) or not programs:
        expected = "a folder of programs or a list of them"
        raise InputError(f"programs: expected {expected}, found {programs!r:.60}")
    found: list[tuple[str, str, Any]] = []
    for k, program in enumerate(programs):
        if not isinstance(program, str | Path):
            raise InputError(f"programs: expected programs or paths, found {program!r:.60}")
        if is_path(program):
            path = Path(program)
            found.append((path.stem, read_program(path), signals_beside(path)))
        else:
            found.append((f"program {k + 1}", str(program), None))
    return found


def _robots(robots: Any) -> list[Robot]:
    """The robots of a fleet; their files are read here, so that no worker needs them."""
    several = isinstance(robots, Sequence) and not isinstance(robots, str | bytes)
    fleet = [robot_of(robot) for robot in (robots if several else [robots])]
    if not fleet:
        raise InputError("robots: expected at least one robot, found none")
    return fleet


def verdict_bytes(table: dict[str, Any]) -> bytes:
    """The table as the bytes of a Parquet file."""
    pyarrow = import_optional("pyarrow", "a table of verdicts", "runs")
    parquet = import_optional("pyarrow.parquet", "a table of verdicts", "runs")
    buffer = io.BytesIO()
    parquet.write_table(pyarrow.table(table), buffer)
    return buffer.getvalue()


def write_verdicts(table: dict[str, Any], folder: Path) -> list[Path]:
    """Write the table and its page into a folder; the paths."""
    from ..ground.files import write_text
    from ..report.output_folder import make_folder
    from .verdict_page import verdict_page

    make_folder(folder)
    write_bytes(folder / "verdicts.parquet", verdict_bytes(table))
    write_text(folder / "verdicts.html", verdict_page(table))
    return [folder / "verdicts.parquet", folder / "verdicts.html"]
