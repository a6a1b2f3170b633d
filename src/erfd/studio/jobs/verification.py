"""Verify a program in a worker, and write its run and its figures into a folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import datetime
from math import degrees
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...ground.arrays import Array
from ...ground.files import write_text
from ...ground.json_text import json_value
from ...robot.library import load
from ..interned_robots import interned
from ..runs.restore import keep_cell
from ..runs.store import About
from ..session import Setup

if TYPE_CHECKING:
    from ...verification.result import Verification

Tell = Callable[[float, str], None]


def warm_up() -> None:
    """Import what every job needs, so that the first one does not wait for it."""
    from ...run import parquet
    from ...verification import advice

    del parquet, advice


def work(request: dict[str, Any], tell: Tell) -> dict[str, Any]:
    """Verify `program` of a request, write run.parquet into `folder`; the `About` as a dict."""
    from ...cell.reader import load_cell
    from ...run.parquet import write_parquet
    from ...verification.advice import advise
    from ...verification.load_tables import continuous_data, continuous_table
    from ...verification.verify import verify

    folder = Path(request["folder"])
    setup = Setup(**request["setup"])
    cell_file = request.get("cell_file")
    cell = load_cell(cell_file, enclosed=request["enclosed"]) if cell_file else None
    robot = interned(setup.placed(load(request.get("robot_file") or setup.robot), cell))
    signals = setup.schedule()
    if signals is not None:
        write_text(folder / "signals.csv", setup.signals)
    verification = verify(
        request["program"],
        robot,
        name=request["name"],
        wrench=setup.wrench if any(setup.wrench) else None,
        payload=setup.carried(),
        dt=None if setup.dt == Setup().dt else setup.dt,
        pause=setup.pause,
        strict=setup.strict,
        turning=setup.turning or None,
        adapt=setup.adapt or None,
        signals=signals,
        cell=replace(cell, mount=None) if cell is not None and cell.things else None,
        tell=lambda part, what: tell(0.6 * part, f"stage_{what}"),
    )
    run, plan = verification.run, verification.plan
    figures: dict[str, Any] = {
        "program_seconds": verification.seconds,
        "not_checked": verification.not_checked,
        "strict": verification.strict,
    }
    if verification.continuous is not None:
        loads = verification.continuous
        columns, rows = continuous_table(loads)
        beyond = [str(row) for row in loads.failures]
        table = {"columns": columns, "rows": rows, "failures": beyond, "notes": loads.notes}
        figures["continuous"] = continuous_data(loads) | {"table": table}
    if verification.nearest is not None:
        figures["clearance"] = verification.nearest
        figures["clearances"] = verification.approaches
    if request["advice"] and not plan.failures:
        advice = advise(
            verification,
            signals=signals,
            tell=lambda part, what: tell(0.6 + 0.3 * part, f"stage_{what}"),
        )
        figures["advice"] = asdict(advice)
    tell(0.9, "stage_write")
    write_parquet(run, folder / "run.parquet", program=request["program"])
    if cell_file and request["enclosed"]:
        keep_cell(Path(cell_file), folder)
    tell(0.97, "stage_write")
    deviation = run["deviation"]
    figures |= {
        "deviation": float(deviation[:, 0].max()),
        "deviation_angle": float(deviation[:, 1].max()),
        "summary": run.summary(),
    }
    failures = [asdict(failure) for failure in plan.failures]
    about = About(
        id=request["id"],
        name=request["name"],
        date=datetime.now().astimezone().isoformat(timespec="seconds"),
        robot=robot.name,
        feasible=verification.feasible,
        seconds=figures["program_seconds"],
        size=len(run),
        program=request["program"],
        settings=request["setup"],
        moves=tuple(_moves(verification)),
        notes=tuple({"line": line, "sentence": text} for line, text in verification.warnings),
        failures=tuple(failures),
        contacts=tuple(asdict(contact) for contact in verification.contacts),
        figures=figures,
    )
    result: dict[str, Any] = json_value(asdict(about))
    return result


def _moves(verification: Verification) -> list[dict[str, Any]]:
    """A row for each move: its line and times, the hardest worked motor, the deviation."""
    rows = []
    for number, report in enumerate(verification.moves, 1):
        move = report.move
        rows.append(
            {
                "number": number,
                "kind": move.kind,
                "line": move.line,
                "name": move.name,
                "start": move.start,
                "end": move.end,
                "length": 1000 * move.length,
                **_peak("torque", report.torque),
                **_peak("speed", report.speed),
                **_peak("acceleration", report.acceleration),
                "deviation": 1000 * report.distance,
                "deviation_angle": degrees(report.angle),
                "events": len(report.events),
            }
        )
    return rows


def _peak(name: str, parts: Array) -> dict[str, Any]:
    """The percentage of the hardest worked motor or joint (from 1); None of 0 if none is known."""
    from ...verification.result import hardest

    found = hardest(parts)
    worst, part = (-1, None) if found is None else (found[0], 100 * found[1])
    return {name: part, f"{name}_motor": worst + 1}
