"""A run as text and a table (Rich) and as plain data (JSON): verdict, events, motors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from rich.console import Console
from rich.text import Text

from ...ground.json_text import json_value
from ...run.events import Event
from ...run.run import Run
from ..wording.texts import Words
from ..wording.verdict import run_facts, verdict
from .table import number, print_table


def print_run(run: Run, console: Console) -> None:
    """Print the verdict, the events and a table of the motors."""
    print_verdict(verdict(Words(), run_facts(run)), run.feasible, console)
    for event in run.events:
        console.print(event_line(event))
    rpm = 30 / math.pi
    rows = [
        (
            str(row["motor"]),
            *(number(row[f"torque_{key}"]) for key in ("peak", "max", "rms", "rated")),
            *(number(row[f"speed_{key}"] * rpm) for key in ("peak", "max")),
            "-" if row["gear_torque"] is None else number(row["gear_torque"]),
            number(row["energy"]),
            f"{100 * row['saturated']:.1f}",
        )
        for row in run.summary()
    ]
    columns = ("motor", "peak N m", "max N m", "RMS N m", "rated N m", "peak rpm", "max rpm",
               "gear N m", "energy J", "saturated %")  # fmt: skip
    t = run["t"]
    print_table(console, f"Motors, {len(run)} points, {t[-1] - t[0]:g} s", columns, rows)


def print_verdict(sentence: str, feasible: bool, console: Console) -> None:
    """Print a verdict in the colour of its kind."""
    console.print(Text(sentence, style="bold green" if feasible else "bold red"))


def event_line(event: Event) -> Text:
    """An event on the terminal, a warning in its colour, behind its line if there is a program."""
    where = f"line {event.line}: " if event.line else ""
    return Text(f"  {where}{event}", style="" if event.fails else "yellow")


def event_data(event: Event, *, shares: bool = False) -> dict[str, Any]:
    """An event as JSON values; SI units."""
    data = {name: getattr(event, name) for name in ("start", "end", "joint", "kind", "missing")}
    data |= ({"shares": dict(event.shares)} if shares else {}) | {"text": str(event)}
    names = ("unit", "severity", "part", "beyond", "at")
    data |= {name: getattr(event, name) for name in names}
    return data | ({"line": event.line} if event.line else {})


def run_data(run: Run) -> dict[str, Any]:
    """Verdict, events and motors as JSON values; SI units."""
    deviation = np.abs(run["deviation"]).max(axis=0)
    return {
        "robot": run.robot.name,
        "feasible": run.feasible,
        "verdict": verdict(Words(), run_facts(run)),
        "points": len(run),
        "deviation_max": {"m": float(deviation[0]), "rad": float(deviation[1])},
        "events": [event_data(event, shares=True) for event in run.events],
        "motors": json_value(run.summary()),
    }
