"""Panel with a table of moves; a click takes all views to its time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import ui

from ...report.wording.texts import Words
from ...report.wording.verdict import not_checked_text, on_line
from ..runs.store import About
from ..workspace import Workspace
from .parts import plain_table

if TYPE_CHECKING:
    from ..runs.open_runs import OpenRun

MANY = 2000
"""Events at most that are looked at for the marks of rows."""
COLUMNS = {
    "number": "left", "line": "right", "kind": "left", "name": "left", "start": "right",
    "end": "right", "length": "right", "torque": "right", "speed": "right",
    "acceleration": "right", "deviation": "right", "deviation_angle": "right",
}  # fmt: skip


def build(workspace: Workspace) -> None:
    """Build the table of moves, with advice and notes below it."""
    words, session = workspace.words, workspace.session
    table = plain_table(COLUMNS, lambda key: words(f"move_{key}")).mark("moves")
    table.props(""":table-row-class-fn="row => row.fails ? 'fails' : ''\"""")
    notes = ui.element("div").classes("studio-notes")

    def show_moves() -> None:
        open_run = session.run
        moves = open_run.about.moves if open_run is not None else ()
        failing = failing_lines(open_run) if open_run is not None else set()
        table.rows = [cells(move) | {"fails": fails(move, failing)} for move in moves]
        table.update()
        notes.clear()
        if open_run is None:
            return
        with notes:
            unchecked = not_checked_text(words, open_run.about.figures.get("not_checked", ()))
            if unchecked:
                ui.label(unchecked).classes("note").mark("not-checked")
            _show_loads(words, open_run.about)
            for text in advice(words, open_run.about):
                ui.label(text).classes("advice")
            for entry in (*open_run.about.failures, *open_run.about.notes):
                bad = entry in open_run.about.failures
                text = on_line(words, entry["line"], words.said(entry["sentence"]))
                label = ui.label(text).classes("bad" if bad else "note")
                label.on("click", lambda line=entry["line"]: workspace.reveal(line))
            if not moves and not open_run.about.notes:
                ui.label(words("no_moves")).classes("studio-empty")

    def click(event: Any) -> None:
        row = event.args[1]
        workspace.go(float(row["from"]))
        workspace.reveal(int(row["line"]))

    table.on("rowClick", click)
    workspace.on("run", show_moves)
    show_moves()


def failing_lines(open_run: OpenRun) -> set[tuple[int, float, float]]:
    """Spans (line or 0, start, end) of what makes a run infeasible."""
    about = open_run.about
    spans = {(0, e.start, e.end) for e in open_run.file.events[:MANY] if e.fails}
    spans |= {(0, c["start"], c["end"]) for c in about.contacts[:MANY]}
    return spans | {(int(f["line"]), 0.0, 0.0) for f in about.failures}


def fails(move: dict[str, Any], failing: set[tuple[int, float, float]]) -> bool:
    """Whether a move is among what makes a run infeasible."""
    return any(
        line == move["line"] if line else start < move["end"] and end > move["start"]
        for line, start, end in failing
    )


def _show_loads(words: Words, about: About) -> None:
    """The continuous load as a table, with what is beyond its limits."""
    load = about.figures.get("continuous")
    if not load or not load["rows"]:
        return
    table = load["table"]
    ui.label(words("continuous_load", seconds=f"{load['period']:.2f}")).classes("advice")
    columns = {str(k): "left" if k == 0 else "right" for k in range(len(table["columns"]))}
    titles = [words.known("load", title) for title in table["columns"]]
    shown = plain_table(columns, lambda key: titles[int(key)]).mark("loads")
    shown.rows = [{str(k): cell for k, cell in enumerate(row)} for row in table["rows"]]
    shown.update()
    for sentence in table["failures"]:
        ui.label(words.said(sentence)).classes("bad")
    for sentence in table["notes"]:
        ui.label(words.said(sentence)).classes("note")


def advice(words: Words, about: About) -> list[str]:
    """The advice about a program, in sentences."""
    figures = about.figures.get("advice")
    if not figures:
        return []
    override = figures["override"]
    if figures.get("cannot_hold"):
        motors = ", ".join(map(str, figures["cannot_hold"]))
        sentences = [words("advice_cannot_hold", motors=motors)]
    elif override is None:
        sentences = [words("advice_none")]
    else:
        sentences = [words("advice_speed", percent=f"{100 * override:.0f}")]
    if figures.get("loads"):  # runs of earlier versions have none
        percent, load = f"{100 * figures['motion_override']:.0f}", words.said(figures["loads"][0])
        sentences.append(words("advice_motion", percent=percent, load=load))
    for move, speed in zip(about.moves, figures["per_move"], strict=False):
        if speed is not None and speed < 1:
            percent = f"{100 * speed:.0f}"
            sentences.append(words("advice_move", line=move["line"], percent=percent))
    if figures.get("pause"):
        sentences.append(words("advice_pause", seconds=f"{figures['pause']:.1f}"))
    if figures["configs"]:
        configs = ", ".join(map(str, figures["configs"]))
        sentences.append(words("advice_configs", configs=configs))
    repair = figures.get("repair", "")  # runs of earlier versions have none
    return [*sentences, words.said(figures["margin"]), *([words.said(repair)] if repair else [])]


def cells(move: dict[str, Any]) -> dict[str, Any]:
    """The cells of a kept move's row: "-" where nothing could be compared, or was not computed."""
    row = {
        "number": move["number"], "line": move["line"], "kind": move["kind"], "name": move["name"],
        "from": move["start"], "start": f"{move['start']:.2f}", "end": f"{move['end']:.2f}",
        "length": f"{move['length']:.1f}",
    }  # fmt: skip
    for key in ("deviation", "deviation_angle"):
        value = move[key]  # None: the arm ran away before
        row[key] = "-" if value is None else f"{value:.2f}"
    for key in ("torque", "speed", "acceleration"):
        value = move.get(key)  # runs of earlier versions have no accelerations
        row[key] = "-" if value is None else f"{value:.0f} % ({move[f'{key}_motor']})"
    return row
