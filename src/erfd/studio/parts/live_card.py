"""One live robot: its picture, curves, state and alarms, and orders to its controller."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Any

from nicegui import background_tasks, ui
from nicegui import run as threads

from ...errors import ErfdError
from ...report.curves import available
from ...report.run_file import RunFile
from ..bench import Bench, about_file
from ..describe import scene_of
from ..elements import Diagrams, Scene
from ..live import Watched
from .scene import COLORS

CHOSEN = ("u_a", "q")


def build(bench: Bench, watched: Watched, changed: Callable[[], None]) -> None:
    """Put the card on the page."""
    words = bench.words
    with ui.element("section").classes("live-card"):
        with ui.element("div").classes("studio-bar"):
            name = ui.label(watched.url).classes("brand")
            chip = ui.label().classes("chip").props('role="status"')
            delay = ui.label().classes("hint")
            ui.space()
            _button("close", words("live_close"), lambda: close())
        with ui.element("div").classes("live-body"):
            scene = Scene()
            scene.show(label=words("scene"), colors=COLORS, options=bench.session.options, runs=[])
            charts = Diagrams()
        with ui.element("div").classes("studio-bar"):
            for order, icon in (("start", "play_arrow"), ("pause", "pause"), ("stop", "stop")):
                _button(icon, words(f"live_{order}"), lambda order=order: tell(order, None))
            ui.label(words("live_speed")).classes("hint")
            speed = ui.slider(min=0, max=100, step=1, value=100).classes("live-speed")
            speed.props(f'label aria-label="{words("live_speed")}"')
            speed.on("change", lambda: tell("speed", float(speed.value)))
            which = ui.select({}, multiple=True, value=[]).classes("which")
            which.props(f'dense outlined options-dense aria-label="{words("tab_diagrams")}"')
            ui.space()
            record = ui.button(words("live_record"), icon="fiber_manual_record")
            record.props("no-caps flat dense color=negative")
        alarms = ui.element("div").classes("live-alarms")
    seen: dict[str, Any] = {"session": None, "alarms": None}

    async def tell(order: str, value: float | None) -> None:
        try:
            await threads.io_bound(watched.feed.command, order, value)
        except ErfdError as error:
            bench.notify(str(error))

    async def close() -> None:
        bench.session.watched.remove(watched)
        background_tasks.create(end())
        changed()

    async def end() -> None:
        await asyncio.sleep(2)  # what the browser has asked for is still answered
        await threads.io_bound(bench.studio.live.close, watched)

    def draw() -> None:
        panels = [{"id": n, "query": f"name={n}&given=true&limits=true"} for n in which.value or []]
        titles = {n: words(f"diagram_{n}") for n in which.value or []}
        run = [{"url": watched.address, "label": ""}]
        charts.show(panels=panels, runs=run, words=titles, refresh=800)

    def look() -> None:
        state = watched.feed.state()
        chip.set_text(words.known("connection", state.connection))
        chip.classes(replace=f"chip {state.connection}")
        late = "" if state.delay is None else words("live_delay", ms=f"{1000 * state.delay:.0f}")
        mode = str(state.status.get("mode", ""))[:40]
        parts = [late, words.known("mode", mode), words.said(state.reason)]
        if "line" in state.status:
            parts.append(f"{words('line')} {state.status['line']:.0f}")
        if "overruns" in state.status:
            parts.append(words("live_overruns", count=state.status["overruns"]))
        delay.set_text(" · ".join(part for part in parts if part))
        hello = state.hello
        if hello is not None and seen["session"] != hello.session:
            seen["session"] = hello.session
            name.set_text(f"{hello.name} · {hello.robot}")
            robot = watched.robot
            if robot is not None:
                scene.show(robot=scene_of(robot), cell={"things": []}, live=watched.address)
            offered = available({c.name for c in hello.columns})
            which.set_options(
                {n: words(f"diagram_{n}") for n in offered},
                value=[n for n in CHOSEN if n in offered],
            )
            draw()
        wrong = tuple(sorted(state.counts.items()))
        if seen["alarms"] != (state.events, wrong):
            seen["alarms"] = state.events, wrong
            alarms.clear()
            with alarms:
                for kind, count in wrong:
                    ui.label(
                        f"{words('live_problem')}: {words.known('problem', kind)}, {count}"
                    ).classes("bad")
                for event in state.events[-6:][::-1]:
                    text = words.said(f"{event.get('text', '')!s:.200}")
                    ui.label(f"{event.get('t', '')!s:.8} s · {text}")

    async def keep() -> None:
        from ...monitor.recorder import Recorder

        if watched.recorder is None:
            run_id, part = bench.studio.store.new()
            watched.recording = run_id, part
            watched.recorder = Recorder(watched.url, part / "run.parquet", token=watched.token)
            record.set_text(words("live_recording"))
            return
        recorder, watched.recorder = watched.recorder, None
        record.set_text(words("live_record"))
        assert watched.recording is not None
        run_id, part = watched.recording
        await threads.io_bound(recorder.close)
        try:
            file = await threads.io_bound(RunFile, part / "run.parquet")
            assert file is not None
            title = f"{file.robot.name} {datetime.now():%H:%M:%S}"
            about = about_file(file, title, run_id)
            bench.studio.store.keep(part, about)
            ui.notify(words("live_kept", name=title), position="bottom-left")
        except ErfdError as error:
            bench.notify(str(error))

    async def try_keep() -> None:
        try:
            await keep()
        except (ErfdError, OSError) as error:
            bench.notify(str(error))

    record.on_click(try_keep)
    which.on_value_change(draw)
    ui.timer(0.4, look)


def _button(icon: str, text: str, click: Any) -> None:
    button = ui.button(icon=icon, on_click=click).props("flat dense round size=sm color=inherit")
    button.props(f'aria-label="{text}"')
    with button:
        ui.tooltip(text)
