"""Another run beside the one that is shown: overlaid curves and paths, and a table."""

from __future__ import annotations

from nicegui import run as threads
from nicegui import ui

from ...errors import ErfdError
from ...report.comparison import differences
from ..workspace import Workspace


def build(bench: Workspace) -> None:
    """Put the choice and the table on the page."""
    words, session = bench.words, bench.session
    with ui.element("div").classes("studio-bar"):
        pick = ui.select({}, label=words("compare_with"), clearable=True)
        pick.props("dense outlined options-dense").classes("which").mark("compare")
        hint = ui.label(words("compare_hint")).classes("hint")
    columns = [
        {"name": key, "label": words(f"diff_{key}"), "field": key,
         "align": "left" if key == "what" else "right"}
        for key in ("what", "first", "second", "difference")
    ]  # fmt: skip
    table = ui.table(columns=columns, rows=[], row_key="what").mark("differences")
    table.props("dense flat hide-pagination hide-no-data").classes("studio-table")

    async def choose() -> None:
        now = session.other.about.id if session.other is not None else None
        if (pick.value or None) == now:
            return  # the list was filled anew, nobody chose
        try:
            if pick.value:
                await bench.show(str(pick.value), other=True)
            else:
                bench.drop_other()
        except ErfdError as error:
            bench.notify(str(error))

    async def fill() -> None:
        if session.run is None or session.other is None:
            table.rows = []
        else:
            found = await threads.io_bound(differences, session.run.file, session.other.file)
            table.rows = [
                row | {"what": words(f"diff_{row['what']}", **row.get("names", {}))}
                for row in found or []
            ]
        table.update()

    def run() -> None:
        now = session.run.about.id if session.run is not None else ""
        choices = {
            about.id: f"{about.name} · {about.robot} · {about.date[:16].replace('T', ' ')}"
            for about in bench.studio.store.list()
            if about.id != now
        }
        value = session.other.about.id if session.other is not None else None
        pick.set_options(choices, value=value if value in choices else None)
        hint.set_visibility(session.other is None)
        ui.timer(0, fill, once=True)

    pick.on_value_change(choose)
    bench.on("run", run)
    bench.on("runs", run)
    run()
