"""What the motors could not do, and collisions: a click takes all views there."""

from __future__ import annotations

from nicegui import ui

from ..wording.phrases import event_text, line_at
from ..workspace import Workspace

SHOWN = 300
"""Events on the page; a run that has more is not read one by one."""


def build(bench: Workspace) -> None:
    """Put the list on the page."""
    words, session = bench.words, bench.session
    box = ui.element("div").classes("studio-events").mark("events")

    def row(start: float, kind: str, text: str, bad: bool) -> None:
        shown = session.run
        line = line_at(shown.about, start) if shown is not None else 0
        button = ui.element("button").classes("event bad" if bad else "event").mark("event")
        with button:
            ui.label(f"{start:.2f} s").classes("when")
            ui.label(kind).classes("kind")
            ui.label(text + (f" · {words('line')} {line}" if line else "")).classes("what")

        def go() -> None:
            bench.go(start)
            if line:
                bench.reveal(line)

        button.on("click", go)

    def run() -> None:
        box.clear()
        shown = session.run
        with box:
            if shown is None:
                ui.label(words("no_run_yet")).classes("studio-empty")
                return
            for contact in shown.about.contacts[:SHOWN]:
                text = words("contact", link=contact["link"], thing=contact["thing"])
                row(contact["start"], words("collision"), text, True)
            events = shown.file.events
            for event in events[:SHOWN]:
                kind = words.known("kind", event.kind)
                row(event.start, kind, event_text(words, event), event.kind == "stall")
            if len(events) > SHOWN:
                ui.label(words("more_events", count=len(events) - SHOWN)).classes("studio-empty")
            if not events and not shown.about.contacts:
                ui.label(words("no_events")).classes("studio-empty")
            near = shown.about.figures.get("clearance")
            if near:
                millimetres = f"{1000 * near['distance']:.0f}"
                text = words("clearance", mm=millimetres, link=near["link"], thing=near["thing"])
                row(near["time"], words("nearest"), text, near["distance"] <= 0)

    bench.on("run", run)
    run()
