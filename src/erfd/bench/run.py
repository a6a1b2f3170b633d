"""Run the benchmark of `erfd bench` as data; print it, save it, put it into the documentation."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

from ..errors import InputError
from ..ground.files import write_text
from ..kernels.settings import backend
from ..kernels.trace import MOST_JOINTS
from ..robot.model import Robot
from . import erfd_cases, peers
from .bars import bars, figures
from .chains import chain_row
from .machine import describe
from .measure import FULL, QUICK, Effort, TimedCase, agree, best_times, difference, one_core
from .peer_base import Peer
from .roofline import roofline
from .startup import memory, startup
from .states import BENCHED_QUANTITIES, SEED, States, random_states
from .table import markdown, print_bench

__all__ = ["print_bench", "require_place", "run", "save", "update_docs"]

BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"
UNITS = {
    "forward_dynamics": "pin.abaInParallel",
    "inverse_dynamics": "pin.rneaInParallel",
    "mass_matrix": "pin.crba",
}
"""What ratios are of: Pinocchio's C++ on one thread; of H it has only the call from Python."""


def run(robot: Robot, *, quick: bool = False, progress: Console | None = None) -> dict[str, Any]:
    """Measure ERFD and every peer that is installed; plain data that JSON can hold.

    `quick` measures little of everything, in seconds: good for a test, useless as a figure.
    """
    if robot.n > MOST_JOINTS:
        expected = f"up to {MOST_JOINTS} joints, which are compiled"
        raise InputError(f"robot {robot.name!r}: expected {expected}, found {robot.n}")
    effort = QUICK if quick else FULL
    data: dict[str, Any] = {
        **describe(),
        "robot": robot.name,
        "quick": quick,
        "seed": SEED,
        "states": effort.sizes[-1],
        "units": UNITS,
    }
    steps = len(BENCHED_QUANTITIES) * (effort.rounds + 1) + len(effort.joints) + 3
    with backend("compiled"), one_core(), _bar(progress, steps) as advance:
        data["startup"] = startup(robot, effort)
        advance()
        data["memory"] = memory(robot, effort)
        advance()
        states = random_states(robot, effort.sizes[-1])
        data["rows"] = []
        for quantity in BENCHED_QUANTITIES:
            data["rows"] += _rows(
                robot, quantity, states, effort, data["machine"]["cores"], advance
            )
        measured = {
            row["quantity"]: row["ns"]
            for row in data["rows"]
            if row["who"] == erfd_cases.NAME
            and row["how"] == erfd_cases.BATCH
            and (row["states"], row["threads"]) == (effort.sizes[-1], 1)
        }
        data["roofline"] = roofline(robot, effort.sizes[-1], measured)
        advance()
        data["chains"] = []
        for joints in effort.joints:
            data["chains"].append(chain_row(joints, effort))
            advance()
    data["bars"] = bars(figures(data))
    return data


@contextmanager
def _bar(console: Console | None, steps: int) -> Iterator[Callable[[], None]]:
    """Show a progress bar; what it yields advances it by a step."""
    terminal = console or Console(stderr=True, quiet=True)
    with Progress(console=terminal, transient=True, disable=not terminal.is_terminal) as progress:
        task = progress.add_task("measuring", total=steps)
        yield lambda: progress.advance(task)


def _rows(
    robot: Robot,
    quantity: str,
    states: States,
    effort: Effort,
    cores: int,
    advance: Callable[[], None],
) -> list[dict[str, Any]]:
    """The times of one quantity of all packages, and the gaps; all cases in turn by rounds."""
    threads = (1, cores) if cores > 1 else (1,)
    given = (quantity, states, effort.sizes, threads)
    cases: list[TimedCase] = erfd_cases.own_cases(robot, *given)
    errors = [difference(case.results(), states.results[quantity]) for case in cases]
    gaps = []
    for peer in peers.PEERS:
        reason = peer.missing()
        if not reason:
            try:
                theirs = peer(robot).cases(*given)
                errors += [difference(c.results(), states.results[quantity]) for c in theirs]
                cases += theirs
                continue
            except Exception as error:  # whatever it is, it is that peer's gap
                del errors[len(cases) :]
                reason = f"{type(error).__name__}: {error}".splitlines()[0]
        gaps += _gaps(peer, quantity, reason)
    advance()
    times = best_times(cases, effort, advance)
    rows: list[dict[str, Any]] = [
        {
            "quantity": quantity,
            "who": case.who,
            "how": case.how,
            "states": case.states,
            "threads": case.threads,
            "statement": case.statement,
            "ns": seconds / case.states * 1e9,
            "difference": error,
            "status": "ok" if agree(error) else "disagrees",
        }
        for case, seconds, error in zip(cases, times, errors, strict=True)
    ]
    unit = _unit(rows, quantity)
    for row in rows:
        row["ratio"] = unit / row["ns"] if unit and row["status"] == "ok" else None
    return rows + gaps


def _gaps(peer: type[Peer], quantity: str, reason: str) -> list[dict[str, Any]]:
    """The rows of a peer that could not be measured."""
    ways = [names[quantity] for names in (peer.calls, peer.batches) if quantity in names]
    same = {"quantity": quantity, "who": peer.name, "status": "gap", "note": reason}
    return [{**same, "how": how, "states": None, "threads": None} for how in ways]


def _unit(rows: list[dict[str, Any]], quantity: str) -> float | None:
    """The ns of the row that ratios refer to: the largest batch on one thread."""
    batches = [
        row
        for row in rows
        if row["how"] == UNITS[quantity] and row["threads"] == 1 and row["status"] == "ok"
    ]
    return max(batches, key=lambda row: row["states"])["ns"] if batches else None


def require_place(path: Path) -> None:
    """Check that figures can be saved there, before minutes of measuring."""
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        expected = "a file in a folder that exists and may be written"
        raise InputError(f"{path}: cannot be written, expected {expected}")


def save(data: dict[str, Any], path: Path) -> None:
    """Save a run as a JSON file."""
    write_text(Path(path), json.dumps(data, indent=1, allow_nan=False) + "\n")


def update_docs(data: dict[str, Any], path: Path) -> None:
    """Replace what is between the markers of a Markdown page by this run's tables."""
    path = Path(path)
    before, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise InputError(f"{path}: expected the markers {BEGIN} and {END}, found none")
    write_text(path, f"{before}{BEGIN}\n{markdown(data)}{END}{after}")
