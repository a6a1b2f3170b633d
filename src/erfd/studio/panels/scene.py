"""The robot in its cell, with what to show beside it and the time below."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from ..browser.elements import Scene, Timeline
from ..browser.scene_data import cell_of, poses_of, scene_of
from ..workspace import Workspace

COLORS: dict[str, Any] = {
    "force": "#d6336c",
    "runs": [
        {"found": "#1f6fb2", "given": "#2b8a3e", "limited": "#f76707"},
        {"found": "#7048e8", "given": "#868e96", "limited": "#e64980"},
    ],
}
KINDS = {
    "torque limit": "#f76707", "stall": "#c92a2a", "joint speed limit": "#1098ad",
    "motor speed limit": "#7048e8", "position limit": "#2b8a3e",
}  # fmt: skip
"""Colours of events, as in the figures of `report`."""
VIEWS = ("iso", "front", "left", "top")
OPTIONS = {
    "grid": "grid_on", "world": "public", "tool": "build", "frames": "account_tree",
    "paths": "timeline", "force": "north_east",
}  # fmt: skip


def build(bench: Workspace) -> None:
    """Put scene and timeline on the page."""
    words, session = bench.words, bench.session
    with ui.element("div").classes("studio-stage"):
        scene = Scene().mark("scene")
        scene.show(label=words("scene"), colors=COLORS, options=session.options)
        with ui.element("div").classes("scene-tools").props('role="toolbar"'):
            for view in VIEWS:
                button = ui.button(words(f"view_{view}"))
                button.on_click(lambda view=view: scene.run_method("view", view))
                button.props("dense flat no-caps size=sm color=inherit").mark(f"view-{view}")
            ui.element("i").classes("gap")
            for option, icon in OPTIONS.items():
                _switch(bench, scene, option, icon)
            camera = ui.button(icon="photo_camera")
            camera.on_click(lambda: scene.run_method("picture", "scene"))
            camera.props(f'dense flat size=sm color=inherit aria-label="{words("picture")}"')
            camera.tooltip(words("picture"))
        _legend(bench)
    timeline = Timeline().mark("timeline")
    labels = {key: words(f"time_{key}") for key in ("start", "play", "pause", "time", "speed")}
    timeline.show(words=labels, span=[0, 0], moves=[], bands=[])

    def robot() -> None:
        run = session.run
        arm = run.file.robot if run is not None else session.robot
        q = session.stands(arm)
        scene.show(robot=scene_of(arm), cell=cell_of(session.scene_cell))
        scene.show(jogged=poses_of(arm, [q])[0].ravel().round(6).tolist())

    def run() -> None:
        shown, other = session.run, session.other
        robot()
        runs = [{"url": r.url} for r in (shown, other) if r is not None]
        scene.show(runs=runs)
        if shown is None:
            timeline.show(span=[0, 0], moves=[], bands=[])
            return
        bands = [
            {"start": a, "end": b, "color": KINDS.get(kind, "#f76707")}
            for a, b, kind in shown.bands()
        ]
        moves = [{"start": m["start"], "end": m["end"]} for m in shown.about.moves]
        timeline.show(span=list(shown.span), moves=moves, bands=bands)

    bench.go = lambda t: timeline.run_method("go", t)
    bench.on("robot", robot)
    bench.on("run", run)
    run()


def _switch(bench: Workspace, scene: Scene, option: str, icon: str) -> None:
    words, options = bench.words, bench.session.options
    button = ui.button(icon=icon).props("dense flat size=sm").mark(f"option-{option}")
    button.tooltip(words(f"option_{option}"))

    def paint() -> None:
        on = options[option]
        color = "primary" if on else "grey"
        pressed = str(on).lower()
        label = words(f"option_{option}")
        button.props(f'color={color} aria-pressed="{pressed}" aria-label="{label}"')

    def flip() -> None:
        options[option] = not options[option]
        scene.show(options=dict(options))
        paint()

    button.on_click(flip)
    paint()


def _legend(bench: Workspace) -> None:
    words = bench.words
    with ui.element("div").classes("scene-legend") as box:
        for key in ("given", "found", "limited"):
            color = COLORS["runs"][0][key]
            kind = "dashed" if key == "given" else "solid"
            with ui.element("span"):
                ui.element("b").style(f"border-top: 3px {kind} {color}")
                ui.label(words(f"path_{key}"))

    def run() -> None:
        box.set_visibility(bench.session.run is not None)

    bench.on("run", run)
    run()
