"""Panel of the robot in its cell: scene, options and timeline."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from ...report.event_colors import MEANINGS
from ..browser.elements import Scene, Timeline
from ..browser.scene_data import cell_of, poses_of, scene_of
from ..workspace import Workspace

COLORS: dict[str, Any] = {
    "force": "#d6336c",
    "runs": [
        {"found": "#1f6fb2", "given": "#2b8a3e"},
        {"found": "#7048e8", "given": "#868e96"},
    ],
    "meanings": MEANINGS,
}
CONTACTS = 2000
"""Collisions at most that the picture shows."""
VIEWS = ("iso", "front", "left", "top")
OPTIONS = {
    "grid": "grid_on", "world": "public", "tool": "build", "frames": "account_tree",
    "paths": "timeline", "force": "north_east",
}  # fmt: skip


def build(workspace: Workspace) -> None:
    """Build the panel: scene, tools and timeline."""
    words, session = workspace.words, workspace.session
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
                _switch(workspace, scene, option, icon)
            camera = ui.button(icon="photo_camera")
            camera.on_click(lambda: scene.run_method("picture", "scene"))
            camera.props(f'dense flat size=sm color=inherit aria-label="{words("picture")}"')
            camera.tooltip(words("picture"))
        _legend(workspace)
    timeline = Timeline().mark("timeline")
    labels = {key: words(f"time_{key}") for key in ("start", "play", "pause", "time", "speed")}
    timeline.show(words=labels, span=[0, 0], moves=[], bands=[])

    def show_robot() -> None:
        open_run = session.run
        arm = open_run.file.robot if open_run is not None else session.robot
        q = session.jog_position(arm)
        scene.show(robot=scene_of(arm), cell=cell_of(session.scene_cell))
        scene.show(jogged=poses_of(arm, [q])[0].ravel().round(6).tolist())

    def show_run() -> None:
        open_run, other = session.run, session.other
        show_robot()
        runs = [{"url": r.url} for r in (open_run, other) if r is not None]
        keys = ("start", "end", "link", "thing")
        contacts = open_run.about.contacts[:CONTACTS] if open_run is not None else ()
        scene.show(runs=runs, contacts=[{key: c[key] for key in keys} for c in contacts])
        if open_run is None:
            timeline.show(span=[0, 0], moves=[], bands=[])
            return
        bands = [
            {"start": a, "end": b, "color": MEANINGS[meaning]} for a, b, meaning in open_run.bands()
        ]
        moves = [{"start": m["start"], "end": m["end"]} for m in open_run.about.moves]
        timeline.show(span=list(open_run.span), moves=moves, bands=bands)

    def rest(event: Any) -> None:
        """Jog on from the pose that is shown."""
        open_run = session.run
        if open_run is not None:
            session.jog_position(open_run.file.robot)
            session.q = open_run.q_at(float(event.args))
            workspace.tell("pose")

    timeline.on("rest", rest)
    workspace.go = lambda t: timeline.run_method("go", t)
    workspace.on("robot", show_robot)
    workspace.on("run", show_run)
    show_run()


def _switch(workspace: Workspace, scene: Scene, option: str, icon: str) -> None:
    words, options = workspace.words, workspace.session.options
    button = ui.button(icon=icon).props("dense flat size=sm").mark(f"option-{option}")
    button.tooltip(words(f"option_{option}"))

    def show_state() -> None:
        on = options[option]
        color = "primary" if on else "grey"
        pressed = str(on).lower()
        label = words(f"option_{option}")
        button.props(f'color={color} aria-pressed="{pressed}" aria-label="{label}"')

    def flip() -> None:
        options[option] = not options[option]
        scene.show(options=dict(options))
        show_state()

    button.on_click(flip)
    show_state()


def _legend(workspace: Workspace) -> None:
    """What the colours mean, as far as there is any of it: the same in all panels."""
    words, session = workspace.words, workspace.session
    box = ui.element("div").classes("scene-legend").mark("legend")

    def line(color: str, text: str, kind: str = "solid", width: int = 3) -> None:
        with ui.element("span"):
            ui.element("b").style(f"border-top: {width}px {kind} {color}")
            ui.label(text)

    def show_legend() -> None:
        box.clear()
        box.set_visibility(session.run is not None)
        if session.run is None:
            return
        with box:
            line(COLORS["runs"][0]["given"], words("path_given"), "dashed")
            line(COLORS["runs"][0]["found"], words("path_found"))
            if session.other is not None:
                line(COLORS["runs"][1]["found"], words("path_other"))
            for meaning in session.run.meanings:
                line(MEANINGS[meaning], words(f"meaning_{meaning}"), width=7)

    workspace.on("run", show_legend)
    show_legend()
