"""The fastest motion along a program's path, in a worker: a run beside that of the program."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ...cell.motion_contacts import motion_contacts
from ..runs.store import About
from .verification import (
    Tell,
    arguments_of,
    checked,
    fingerprint_of,
    kept_verification,
    loads_table,
    now,
    plain,
    reading_of,
    write_run,
)

if TYPE_CHECKING:
    from ...verification.fastest_program import FastestProgram

STAGES = {
    "reading": "stage_reading",
    "planning": "stage_planning",
    "running": "stage_running",
    "looking": "stage_looking",
    "clearance": "stage_clearance",
    "fastest": "stage_fastest",
    "verifying": "stage_running",
}
LIMITS = 6
"""Limits at most that are named."""


def work(request: dict[str, Any], tell: Tell) -> dict[str, Any]:
    """Find the fastest motion; the descriptions of it and, if it has a folder, of the program's."""
    from ...verification.fastest_program import fastest_program

    arguments = arguments_of(request)
    request |= {"fingerprint": fingerprint_of(request, arguments)}
    found = fastest_program(
        request["program"],
        **arguments,
        **reading_of(request),
        tell=lambda part, what: tell(0.9 * part, STAGES.get(what, "stage_values")),
    )
    tell(0.9, "stage_write")
    before = None
    if request["beside"] is not None:
        before = kept_verification(request | request["beside"], found.before, {})
    return {"before": before, "fastest": _kept_motion(request, found)}


def _kept_motion(request: dict[str, Any], found: FastestProgram) -> dict[str, Any]:
    """Write the fastest motion into the folder of a request; its `About` as a dict.

    It has no program: what a program does is another motion, with the planner's own ramps.
    """
    run, before = found.timing.run, found.before
    figures: dict[str, Any] = {
        **checked(before), "continuous": loads_table(found.load), "summary": run.summary(),
        "fastest": _time_of(request, found),
    }  # fmt: skip
    contacts = motion_contacts(before.robot, before.cell, run["t"], run["q"])
    write_run(request, run, program="")
    unknown = before.strict and before.not_checked
    return plain(
        About(
            id=request["id"],
            name=request["fastest_name"],
            date=now(),
            robot=before.robot.name,
            feasible=found.feasible and run.feasible and not contacts and not unknown,
            seconds=found.timing.seconds,
            size=len(run),
            settings=request["setup"],
            contacts=tuple(asdict(contact) for contact in contacts),
            figures=figures,
        )
    )


def _time_of(request: dict[str, Any], found: FastestProgram) -> dict[str, Any]:
    """How long it takes and what holds it back, and the program that comes nearest to it."""
    from ...verification.fastest_program.page import limit_rows

    return {
        "before": found.before.seconds,
        "seconds": found.timing.seconds,
        "limits": limit_rows(found)[:LIMITS],
        "original": request["program"],
        "text": found.text,
        "rewritten": None if found.after is None else found.after.seconds,
        "feasible": found.after is not None and found.after.feasible,
    }
