"""Items and what came of them as tables (Rich) and plain data (JSON)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from ..report.tables.table import print_table
from .item import Check, DocumentItem, ItemOutcome

COLORS = {"reproduced": "green", "not reproduced": "red"}


def item_data(item: DocumentItem, outcome: ItemOutcome) -> dict[str, Any]:
    """An item and what came of it as plain data."""
    checks = [
        {
            "what": check.what,
            "printed": check.printed,
            "printed_number": check.number,
            "computed": _finite(check.computed),
            "low": _finite(check.low),
            "high": _finite(check.high),
            "unit": check.unit,
            "holds": check.holds,
        }
        for check in outcome.checks
    ]
    data: dict[str, Any] = {"item": item.name, "where": item.where, "title": item.title}
    data |= {"verdict": outcome.verdict, "errata": list(outcome.errata), "why": outcome.why}
    return data | {"remark": outcome.remark, "checks": checks}


def _finite(x: float) -> float | None:
    """A number as JSON has it: None where there is no limit."""
    return float(x) if math.isfinite(x) else None


def print_items(items: Sequence[DocumentItem], console: Console) -> None:
    """Print the names of all items and where they stand."""
    rows = [(item.name, item.where, item.title) for item in items]
    print_table(console, "Items of the documents", ("item", "in print", ""), rows, (0, 1, 2))
    console.print("erfd reproduce ITEM does one again, `erfd reproduce 001` all of a document")


def print_outcome(item: DocumentItem, outcome: ItemOutcome, console: Console) -> None:
    """Print the checks of an item and its verdict."""
    rows = [
        (
            check.what,
            check.printed,
            f"{check.computed:.6g}",
            check.unit,
            "[green]yes[/]" if check.holds else f"[red]no[/] {_expected(check)}",
        )
        for check in outcome.checks
    ]
    columns = ("", "printed", "computed", "unit", "holds")
    print_table(console, f"{item.name}: {item.title} ({item.where})", columns, rows, (0, 3, 4))
    color = COLORS.get(outcome.verdict, "yellow")
    said = Text.assemble((outcome.verdict, f"bold {color}"))
    if outcome.why:
        said.append(f": {outcome.why}")
    console.print(said)
    if outcome.remark:
        console.print(Text(outcome.remark))


def _expected(check: Check) -> str:
    if check.number is not None or math.isinf(check.high - check.low):
        return ""
    return f"(at most {check.high:.3g})"


def print_verdicts(found: Sequence[tuple[DocumentItem, ItemOutcome]], console: Console) -> None:
    """Print the verdicts of several items as one table."""
    rows = []
    for item, outcome in found:
        color = COLORS.get(outcome.verdict, "yellow")
        rows.append((item.name, item.where, f"[{color}]{outcome.verdict}[/]"))
    print_table(console, "Verdicts", ("item", "in print", "verdict"), rows, (0, 1, 2))
