"""Panel that compares the open run with another: overlaid curves and paths, and a table."""

from __future__ import annotations

from nicegui import run as threads
from nicegui import ui

from ...report.comparison import differences
from ..workspace import Workspace
from .parts import plain_table

COLUMNS = {"what": "left", "first": "right", "second": "right", "difference": "right"}


def build(workspace: Workspace) -> None:
    """Build the panel: a choice of runs and a table of differences."""
    words, session = workspace.words, workspace.session
    with ui.element("div").classes("studio-bar"):
        pick = ui.select({}, label=words("compare_with"), clearable=True)
        pick.props("dense outlined options-dense").classes("which").mark("compare")
        hint = ui.label(words("compare_hint")).classes("hint")
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
            table.rows = [
                row | {"what": words(f"diff_{row['what']}", **row.get("names", {}))}
                for row in rows or []
            ]
        table.update()

    def fill_choices() -> None:
        current = session.run.about.id if session.run is not None else ""
        choices = {
            about.id: f"{about.name} · {about.robot} · {about.date[:16].replace('T', ' ')}"
            for about in workspace.studio.store.list()
            if about.id != current
        }
        value = session.other.about.id if session.other is not None else None
        pick.set_options(choices, value=value if value in choices else None)
        hint.set_visibility(session.other is None)
        ui.timer(0, fill, once=True)

    pick.on_value_change(choose)
    workspace.on("run", fill_choices)
    workspace.on("runs", fill_choices)
    fill_choices()
