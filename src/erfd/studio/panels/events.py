"""Panel of events and collisions; a click takes all views to its time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import ui

from ...cell.contact import TOUCH, Contact
from ...report.event_colors import MEANING_OF, MEANINGS
from ...report.wording.texts import Words
from ...report.wording.verdict import contact_text, event_text
from ..runs.facts import line_at
from ..workspace import Workspace

if TYPE_CHECKING:
    from ...run.events import Event

SHOWN = 300
"""Events on the page; a run that has more is not read one by one."""
NEAREST = 5
"""Pairs of a link and an object whose smallest distances are shown."""


def build(workspace: Workspace) -> None:
    """Build the list of events."""
    words, session = workspace.words, workspace.session
    box = ui.element("div").classes("studio-events").mark("events")

    def row(
        start: float, kind: str, text: str, bad: bool, meaning: str = "", line: int = 0
    ) -> None:  # fmt: skip
        open_run = session.run
        if not line and open_run is not None:
            line = line_at(open_run.about, start)
        button = ui.element("button").classes("event bad" if bad else "event").mark("event")
        with button:
            ui.label(f"{start:.2f} s").classes("when")
            swatch = ui.element("i").classes("swatch")
            swatch.style(f"background: {MEANINGS.get(meaning, 'transparent')}")
            ui.label(kind).classes("kind")
            ui.label(text + (f" · {words('line')} {line}" if line else "")).classes("what")

        def go() -> None:
            workspace.go(start)
            if line:
                workspace.reveal(line)

        button.on("click", go)

    def show_events() -> None:
        box.clear()
        open_run = session.run
        with box:
            if open_run is None:
                ui.label(words("no_run_yet")).classes("studio-empty")
                return
            events, contacts = open_run.file.events, open_run.about.contacts
            rows: list[tuple[float, Any, Any]]
            rows = [(contact["start"], _contact_row, contact) for contact in contacts[:SHOWN]]
            rows += [(event.start, _event_row, event) for event in events[:SHOWN]]
            for _, form, what in sorted(rows, key=lambda row: row[0]):  # as they come in time
                row(*form(words, what))
            if len(events) > SHOWN:
                ui.label(words("more_events", count=len(events) - SHOWN)).classes("studio-empty")
            if not events and not open_run.about.contacts:
                ui.label(words("no_events")).classes("studio-empty")
            figures = open_run.about.figures
            # runs of earlier versions have kept the nearest pair alone
            nearest = [figures["clearance"]] if figures.get("clearance") else []
            for clearance in figures.get("clearances", nearest)[:NEAREST]:
                millimetres = f"{1000 * clearance['distance']:.0f}"
                text = words(
                    "clearance", mm=millimetres, link=clearance["link"], thing=clearance["thing"]
                )
                row(clearance["time"], words("nearest"), text, clearance["distance"] <= TOUCH)

    workspace.on("run", show_events)
    show_events()


def _contact_row(words: Words, contact: dict[str, Any]) -> tuple[float, str, str, bool, str]:
    text = contact_text(words, Contact(**contact))
    return contact["start"], words("collision"), text, True, "collision"


def _event_row(words: Words, event: Event) -> tuple[float, str, str, bool, str, int]:
    kind, text = words.known("kind", event.kind), event_text(words, event)
    return event.start, kind, text, event.fails, MEANING_OF[event.kind], event.line
