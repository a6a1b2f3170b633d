"""Repair a program in a worker: what is changed, and why, for a person to accept or leave."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from .verification import Tell, arguments_of

STAGES = {
    "verifying": "stage_running",
    "slower": "stage_slower",
    "fewer lines": "stage_fewer",
    "faster": "stage_faster",
    "values": "stage_faster",
}


def work(request: dict[str, Any], tell: Tell) -> dict[str, Any]:
    """Repair `program` of a request; what may be accepted, as data."""
    from ...verification.repair import repair

    made = repair(
        request["program"],
        **arguments_of(request),
        tell=lambda part, what: tell(part, STAGES.get(what, "stage_other_ways")),
    )
    return {
        "kind": "repair",
        "original": made.original,
        "text": made.text,
        "feasible": made.feasible,
        "complete": made.complete,
        "before": made.before.seconds,
        "seconds": made.verification.seconds,
        "changes": [asdict(change) for change in made.changes],
        "reasons": list(made.reasons),
        "suggestions": list(made.suggestions),
    }
