"""A run as text and a table (Rich) and as plain data (JSON): verdict, events, motors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from rich.console import Console
from rich.text import Text

from ...run.run import Run
from .table import number, print_table


def verdict(run: Run) -> str:
    """The verdict in one line: feasible, or what fails."""
    if run.feasible:
        return f"feasible: {run.robot.name} does all of it"
    kinds = sorted({event.kind for event in run.events})
    distance = float(run["deviation"][:, 0].max())
    return (
        f"not feasible: {len(run.events)} events ({', '.join(kinds)}),"
        f" the tool is up to {1e3 * distance:.3g} mm off"
    )


def print_run(run: Run, console: Console) -> None:
    """Print the verdict, the events and a table of the motors."""
    console.print(Text(verdict(run), style="bold green" if run.feasible else "bold red"))
    for event in run.events:
        console.print(Text(f"  {event}"))
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


def run_data(run: Run) -> dict[str, Any]:
    """Verdict, events and motors as JSON values; SI units."""
    events = [
        {
            "start": event.start,
            "end": event.end,
            "joint": event.joint,
            "kind": event.kind,
            "missing": event.missing,
            "shares": dict(event.shares),
            "text": str(event),
        }
        for event in run.events
    ]
    summary = [
        {
            key: None if isinstance(v, float) and not math.isfinite(v) else v
            for key, v in row.items()
        }
        for row in run.summary()
    ]
    deviation = np.abs(run["deviation"]).max(axis=0)
    return {
        "robot": run.robot.name,
        "feasible": run.feasible,
        "verdict": verdict(run),
        "points": len(run),
        "deviation_max": {"m": float(deviation[0]), "rad": float(deviation[1])},
        "events": events,
        "motors": summary,
    }
