"""The main page: program and settings on the left, the robot and its diagrams on the right."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import ui

from ...errors import ErfdError
from ...lirl.program_file import read_program
from ..examples import example_texts, signals_text_beside
from ..panels import (
    compare,
    diagrams,
    events,
    header,
    jog,
    moves,
    offer,
    program,
    runs,
    scene,
    setup,
    study,
)
from ..workspace import Workspace
from .following import Following
from .opening import opened

if TYPE_CHECKING:
    from ..studio import Studio


EMPTY = "program new;\nseq\nendseq\nendprogram\n"
"""The program that a robot of the command line begins with."""


def add_page(studio: Studio) -> None:
    """Add the main page to the application."""

    @ui.page("/")
    async def index() -> None:
        workspace = await opened(studio)
        if workspace is not None:
            _build(workspace)


def _build(workspace: Workspace) -> None:
    session = workspace.session
    workspace.fresh = not session.text and session.run is None
    if workspace.fresh:
        _first_robot(workspace)
        _first_sight(workspace)
    header.build(workspace)
    with ui.splitter(value=31, limits=(18, 60)).classes("studio-page") as across:
        with across.before, ui.element("section").classes("studio-left"):
            names = ("program", "setup", "jog", "runs")
            _tabs(workspace, names, (program, setup, jog, runs), "justify")
        with across.after, ui.splitter(horizontal=True, value=54, limits=(20, 80)) as down:
            down.classes("studio-right")
            with down.before, ui.element("section").classes("studio-upper"):
                scene.build(workspace)
            with down.after, ui.element("section").classes("studio-lower"):
                below = ("diagrams", "moves", "events", "compare", "study")
                lower = _tabs(workspace, below, (diagrams, moves, events, compare, study), "left")
    workspace.show_tab = lower.set_value
    offer.build(workspace)
    workspace.enter()
    ui.timer(0.15, Following(workspace).look)
    if workspace.fresh and _is_run(workspace.studio.first):
        ui.timer(0, lambda: _open_first(workspace), once=True)


def _tabs(
    workspace: Workspace, names: tuple[str, ...], panel_modules: tuple[Any, ...], align: str
) -> ui.tabs:
    with ui.tabs().props(f"dense no-caps align={align}").classes("studio-tabs") as tabs:
        pages = [ui.tab(name, workspace.words(f"tab_{name}")) for name in names]
    panels = ui.tab_panels(tabs, value=pages[0], animated=False, keep_alive=True)
    with panels.classes("studio-panels"):
        for page, panel in zip(pages, panel_modules, strict=True):
            with ui.tab_panel(page).props("tabindex=0"):  # the keys scroll it
                panel.build(workspace)
    return tabs


def _is_run(first: Path | None) -> bool:
    return first is not None and first.suffix.lower() == ".parquet"


async def _open_first(workspace: Workspace) -> None:
    """Open the run of the command line, once the page is there: a large one takes a while."""
    assert workspace.studio.first is not None
    with workspace.telling(OSError):
        await workspace.show_file(workspace.studio.first)


def _first_robot(workspace: Workspace) -> None:
    """Give a new tab the robot of the command line, if there is one."""
    session = workspace.session
    if workspace.studio.first_robot is not None:
        file, robot = workspace.studio.first_robot
        session.put_model(file, robot)
        session.robot_file, session.setup.robot = file, file.name


def _first_sight(workspace: Workspace) -> None:
    """Fill a new tab: with the program of the command line, else with the demonstration."""
    first = workspace.studio.first
    if _is_run(first):
        return
    try:
        if first is not None:
            workspace.take_text(first.stem, read_program(first))
            workspace.session.setup.signals = signals_text_beside(first)
            return
    except (ErfdError, OSError, UnicodeDecodeError) as error:
        workspace.notify(str(error))
    if workspace.studio.first_robot is not None:
        workspace.take_text("", EMPTY)
        return
    texts = example_texts()
    if texts:
        name = "lola15_demo" if "lola15_demo" in texts else next(iter(texts))
        workspace.take_example(name, texts[name])
