"""A verification on the terminal, and as data for programs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from rich.console import Console
from rich.text import Text

from ..report.tables.robot import print_table
from ..report.tables.run import run_data
from .advice import FASTEST, Advice, names_config
from .verify import Verification


def percent(part: float | None) -> str:
    """A speed override in words."""
    if part is None:
        return "none"
    return f"over {100 * FASTEST:.0f} %" if part >= FASTEST else f"{100 * part:.0f} %"


def advice_lines(found: Verification, advice: Advice) -> list[str]:
    """What to do about it, one sentence a line."""
    lines = []
    if found.plan.failures:
        lines.append("no speed override helps: what is out of reach stays so")
    elif advice.override is None:
        lines.append("no speed override makes the program feasible")
    elif found.feasible:
        lines.append(f"feasible up to a speed override of {percent(advice.override)}")
    else:
        lines.append(f"feasible with a speed override of {percent(advice.override)}")
    if not found.feasible and names_config(found):
        named = ", ".join(str(config) for config in advice.configs)
        lines.append(
            f"with CONFIG {named} it would pass" if named else "no other CONFIG would pass"
        )
    if found.plan.failures:
        pass  # when it would arrive means nothing
    elif advice.achievable_seconds is None:
        lines.append("the arm would not arrive at the end of the program")
    elif not found.run.feasible:
        late = advice.achievable_seconds - found.seconds
        lines.append(f"catching up, the arm arrives {late:.2f} s after the program")
    return [*lines, advice.margin]


def print_verification(found: Verification, advice: Advice | None, console: Console) -> None:
    """Verdict, moves, events, warnings, advice."""
    console.print(Text(found.verdict, style="bold green" if found.feasible else "bold red"))
    slow = advice.per_move if advice else (None,) * len(found.moves)
    rows = [
        (
            str(report.move.line),
            report.move.kind,
            report.move.name,
            f"{report.move.end - report.move.start:.2f}",
            _peak(report.torque),
            _peak(report.speed),
            f"{1e3 * report.distance:.2f}",
            f"{math.degrees(report.angle):.2f}",
            percent(part) if advice else "",
            "; ".join(sorted({e.kind for e in report.events})),
        )
        for report, part in zip(found.moves, slow, strict=True)
    ]
    columns = ("line", "move", "to", "s", "torque %", "speed %", "off mm", "off deg", "speed up to",
               "events")  # fmt: skip
    title = f"{found.name} on {found.robot.name}, {found.seconds:.2f} s"
    print_table(console, title, columns, rows, left=(1, 2, 9))
    for event in found.run.events:
        console.print(Text(f"  line {found.line_at(event.start)}: {event}"))
    for failure in found.plan.failures:
        console.print(Text(f"  line {failure.line}: {failure.sentence}", style="red"))
    for contact in found.contacts:
        console.print(Text(f"  {contact}", style="red"))
    if found.smallest_clearance:
        console.print(Text(f"  smallest clearance {found.smallest_clearance}"))
    for line, sentence in found.warnings:
        console.print(Text(f"  line {line}: {sentence}", style="yellow"))
    for sentence in advice_lines(found, advice) if advice else ():
        console.print(Text(f"  {sentence}"))


def _peak(parts: np.ndarray) -> str:
    """The hardest worked motor: percent, and which one."""
    worst = int(parts.argmax())
    return f"{100 * parts[worst]:.0f} (m{worst + 1})"


def verification_data(found: Verification, advice: Advice | None) -> dict[str, Any]:
    """All of it for programs."""
    data = run_data(found.run) | {
        "feasible": found.feasible,
        "verdict": found.verdict,
        "program": found.name,
        "program_seconds": found.seconds,
        "moves": [
            {
                "line": report.move.line,
                "kind": report.move.kind,
                "target": report.move.name,
                "start": report.move.start,
                "end": report.move.end,
                "length": report.move.length,
                "radius": report.move.radius,
                "angle": report.move.angle,
                "blend": report.move.blend,
                "torque": report.torque.tolist(),
                "speed": report.speed.tolist(),
                "deviation": {"m": report.distance, "rad": report.angle},
                "events": [str(event) for event in report.events],
            }
            for report in found.moves
        ],
        "failures": [
            {
                "line": failure.line,
                "target": failure.name,
                "sentence": failure.sentence,
                "m": failure.distance,
                "rad": failure.angle,
            }
            for failure in found.plan.failures
        ],
        "warnings": [{"line": line, "sentence": text} for line, text in found.warnings],
        "contacts": [str(contact) for contact in found.contacts],
        "smallest_clearance": found.smallest_clearance,
    }
    if advice is not None:
        data["advice"] = {
            "override": advice.override,
            "override_per_move": list(advice.per_move),
            "configs": list(advice.configs),
            "margin": advice.margin,
            "achievable_seconds": advice.achievable_seconds,
            "sentences": advice_lines(found, advice),
        }
    return data
