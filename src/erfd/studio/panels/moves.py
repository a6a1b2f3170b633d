"""A row for each move; a click takes all views there."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from ..runs.store import About
from ..wording.texts import Words
from ..workspace import Workspace

COLUMNS = (
    ("number", "left"), ("line", "right"), ("kind", "left"), ("name", "left"), ("start", "right"),
    ("end", "right"), ("length", "right"), ("torque", "right"), ("speed", "right"),
    ("deviation", "right"), ("deviation_angle", "right"),
)  # fmt: skip


def build(bench: Workspace) -> None:
    """Put the table on the page."""
    words, session = bench.words, bench.session
    columns = [
        {"name": key, "label": words(f"move_{key}"), "field": key, "align": align}
        for key, align in COLUMNS
    ]
    table = ui.table(columns=columns, rows=[], row_key="number").mark("moves")
    table.props("dense flat hide-pagination hide-no-data").classes("studio-table")
    notes = ui.element("div").classes("studio-notes")

    def run() -> None:
        shown = session.run
        moves = shown.about.moves if shown is not None else ()
        table.rows = [_row(move) for move in moves]
        table.update()
        notes.clear()
        if shown is None:
            return
        with notes:
            for text in advice(words, shown.about):
                ui.label(text).classes("advice")
            for entry in (*shown.about.failures, *shown.about.notes):
                bad = entry in shown.about.failures
                text = f"{words('line')} {entry['line']}: {words.said(entry['sentence'])}"
                label = ui.label(text).classes("bad" if bad else "note")
                label.on("click", lambda line=entry["line"]: bench.reveal(line))
            if not moves and not shown.about.notes:
                ui.label(words("no_moves")).classes("studio-empty")

    def click(event: Any) -> None:
        row = event.args[1]
        bench.go(float(row["from"]))
        bench.reveal(int(row["line"]))

    table.on("rowClick", click)
    bench.on("run", run)
    run()


def advice(words: Words, about: About) -> list[str]:
    """What to do about a program, in sentences."""
    found = about.figures.get("advice")
    if not found:
        return []
    override = found["override"]
    if override is None:
        sentences = [words("advice_none")]
    else:
        sentences = [words("advice_speed", percent=f"{100 * override:.0f}")]
    for move, speed in zip(about.moves, found["per_move"], strict=False):
        if speed is not None and speed < 1:
            percent = f"{100 * speed:.0f}"
            sentences.append(words("advice_move", line=move["line"], percent=percent))
    if found["configs"]:
        configs = ", ".join(map(str, found["configs"]))
        sentences.append(words("advice_configs", configs=configs))
    return [*sentences, words.said(found["margin"])]


def _row(move: dict[str, Any]) -> dict[str, Any]:
    shown = {
        "number": move["number"], "line": move["line"], "kind": move["kind"], "name": move["name"],
        "from": move["start"], "start": f"{move['start']:.2f}", "end": f"{move['end']:.2f}",
        "length": f"{move['length']:.1f}", "deviation": f"{move['deviation']:.2f}",
        "deviation_angle": f"{move['deviation_angle']:.2f}",
    }  # fmt: skip
    for key in ("torque", "speed"):
        value = move[key]
        shown[key] = "-" if value is None else f"{value:.0f} % ({move[f'{key}_motor']})"
    return shown
