"""A verification as tables on the terminal, and as data for programs."""

from __future__ import annotations

import math
from typing import Any

from rich.console import Console
from rich.text import Text

from ..ground.arrays import Array
from ..ground.json_text import json_value
from ..report.tables.run import event_line, print_verdict, run_data
from ..report.tables.table import print_table
from ..run.events import Event
from .advice import Advice, names_config
from .continuous import ContinuousLoad, has_limits
from .load_tables import continuous_data, continuous_table
from .overrides import FASTEST
from .reactions import reaction_data
from .result import Verification, hardest

DEEP = 5e-5
"""A contact that is less deep, m, has no depth that could be printed."""


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
    elif advice.cannot_hold:
        motors = ", ".join(map(str, advice.cannot_hold))
        lines.append(f"no speed override helps: motor {motors} cannot hold the arm on its path")
    else:
        lines.append(speed_line(verification, advice))
    if advice.pause is None:
        lines.append("no pause brings the continuous load within its limits")
    elif advice.pause:
        pause = f"a pause of {advice.pause:.1f} s after each round"
        lines.append(f"with {pause} the continuous load is within its limits")
    if not verification.lasts_feasibly and names_config(verification):
        named = ", ".join(str(config) for config in advice.configs)
        lines.append(
            f"with CONFIG {named} it would pass" if named else "no other CONFIG would pass"
        )
    if verification.plan.failures:
        pass  # when it would arrive means nothing
    elif advice.achievable_seconds is None and (advice.complete or advice.cannot_hold):
        lines.append(f"the arm would not arrive at the end of the {verification.what}")
    elif advice.achievable_seconds is None:
        lines.append("the time for trials was too short to see when the arm arrives")
    elif not verification.run.feasible:
        late = advice.achievable_seconds - verification.seconds
        lines.append(f"catching up, the arm arrives {late:.2f} s after the {verification.what}")
    return [*lines, advice.margin, *([advice.repair] if advice.repair else [])]


def speed_line(verification: Verification, advice: Advice) -> str:
    """What speeds are feasible, in one sentence: of the program, and of its motion alone."""
    best, moving = advice.override, advice.motion_override
    if moving is None:
        found = (
            f"makes the {verification.what} feasible"
            if advice.complete
            else "was found in the time for it"
        )
        return f"no speed override {found}"
    # slower is not always better for a mean load; nor is it known where a motion fails
    steady = verification.moves_feasibly and (best is None or not has_limits(verification.robot))
    word = "up to" if steady else "with"
    but = "but for what could not be checked, " if _unchecked(verification) else ""
    alone = f"a speed override of {percent(moving)}"
    if best == moving:
        return f"{but}feasible {word} {alone}"
    load = advice.loads[0] if advice.loads else "the continuous load was not looked at in time"
    if best is not None:
        said = f"{but}feasible with a speed override of {percent(best)}"
        return f"{said}; the motion alone with {percent(moving)}, but then {load}"
    none = "no lower one helps" if advice.complete else "no lower one was found in time"
    none = f"; {none}" if advice.loads else ""
    return f"the motion alone is feasible {word} {alone}, but then {load}{none}"


def _unchecked(verification: Verification) -> bool:
    """Whether what could not be checked makes it infeasible, at any speed."""
    return verification.strict and bool(verification.not_checked)


def print_verification(verification: Verification, advice: Advice | None, console: Console) -> None:
    """Print verdict, what was not checked, moves, events, loads, warnings and advice."""
    print_verdict(verification.verdict, verification.feasible, console)
    if verification.not_checked:
        style = "red" if verification.strict else "yellow"
        console.print(Text(verification.not_checked_line, style=style))
    if verification.reading_line:
        console.print(Text(verification.reading_line, style="yellow"))
    slow = advice.per_move if advice else (None,) * len(verification.moves)
    rows = [
        (
            str(report.move.line or ""),
            report.move.kind,
            report.move.name,
            f"{report.move.end - report.move.start:.2f}",
            peak_text(report.torque),
            peak_text(report.speed),
            peak_text(report.acceleration, "j"),
            hundredths(1e3 * report.distance),
            hundredths(math.degrees(report.angle)),
            percent(part) if advice else "",
            "; ".join(sorted({e.kind for e in report.events})),
        )
        for report, part in zip(verification.moves, slow, strict=True)
    ]
    columns = ("line", "move", "to", "s", "torque %", "speed %", "acceleration %", "off mm",
               "off deg", "speed up to", "events")  # fmt: skip
    title = f"{verification.name} on {verification.robot.name}, {verification.seconds:.2f} s"
    print_table(console, title, columns, rows, left=(1, 2, 10))
    for event in verification.run.events:
        if event.fails:
            console.print(event_line(event))
    for failure in verification.plan.failures:
        console.print(Text(f"  line {failure.line}: {failure.sentence}", style="red"))
    for sentence in contact_lines(verification):
        console.print(Text(f"  {sentence}", style="red"))
    if verification.smallest_clearance:
        console.print(Text(f"  smallest clearance {verification.smallest_clearance}"))
    if verification.continuous is not None:
        _print_loads(verification.continuous, console)
    for text in [*warned_events(verification), *(warning_text(*w) for w in verification.warnings)]:
        console.print(Text(f"  {text}", style="yellow"))
    for sentence in advice_lines(verification, advice) if advice else ():
        console.print(Text(f"  {sentence}"))


def _print_loads(load: ContinuousLoad, console: Console) -> None:
    """Print the continuous load, and what is beyond its limits."""
    columns, rows = continuous_table(load)
    print_table(console, f"Continuous load, a round every {load.period:.2f} s", columns, rows)
    for row in load.failures:
        console.print(Text(f"  {row}", style="red"))
    for note in load.notes:
        console.print(Text(f"  {note}"))


def warned_events(verification: Verification) -> list[str]:
    """The events that are warnings in sentences: the worst of every line of the program."""
    lines: dict[int, list[Event]] = {}
    for event in verification.run.events:
        if not event.fails:
            lines.setdefault(event.line, []).append(event)
    sentences = []
    for line, events in sorted(lines.items()):
        worst = max(events, key=lambda event: event.rank)
        more = f" (and {len(events) - 1} more)" if len(events) > 1 else ""
        said = f"{worst}, {100 * (1 + worst.part):.0f} %{more}"
        sentences.append(warning_text(line, said))
    return sentences


def contact_lines(verification: Verification) -> list[str]:
    """The collisions in sentences, each with the line that it begins in and its depth."""
    return [
        warning_text(verification.line_at(contact.start), str(contact))
        + (f", {1e3 * contact.depth:.1f} mm deep" if contact.depth >= DEEP else "")
        for contact in verification.contacts
    ]


def warning_text(line: int, sentence: str) -> str:
    """A warning with its line, if it is about one."""
    return f"line {line}: {sentence}" if line else sentence


def peak_text(parts: Array, letter: str = "m") -> str:
    """The hardest worked motor (or joint): percent, and which one; "-" if nothing was compared."""
    found = hardest(parts)
    if found is None:
        return "-"
    worst, part = found
    return f"{100 * part:.0f} ({letter}{worst + 1})" if part else "0"


def hundredths(x: float) -> str:
    """A number with two decimals; "-" if there is none."""
    return "-" if math.isnan(x) else f"{x:.2f}"


def verification_data(verification: Verification, advice: Advice | None) -> dict[str, Any]:
    """The verification and the advice as data that JSON can hold."""
    load = verification.continuous
    data: dict[str, Any] = run_data(verification.run) | {
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
                "slowed": report.move.slowed,
                "torque": report.torque.tolist(),
                "speed": report.speed.tolist(),
                "acceleration": report.acceleration.tolist(),
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
        "motion": None if verification.motion is None else verification.motion.data,
        "strict": verification.strict,
        "not_checked": list(verification.not_checked),
        "algorithm": dict(verification.reading),
        "reactions": reaction_data(verification),
        "continuous": None if load is None else continuous_data(load),
        "contacts": [str(contact) for contact in verification.contacts],
        "collisions": [
            {
                "line": verification.line_at(contact.start),
                "lines": list(verification.lines_of(contact)),
                "link": contact.link,
                "object": contact.thing,
                "start": contact.start,
                "end": contact.end,
                "depth": contact.depth,
            }
            for contact in verification.contacts
        ],
        "smallest_clearance": verification.smallest_clearance,
        "clearances": [
            {"link": a["link"], "object": a["thing"], "m": a["distance"], "s": a["time"]}
            for a in verification.approaches
        ],
    }
    if advice is not None:
        data["advice"] = {
            "override": advice.override,
            "override_per_move": list(advice.per_move),
            "configs": list(advice.configs),
            "margin": advice.margin,
            "repair": advice.repair,
            "achievable_seconds": advice.achievable_seconds,
            "pause": advice.pause,
            "cannot_hold": list(advice.cannot_hold),
            "complete": advice.complete,
            "motion_override": advice.motion_override,
            "loads": list(advice.loads),
            "sentences": advice_lines(verification, advice),
        }
    result: dict[str, Any] = json_value(data)
    return result
