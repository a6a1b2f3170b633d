"""The facts of kept runs, for their verdicts."""

from __future__ import annotations

from functools import partial

from ...cell.contact import Contact
from ...report.wording.verdict import Facts
from ...run.run_file import RunFile
from .store import About


def kept_facts(about: About, file: RunFile | None = None) -> Facts:
    """What is known of a kept run; its events only with its file."""
    deviation = 0.0
    if file is not None and not about.program and "deviation" in file:
        deviation = float(file["deviation"][:, 0].max())
    return Facts(
        about.robot,
        about.feasible,
        about.seconds,
        () if file is None else file.events,
        deviation,
        about.name if about.program else None,
        [(failure["line"], failure["sentence"]) for failure in about.failures],
        [Contact(**contact) for contact in about.contacts],
        partial(line_at, about),
        loads=about.figures.get("continuous", {}).get("table", {}).get("failures", ()),
        not_checked=about.figures.get("not_checked", ()),
        strict=about.figures.get("strict", False),
    )


def line_at(about: About, t: float) -> int:
    """The line of the program that moves the robot at time t; 0 if none is known."""
    for move in about.moves:
        if move["start"] <= t < move["end"]:
            return int(move["line"])
    return 0
