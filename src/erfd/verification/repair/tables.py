"""A repair on the terminal, and as data for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.text import Text

from ...report.tables.run import print_verdict
from .result import Repair


def print_repair(repaired: Repair, console: Console) -> None:
    """Print what came of it, the changes with their reasons, and what else could be done."""
    print_verdict(repaired.sentence, repaired.feasible, console)
    if repaired.verification.not_checked:
        console.print(Text(repaired.verification.not_checked_line, style="yellow"))
    for change in repaired.changes:
        console.print(Text(f"  {change}"))
    for suggestion in repaired.suggestions:
        console.print(Text(f"  {suggestion}"))
    if not repaired.feasible and not repaired.suggestions:
        console.print(Text(f"  {nothing_else(repaired)}"))


def nothing_else(repaired: Repair) -> str:
    """That nothing was found which could help."""
    tried = "no other CONFIG, tool angle, place of the base, payload or pause was found that helps"
    return tried if repaired.complete else f"{tried} in the time for it"


def repair_data(repaired: Repair, name: str) -> dict[str, Any]:
    """A repair as values that JSON can hold; the file's `name` is for the diff."""
    return {
        "feasible": repaired.feasible,
        "sentence": repaired.sentence,
        "changes": [asdict(change) for change in repaired.changes],
        "seconds": repaired.verification.seconds,
        "seconds_before": repaired.before.seconds,
        "verdict": repaired.verification.verdict,
        "verdict_before": repaired.before.verdict,
        "reasons": list(repaired.reasons),
        "suggestions": list(repaired.suggestions),
        "complete": repaired.complete,
        "not_checked": list(repaired.verification.not_checked),
        "diff": repaired.diff(name),
        "text": repaired.text,
    }
