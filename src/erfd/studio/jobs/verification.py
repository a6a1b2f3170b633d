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
from ..fingerprint import fingerprint
from ..interned_robots import interned
from ..runs.restore import keep_cell
from ..runs.store import About
from ..session import READING, Setup

if TYPE_CHECKING:
    from ...run.run import Run
    from ...verification.continuous import ContinuousLoad
    from ...verification.result import Verification

Tell = Callable[..., None]
"""Told a part, a stage, and perhaps a result that is there before the end."""


def warm_up() -> None:
    """Import what every job needs, so that the first one does not wait for it."""
    from ...run import parquet
    from ...verification import advice

    del parquet, advice


def arguments_of(request: dict[str, Any]) -> dict[str, Any]:
    """The robot, and all else that `erfd.verify` is told, of a request."""
    from ...cell.reader import load_cell

    setup = Setup(**request["setup"])
    cell_file = request.get("cell_file")
    cell = load_cell(cell_file, enclosed=request["enclosed"]) if cell_file else None
    return {
        "robot": interned(setup.placed(load(request.get("robot_file") or setup.robot), cell)),
        "name": request["name"],
        "wrench": setup.wrench if any(setup.wrench) else None,
        "payload": setup.carried(),
        "dt": None if setup.dt == Setup().dt else setup.dt,
        "pause": setup.pause,
        "strict": setup.strict,
        "turning": setup.turning or None,
        "adapt": setup.adapt or None,
        "signals": setup.schedule(),
        "cell": replace(cell, mount=None) if cell is not None and cell.things else None,
    }


def reading_of(request: dict[str, Any]) -> dict[str, Any]:
    """How Algorithm 1 is read, as `erfd.verify` is told it."""
    return {name: request["setup"].get(name, usual[0]) for name, usual in READING.items()}


def fingerprint_of(request: dict[str, Any], arguments: dict[str, Any]) -> dict[str, str]:
    """What the verdict is of: as this process has read it, whatever the page believes."""
    return fingerprint(request["program"], arguments["robot"], arguments["cell"], request["setup"])


def work(request: dict[str, Any], tell: Tell) -> dict[str, Any]:
    """Verify `program` of a request, write run.parquet into `folder`; the `About` as a dict."""
    from ...verification.advice import advise
    from ...verification.verify import verify

    arguments = arguments_of(request)
    request |= {"fingerprint": fingerprint_of(request, arguments)}
    verification = verify(
        request["program"],
        **arguments,
        **reading_of(request),
        tell=lambda part, what: tell(0.6 * part, f"stage_{what}"),
    )
    tell(0.6, "stage_write")
    about = kept_verification(request, verification, {})
    if not request["advice"] or verification.plan.failures:
        return about
    tell(0.65, "stage_speeds", about)  # the verdict is there; the advice may be interrupted
    advice = advise(
        verification,
        signals=arguments["signals"],
        tell=lambda part, what: tell(0.65 + 0.35 * part, f"stage_{what}"),
    )
    return {**about, "figures": {**about["figures"], "advice": json_value(asdict(advice))}}


def kept_verification(
    request: dict[str, Any], verification: Verification, more: dict[str, Any]
) -> dict[str, Any]:
    """Write a verification into the folder of a request; its `About` as a dict, `more` figures."""
    run = verification.run
    figures: dict[str, Any] = {"program_seconds": verification.seconds, **checked(verification)}
    if verification.continuous is not None:
        figures["continuous"] = loads_table(verification.continuous)
    if verification.nearest is not None:
        figures["clearance"] = verification.nearest
        figures["clearances"] = verification.approaches
    figures |= more
    write_run(request, run)
    deviation = run["deviation"]
    figures |= {
        "deviation": float(deviation[:, 0].max()),
        "deviation_angle": float(deviation[:, 1].max()),
        "summary": run.summary(),
    }
    about = About(
        id=request["id"],
        name=request["name"],
        date=now(),
        robot=verification.robot.name,
        feasible=verification.feasible,
        seconds=figures["program_seconds"],
        size=len(run),
        program=request["program"],
        fingerprint=request["fingerprint"],
        settings=request["setup"],
        moves=tuple(_moves(verification)),
        notes=tuple({"line": line, "sentence": text} for line, text in verification.warnings),
        failures=tuple(asdict(failure) for failure in verification.plan.failures),
        contacts=tuple(asdict(contact) for contact in verification.contacts),
        figures=figures,
    )
    return plain(about)


def write_run(request: dict[str, Any], run: Run, program: str | None = None) -> None:
    """Write a run, and the user's own signals and cell, into the folder of a request."""
    from ...run.parquet import write_parquet

    folder = Path(request["folder"])
    if (signals := Setup(**request["setup"]).signals).strip():
        write_text(folder / "signals.csv", signals)
    text = request["program"] if program is None else program
    write_parquet(run, folder / "run.parquet", program=text)
    if request.get("cell_file") and request["enclosed"]:
        keep_cell(Path(request["cell_file"]), folder)


def checked(verification: Verification) -> dict[str, Any]:
    """What was not checked, and whether that counts."""
    return {"not_checked": verification.not_checked, "strict": verification.strict}


def loads_table(loads: ContinuousLoad) -> dict[str, Any]:
    """The continuous load as data, and as a table."""
    from ...verification.load_tables import continuous_data, continuous_table

    columns, rows = continuous_table(loads)
    beyond = [str(row) for row in loads.failures]
    table = {"columns": columns, "rows": rows, "failures": beyond, "notes": loads.notes}
    return continuous_data(loads) | {"table": table}


def now() -> str:
    """The date and time for a description."""
    return datetime.now().astimezone().isoformat(timespec="seconds")


def plain(about: About) -> dict[str, Any]:
    """A description as JSON has it."""
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
