"""Card of a live robot: its scene, diagrams, state and alarms, and commands to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nicegui import background_tasks, ui
from nicegui import run as threads

from ...report.curves.curves import available
from ..browser.elements import Diagrams, Scene
from ..browser.scene_data import scene_of
from ..live_phrases import alarms, speed_of, state_line
from ..live_robots import Watched, quantities
from ..server.access import may
from ..workspace import Workspace
from .parts import icon_button
from .scene import COLORS

if TYPE_CHECKING:
    from ...monitor.protocol import Hello

CHOSEN = ("u_a", "q")


def build(workspace: Workspace, watched: Watched, changed: Callable[[], None]) -> ui.element:
    """Build the card; `changed` is called when it is to go."""
    words, commands = workspace.words, may(workspace.session.right, "command")
    with ui.element("section").classes("live-card") as card:
        with ui.element("div").classes("studio-bar"):
            name = ui.label(watched.url).classes("brand")
            chip = ui.label().classes("chip").props('role="status"')
            facts = ui.label().classes("hint")
            ui.space()
            icon_button("close", words("live_close"), lambda: close())
        with ui.element("div").classes("studio-bar"):
            for command, icon in (("start", "play_arrow"), ("pause", "pause"), ("stop", "stop")):
                button = icon_button(
                    icon,
                    words(f"live_{command}"),
                    lambda command=command: send_command(command, None),
                )
                button.set_enabled(commands)  # the server refuses it, too
            ui.label(words("live_speed")).classes("hint")
            speed = ui.slider(min=0, max=100, step=1, value=100).classes("live-speed")
            speed.props(f'label aria-label="{words("live_speed")}"')
            speed.set_enabled(commands)
            # the value comes with the event: the slider tells its own a moment later
            speed.on("change", lambda event: send_command("speed", float(event.args)))
            which = ui.select({}, multiple=True, value=[]).classes("which")
            which.props(f'dense outlined options-dense aria-label="{words("tab_diagrams")}"')
            ui.space()
            record = ui.button(words("live_record"), icon="fiber_manual_record")
            record.props("no-caps flat dense color=negative")
            record.set_enabled(may(workspace.session.right, "run"))
        alarm_box = ui.element("div").classes("live-alarms").props('role="log" tabindex="0"')
        alarm_box.props(f'aria-label="{words("live_alarms")}"')
        with ui.element("div").classes("live-body"):
            scene = Scene()
            scene.show(
                label=words("scene"), colors=COLORS, options=workspace.session.options, runs=[]
            )
            charts = Diagrams()
    seen: dict[str, Any] = {"session": None, "alarms": None, "speed": None}

    async def send_command(command: str, value: float | None) -> None:
        with workspace.telling():
            workspace.session.require("command")
            await threads.io_bound(watched.feed.command, command, value)

    async def close() -> None:
        if watched.recording is not None:
            await end_recording()
        if watched in workspace.session.watched:
            workspace.session.watched.remove(watched)
            background_tasks.create(close_later())
            changed()

    async def close_later() -> None:
        await asyncio.sleep(2)  # what the browser has asked for is still answered
        await threads.io_bound(workspace.studio.live.close, watched)

    def draw() -> None:
        panels = [{"id": n, "query": f"name={n}&given=true&limits=true"} for n in which.value or []]
        titles = {n: words(f"diagram_{n}") for n in which.value or []}
        run = [{"url": watched.address, "label": ""}]
        charts.show(panels=panels, runs=run, words=titles, refresh=800,
                    label=words("tab_diagrams"))  # fmt: skip

    async def refresh() -> None:
        state = watched.feed.state()
        chip.set_text(words.known("connection", state.connection))
        chip.classes(replace=f"chip {state.connection}")
        facts.set_text(state_line(words, state))
        reported_speed = speed_of(state)
        if reported_speed is not None and reported_speed != seen["speed"]:  # whoever asked for it
            seen["speed"] = reported_speed
            speed.set_value(round(reported_speed))
        recording = watched.recording is not None
        record.set_text(words("live_recording" if recording else "live_record"))
        lines = alarms(words, state)
        if watched.recording is not None and watched.recording.failure:
            lines.insert(0, ("bad", _plain(workspace, watched.recording.failure)))
        if seen["alarms"] != lines:
            seen["alarms"] = lines
            alarm_box.clear()
            with alarm_box:
                for look_of, text in lines:
                    ui.label(text).classes(look_of)
        if state.hello is not None and seen["session"] != state.hello.session:
            await show_robot(state.hello)

    async def show_robot(hello: Hello) -> None:
        """Show a robot that was not here before."""
        seen["session"] = hello.session
        name.set_text(f"{hello.name[:60]} · {hello.robot[:60]}")
        robot = await threads.io_bound(lambda: watched.robot)  # a long description takes a while
        if robot is not None:
            scene.show(robot=scene_of(robot), cell={"things": []}, live=watched.address)
        offered = available(quantities(hello))
        still_offered = [n for n in which.value or [] if n in offered]
        which.set_options(
            {n: words(f"diagram_{n}") for n in offered},
            value=still_offered or [n for n in CHOSEN if n in offered],
        )
        draw()

    async def end_recording() -> None:
        record.disable()
        try:
            with workspace.telling(OSError):
                for about in await threads.io_bound(watched.end_recording) or []:
                    ui.notify(words("live_kept", name=about.name), position="bottom-right")
        finally:
            record.enable()

    async def toggle_recording() -> None:
        if watched.recording is not None:
            await end_recording()
            return
        with workspace.telling(OSError):
            workspace.session.require("run")
            watched.record(workspace.studio.store)

    record.on_click(toggle_recording)
    which.on_value_change(draw)
    with card:
        ui.timer(0.4, refresh)
    return card


def _plain(workspace: Workspace, sentence: str) -> str:
    """A sentence for the page: no folders of this machine."""
    plain = workspace.studio.without_paths(workspace.session, sentence)
    return workspace.words.said(plain)
