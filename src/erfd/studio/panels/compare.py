"""Panel that compares the open run with another: overlaid curves and paths, and a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import run as threads
from nicegui import ui

from ...report.comparison import differences
from ...report.wording.texts import Words
from ...report.wording.verdict import short_verdict
from ..runs.facts import kept_facts
from ..runs.restore import typed_mount
from ..workspace import Workspace
from .parts import plain_table

if TYPE_CHECKING:
    from ..runs.open_runs import OpenRun

OFFERED = 200
"""The newest runs that are offered; older ones are found under Runs."""
COLUMNS = {"what": "left", "first": "right", "second": "right", "difference": "right"}


def build(workspace: Workspace) -> None:
    """Build the panel: a choice of runs and a table of differences."""
    words, session = workspace.words, workspace.session
    with ui.element("div").classes("studio-bar"):
        pick = ui.select({}, label=words("compare_with"), clearable=True)
        pick.props("dense outlined options-dense").classes("which").mark("compare")
        hint = ui.label(words("compare_hint")).classes("hint")
    notes = ui.element("div").classes("studio-notes").mark("fastest-notes")
    table = plain_table(COLUMNS, lambda key: words(f"diff_{key}")).mark("differences")

    async def choose() -> None:
        current = session.other.about.id if session.other is not None else None
        if (pick.value or None) == current:
            return  # the list was filled anew, nobody chose
        with workspace.telling():
            if pick.value:
                await workspace.show(str(pick.value), other=True)
            else:
                workspace.drop_other()

    async def fill() -> None:
        if session.run is None or session.other is None:
            table.rows = []
        else:
            rows = await threads.io_bound(differences, session.run.file, session.other.file)
            runs = session.run, session.other
            table.rows = [*beside(words, *runs)] + [
                row | {"what": words(f"diff_{row['what']}", **row.get("names", {}))}
                for row in rows or []
            ]
        table.update()

    async def offer() -> None:
        current = session.run.about.id if session.run is not None else ""
        page = await threads.io_bound(workspace.studio.store.page, count=OFFERED)
        choices = {
            run.id: f"{run.name} · {run.robot} · {run.date[:16].replace('T', ' ')}"
            for run in (page.runs if page else ())
            if run.id != current
        }
        if session.other is not None:  # perhaps of long ago
            choices.setdefault(session.other.about.id, session.other.about.name)
        value = session.other.about.id if session.other is not None else None
        pick.set_options(choices, value=value if value in choices else None)

    def fill_choices() -> None:
        ui.timer(0, offer, once=True)
        hint.set_visibility(session.other is None)
        show_fastest()
        ui.timer(0, fill, once=True)

    def show_fastest() -> None:
        notes.clear()
        runs = [run for run in (session.run, session.other) if run is not None]
        found = next((f for run in runs if (f := run.about.figures.get("fastest"))), None)
        if found is None:
            return
        with notes:
            for sentence in fastest_sentences(words, found):
                ui.label(sentence).classes("advice")
            if found["text"] and found["text"] != found["original"]:
                button = ui.button(words("fastest_program"), icon="difference")
                button.props("no-caps dense outline size=sm").mark("fastest-program")
                button.on_click(lambda: workspace.make_offer(fastest_offer(found)))

    pick.on_value_change(choose)
    workspace.on("run", fill_choices)
    workspace.on("runs", fill_choices)
    fill_choices()


def beside(words: Words, first: OpenRun, second: OpenRun) -> list[dict[str, Any]]:
    """Rows of what two runs are and were made with: verdict, collisions, mount, loads, cell."""
    rows = []
    for what, text in (
        ("verdict", _verdict), ("collisions", _collisions), ("robot", lambda w, r: r.about.robot),
        ("mount", _mount), ("payload", _payload), ("wrench", _wrench), ("cell", _cell),
    ):  # fmt: skip
        a, b = text(words, first), text(words, second)
        difference = "" if a == b else words("diff_other")
        if what == "collisions" and a.isdigit() and b.isdigit():
            difference = f"{int(b) - int(a):+d}"
        title = words(f"diff_{what}")
        rows.append({"what": title, "first": a, "second": b, "difference": difference})
    return rows


def _verdict(words: Words, run: OpenRun) -> str:
    return short_verdict(words, kept_facts(run.about, run.file))


def _collisions(words: Words, run: OpenRun) -> str:
    return str(len(run.about.contacts)) if run.about.settings.get("cell") else words("not_looked")


def _mount(words: Words, run: OpenRun) -> str:
    del words
    x, y, z, *angles = typed_mount(run.file.robot.mount)
    turned = f"; {', '.join(f'{a:g}' for a in angles)}°" if any(angles) else ""
    return f"{x:g}, {y:g}, {z:g} m{turned}"


def _payload(words: Words, run: OpenRun) -> str:
    mass = run.about.settings.get("payload", [0.0])[0]
    return f"{mass:g} kg" if mass else words("diff_none")


def _wrench(words: Words, run: OpenRun) -> str:
    values = run.about.settings.get("wrench", [0.0] * 6)
    return ", ".join(f"{v:g}" for v in values) if any(values) else words("diff_none")


def _cell(words: Words, run: OpenRun) -> str:
    return str(run.about.settings.get("cell") or words("diff_none"))


def fastest_sentences(words: Words, found: dict[str, Any]) -> list[str]:
    """What a fastest motion takes, and what holds it back, in sentences."""
    seconds, before = f"{found['seconds']:.2f}", f"{found['before']:.2f}"
    said = [words("fastest_takes", seconds=seconds, before=before)]
    for row in found["limits"]:
        limit, share = words.said(row["limit"]), f"{100 * row['share']:.0f}"
        if row["saving"] is None:
            said.append(words("fastest_limit", limit=limit, percent=share))
        else:
            saved = f"{row['saving']:.2f}"
            said.append(words("fastest_saving", limit=limit, percent=share, saving=saved))
    if found["rewritten"] is not None:
        said.append(words("fastest_rewritten", seconds=f"{found['rewritten']:.2f}"))
    return said


def fastest_offer(found: dict[str, Any]) -> dict[str, Any]:
    """The program that comes nearest to a fastest motion, to accept or leave."""
    keys = ("original", "text", "before", "feasible")
    return {key: found[key] for key in keys} | {
        "kind": "fastest", "seconds": found["rewritten"], "complete": True, "changes": [],
        "reasons": [], "suggestions": [],
    }  # fmt: skip
