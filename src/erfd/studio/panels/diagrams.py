"""Panel of diagrams over time, linked to the clock of the page."""

from __future__ import annotations

from nicegui import ui

from ...report.event_colors import MEANINGS
from ..browser.elements import Diagrams
from ..workspace import Workspace
from .parts import icon_button


def build(workspace: Workspace) -> None:
    """Build the panel: the diagrams, and the choice of them."""
    words, session = workspace.words, workspace.session
    with ui.element("div").classes("studio-bar"):
        which = ui.select({}, multiple=True, value=[], on_change=lambda: choose())
        which.props("dense outlined options-dense use-chips").classes("which").mark("which")
        which.props(f'aria-label="{words("tab_diagrams")}"')
        joints = ui.select({}, multiple=True, value=[], on_change=lambda: choose())
        joints.props(f'dense outlined options-dense label="{words("joints")}"').classes("joints")
        joints.mark("joints")
        switches = {}
        for key in ("given", "limits", "parts", "percent"):
            switches[key] = ui.checkbox(words(f"show_{key}"), value=session.choice[key])
            switches[key].props("dense size=sm").mark(f"show-{key}").on_value_change(
                lambda: choose()
            )
        pair_label = ui.label().classes("hint")
        ui.space()
        for key, icon in (
            ("unzoom", "zoom_out_map"),
            ("picture", "image"),
            ("table", "table_view"),
        ):
            button = icon_button(icon, words(f"diagrams_{key}"), lambda key=key: ask(key))
            button.mark(f"diagrams-{key}")
    charts = Diagrams().mark("diagrams")
    empty = ui.label(words("no_run_yet")).classes("studio-empty")
    busy = [False]

    def ask(method: str) -> None:
        charts.run_method(method, *(["erfd"] if method == "picture" else []))

    def choose() -> None:
        if busy[0]:
            return
        session.panels = list(which.value or [])
        count = len(joints.options)
        picked = sorted(int(i) for i in joints.value or [])
        session.joints = None if not picked or len(picked) == count else picked
        session.choice = {key: bool(box.value) for key, box in switches.items()}
        draw()

    def draw() -> None:
        open_run = session.run
        open_runs = [r for r in (open_run, session.other) if r is not None]
        empty.set_visibility(not open_runs)
        pair_label.set_text(
            f"A: {open_runs[0].about.name}, B: {open_runs[1].about.name}" if open_runs[1:] else ""
        )
        charts.set_visibility(bool(open_runs))
        flags = "&".join(f"{key}={str(on).lower()}" for key, on in session.choice.items())
        joints_ = "" if session.joints is None else "&joints=" + ",".join(map(str, session.joints))
        panels = [
            {"id": name, "query": f"name={name}&{flags}{joints_}"}
            for name in session.panels
            if open_run is not None and name in open_run.diagrams
        ]
        titles = {name: words(f"diagram_{name}") for name in session.panels}
        charts.show(
            panels=panels,
            runs=[
                {"url": r.url, "label": letter} for r, letter in zip(open_runs, "AB", strict=False)
            ],
            words=titles,
            label=words("tab_diagrams"),
            bands=[
                {"start": a, "end": b, "color": MEANINGS[meaning]}
                for a, b, meaning in (open_run.bands() if open_run is not None else ())
            ],
        )

    def show_run() -> None:
        open_run = session.run
        busy[0] = True
        if open_run is not None:
            n = open_run.file.robot.n
            session.joints = [j for j in session.joints or [] if j < n] or None
            which.set_options(
                {name: words(f"diagram_{name}") for name in open_run.diagrams},
                value=[name for name in session.panels if name in open_run.diagrams],
            )
            joints.set_options(
                {i: str(i + 1) for i in range(n)}, value=session.joints or list(range(n))
            )
        busy[0] = False
        draw()

    workspace.on("run", show_run)
    show_run()
