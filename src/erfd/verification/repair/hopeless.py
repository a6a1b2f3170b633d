"""What no speed helps against, as far as that can be seen before any search."""

from __future__ import annotations

from collections.abc import Iterable

from ...robot.model import Robot
from ...robot.payload import Payload
from ..checks import cannot_hold
from ..result import Verification


def hopeless(
    found: Verification, robot: Robot, payloads: Iterable[Payload | None]
) -> Iterable[str]:
    """Why no speed makes a program feasible, in sentences; none if one may.

    Args:
        found: The verification of the program.
        robot: The robot that has to do it, perhaps with less torque.
        payloads: Those of the start, of which each has to pass.
    """
    for failure in found.plan.failures:
        yield f"line {failure.line}: {failure.sentence}, at any speed"
    if found.strict and found.not_checked:
        yield f"strictly nothing may be left unchecked: {found.not_checked[0]}"
    if found.plan.failures:
        return
    q, start = found.plan.trajectory.q, found.payloads[0]
    for payload in payloads:
        carried = [payload if p is start else p for p in found.payloads]
        sagging = cannot_hold(robot, q, carried, found.wrench)
        if sagging.any():
            row, motor = (int(k[0]) for k in sagging.nonzero())
            mass = carried[row]
            load = "" if mass is None else f" with {mass.mass:g} kg"
            line = int(found.plan.lines[row])
            yield f"line {line}: motor {motor + 1} cannot hold the arm{load}, at any speed"
            return
    contact = _path_contact(found)
    if contact:
        yield f"{contact}, at any speed"


def _path_contact(found: Verification) -> str:
    """What the arm touches on the programmed path; empty if nothing."""
    if found.cell is None:
        return ""
    contacts = found.contacts
    if not found.run.feasible:
        from ...cell.clearance import clearance

        given = found.plan.trajectory
        contacts = clearance(found.robot, found.cell, given.q).contacts(given.t)
    return str(contacts[0]) if contacts else ""
