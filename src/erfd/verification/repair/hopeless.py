"""What no speed helps against, as far as that can be seen before any search."""

from __future__ import annotations

from collections.abc import Iterable

from ..result import Verification
from .chain import TrialChain


def hopeless(found: Verification, chain: TrialChain) -> Iterable[str]:
    """Why no speed makes a program feasible, in sentences; none if one may.

    Args:
        found: The verification of the program.
        chain: What it is tried with.
    """
    for failure in found.plan.failures:
        yield f"line {failure.line}: {failure.sentence}, at any speed"
    if found.strict and found.not_checked:
        yield f"strictly nothing may be left unchecked: {found.not_checked[0]}"
    if found.plan.failures:
        return
    if sagging := chain.sagging():
        line, motor, payload = sagging
        load = "" if payload is None else f" with {payload.mass:g} kg"
        yield f"line {line}: motor {motor} cannot hold the arm{load}, at any speed"
        return
    contact = _path_contact(found)
    if contact:
        yield f"{contact}, at any speed"


def _path_contact(found: Verification) -> str:
    """What the arm touches on the programmed path; empty if nothing."""
    contacts = found.contacts
    if not found.run.feasible:
        from ...cell.motion_contacts import motion_contacts

        given = found.plan.trajectory
        contacts = motion_contacts(found.robot, found.cell, given.t, given.q)
    return str(contacts[0]) if contacts else ""
