"""The page: a header, the program and its settings on the left, the robot and its figures right."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import ui

from ...errors import ErfdError
from ..examples import example_texts, signals_beside
from ..panels import compare, diagrams, events, header, jog, moves, program, runs, scene, setup
from ..workspace import Workspace
from .opening import opened

if TYPE_CHECKING:
    from ..studio import Studio


def add_page(studio: Studio) -> None:
    """Put the page on the application."""

    @ui.page("/")
    async def index() -> None:
        bench = await opened(studio)
        if bench is not None:
            _build(bench)


def _build(bench: Workspace) -> None:
    session = bench.session
    bench.fresh = not session.text and session.run is None
    if bench.fresh:
        _first_sight(bench)
    header.build(bench)
    with ui.splitter(value=31, limits=(18, 60)).classes("studio-page") as across:
        with across.before, ui.element("section").classes("studio-left"):
            names = ("program", "setup", "jog", "runs")
            _tabs(bench, names, (program, setup, jog, runs), "justify")
        with across.after, ui.splitter(horizontal=True, value=54, limits=(20, 80)) as down:
            down.classes("studio-right")
            with down.before, ui.element("section").classes("studio-upper"):
                scene.build(bench)
            with down.after, ui.element("section").classes("studio-lower"):
                names = ("diagrams", "moves", "events", "compare")
                _tabs(bench, names, (diagrams, moves, events, compare), "left")
    _watch(bench)
    if bench.fresh and _is_run(bench.studio.first):
        ui.timer(0, lambda: _open_first(bench), once=True)


def _tabs(bench: Workspace, names: tuple[str, ...], parts: tuple[Any, ...], align: str) -> None:
    with ui.tabs().props(f"dense no-caps align={align}").classes("studio-tabs") as tabs:
        pages = [ui.tab(name, bench.words(f"tab_{name}")) for name in names]
    panels = ui.tab_panels(tabs, value=pages[0], animated=False, keep_alive=True)
    with panels.classes("studio-panels"):
        for page, part in zip(pages, parts, strict=True):
            with ui.tab_panel(page):
                part.build(bench)


def _watch(bench: Workspace) -> None:
    """Look after the job of the background, a few times a second, for as long as the page lives."""
    seen: dict[str, Any] = {"job": None, "shown": None}

    async def look() -> None:
        job = bench.session.job
        bench.session.seen = time.monotonic()
        if job is None:
            return
        now = (job.state, job.progress, job.stage)
        if seen["job"] is job and seen["shown"] == now:
            return
        new = seen["job"] is not job
        seen["job"], seen["shown"] = job, now
        if job.active or (new and job.state == "cancelled"):
            bench.tell("job")
        elif not job.request.get("shown"):
            job.request["shown"] = True
            try:
                await bench.finish()
            except ErfdError as error:
                bench.notify(str(error))

    ui.timer(0.15, look)


def _is_run(first: Path | None) -> bool:
    return first is not None and first.suffix.lower() == ".parquet"


async def _open_first(bench: Workspace) -> None:
    """Open the run of the command line, once the page is there: a large one takes a while."""
    assert bench.studio.first is not None
    try:
        await bench.show_file(bench.studio.first)
    except (ErfdError, OSError) as error:
        bench.notify(str(error))


def _first_sight(bench: Workspace) -> None:
    """What a new tab shows: the program from the command line, else the demonstration."""
    first = bench.studio.first
    if _is_run(first):
        return
    try:
        if first is not None:
            bench.take_text(first.stem, first.read_text("utf-8-sig"))
            bench.session.setup.signals = signals_beside(first)
            return
    except (OSError, UnicodeDecodeError) as error:
        bench.notify(str(error))
    texts = example_texts()
    if texts:
        name = "lola15_demo" if "lola15_demo" in texts else next(iter(texts))
        bench.take_example(name, texts[name])
