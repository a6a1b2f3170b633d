"""A verification as tables on the terminal, and as data for programs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from rich.console import Console
from rich.text import Text

from ..report.tables.run import print_verdict, run_data
from ..report.tables.table import print_table
from .advice import FASTEST, Advice, names_config
from .verify import Verification


def percent(part: float | None) -> str:
    """A speed override in words."""
    if part is None:
        return "none"
    return f"over {100 * FASTEST:.0f} %" if part >= FASTEST else f"{100 * part:.0f} %"


def advice_lines(verification: Verification, advice: Advice) -> list[str]:
    """The advice in sentences, one a line."""
    lines = []
    if verification.plan.failures:
        lines.append("no speed override helps: what is out of reach stays so")
    elif advice.override is None:
        lines.append("no speed override makes the program feasible")
    elif verification.feasible:
        lines.append(f"feasible up to a speed override of {percent(advice.override)}")
    else:
        lines.append(f"feasible with a speed override of {percent(advice.override)}")
    if not verification.feasible and names_config(verification):
        named = ", ".join(str(config) for config in advice.configs)
        lines.append(
            f"with CONFIG {named} it would pass" if named else "no other CONFIG would pass"
        )
    if verification.plan.failures:
        pass  # when it would arrive means nothing
    elif advice.achievable_seconds is None:
        lines.append("the arm would not arrive at the end of the program")
    elif not verification.run.feasible:
        late = advice.achievable_seconds - verification.seconds
        lines.append(f"catching up, the arm arrives {late:.2f} s after the program")
    return [*lines, advice.margin]


def print_verification(verification: Verification, advice: Advice | None, console: Console) -> None:
    """Print verdict, moves, events, warnings and advice."""
    print_verdict(verification.verdict, verification.feasible, console)
    slow = advice.per_move if advice else (None,) * len(verification.moves)
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
        for report, part in zip(verification.moves, slow, strict=True)
    ]
    columns = ("line", "move", "to", "s", "torque %", "speed %", "off mm", "off deg", "speed up to",
               "events")  # fmt: skip
    title = f"{verification.name} on {verification.robot.name}, {verification.seconds:.2f} s"
    print_table(console, title, columns, rows, left=(1, 2, 9))
    for event in verification.run.events:
        console.print(Text(f"  line {verification.line_at(event.start)}: {event}"))
    for failure in verification.plan.failures:
        console.print(Text(f"  line {failure.line}: {failure.sentence}", style="red"))
    for contact in verification.contacts:
        console.print(Text(f"  {contact}", style="red"))
    if verification.smallest_clearance:
        console.print(Text(f"  smallest clearance {verification.smallest_clearance}"))
    for line, sentence in verification.warnings:
        console.print(Text(f"  line {line}: {sentence}", style="yellow"))
    for sentence in advice_lines(verification, advice) if advice else ():
        console.print(Text(f"  {sentence}"))


def _peak(parts: np.ndarray) -> str:
    """The hardest worked motor: percent, and which one."""
    worst = int(parts.argmax())
    return f"{100 * parts[worst]:.0f} (m{worst + 1})"


def verification_data(verification: Verification, advice: Advice | None) -> dict[str, Any]:
    """The verification and the advice as data that JSON can hold."""
    data = run_data(verification.run) | {
        "feasible": verification.feasible,
        "verdict": verification.verdict,
        "program": verification.name,
        "program_seconds": verification.seconds,
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
            for report in verification.moves
        ],
        "failures": [
            {
                "line": failure.line,
                "target": failure.name,
                "sentence": failure.sentence,
                "m": failure.distance,
                "rad": failure.angle,
            }
            for failure in verification.plan.failures
        ],
        "warnings": [{"line": line, "sentence": text} for line, text in verification.warnings],
        "contacts": [str(contact) for contact in verification.contacts],
        "smallest_clearance": verification.smallest_clearance,
    }
    if advice is not None:
        data["advice"] = {
            "override": advice.override,
            "override_per_move": list(advice.per_move),
            "configs": list(advice.configs),
            "margin": advice.margin,
            "achievable_seconds": advice.achievable_seconds,
            "sentences": advice_lines(verification, advice),
        }
    return data
