"""Kept runs: opened, renamed, deleted; and files from elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nicegui import run, ui

from ...errors import ErfdError
from ..examples import example_texts
from ..runs.store import About
from ..server.safety import safe_name
from ..wording.phrases import short_verdict
from ..workspace import Workspace
from .confirm import may_replace

LARGEST = 500 * 2**20


def _run_of_graphic(path: Path) -> Path:
    """A graphic file as a kept run, beside it."""
    from ...report.play.graphic_file import read_graphic
    from ...run.parquet import write_parquet

    place = path.with_suffix(".parquet")
    write_parquet(read_graphic(path).run(), place)
    return place


def _details(bench: Workspace, about: About) -> list[str]:
    """The verdict, and what tells a run from others of the same program."""
    found = [short_verdict(bench.words, about)]
    mass = about.settings.get("payload", [0.0])[0]
    if mass:
        found.append(f"{mass:g} kg")
    if about.settings.get("cell"):
        found.append(str(about.settings["cell"]))
    return found


def build(bench: Workspace) -> None:
    """Put the list on the page."""
    words, session = bench.words, bench.session
    upload = ui.upload(
        label=words("open_run"), auto_upload=True, max_file_size=LARGEST, max_files=1,
        on_upload=bench.taking(lambda event: take(event)),
        on_rejected=lambda: bench.notify(words("rejected")),
    )  # fmt: skip
    upload.props("accept=.parquet,.jsonl flat bordered").classes("studio-upload").mark("upload-run")
    box = ui.element("div").classes("studio-runs").mark("runs")
    dialogs = ui.element("div")  # not in the list, which is made anew while a dialog closes

    async def take(event: Any) -> None:
        try:
            kind = Path(event.file.name).suffix.lower()
            if kind not in (".parquet", ".jsonl"):
                raise ErfdError(words("rejected"))
            path = session.folder / f"{safe_name(Path(event.file.name).stem)}{kind}"
            await event.file.save(path)
            if kind == ".jsonl":  # what `erfd sim` writes for `erfd play`
                path = await run.io_bound(_run_of_graphic, path) or path
            answer = await may_replace(bench, dialogs, run=True)
            if answer:
                await bench.show_file(path, program=answer == "yes")
        except ErfdError as error:
            bench.notify(str(error))
        upload.reset()

    async def open_run(about: About) -> None:
        try:
            answer = await may_replace(bench, dialogs, run=True) if about.program else "yes"
            if answer:
                await bench.show(about.id, program=answer == "yes")
        except ErfdError as error:
            bench.notify(str(error))

    def remove(about: About) -> None:
        with dialogs, ui.dialog() as dialog, ui.card():
            ui.label(words("delete_ask", name=about.name))
            with ui.row():
                ui.button(words("delete"), on_click=lambda: gone(about, dialog)).props(
                    "no-caps unelevated color=negative"
                ).mark("delete-yes")
                ui.button(words("cancel"), on_click=dialog.close).props("no-caps flat")
        dialog.open()

    def gone(about: About, dialog: ui.dialog) -> None:
        dialog.close()
        try:
            if session.other is not None and session.other.about.id == about.id:
                bench.drop_other()
            if session.run is not None and session.run.about.id == about.id:
                bench.leave_run()
            bench.studio.store.delete(about.id)
            if about.program == session.safe and session.safe not in example_texts().values():
                session.safe = ""  # that was where the text was kept
        except ErfdError as error:
            bench.notify(str(error))
        bench.tell("runs")

    def rename(about: About, name: str) -> None:
        try:
            bench.studio.store.rename(about.id, name)
        except ErfdError as error:
            bench.notify(str(error))
        bench.tell("runs")

    def fill() -> None:
        box.clear()
        found, broken = bench.studio.store.list(), bench.studio.store.damaged()
        with box:
            ui.label(words("runs_in", folder=str(bench.studio.store.folder))).classes("hint")
            for about in found[:500]:
                row(about)
            if broken:
                ui.label(words("runs_damaged", names=", ".join(broken[:5]))).classes("bad")
            if not found:
                ui.label(words("no_runs")).classes("studio-empty")

    def row(about: About) -> None:
        now = session.run is not None and session.run.about.id == about.id
        with ui.element("div").classes("kept now" if now else "kept").mark("kept"):
            ui.icon("check_circle" if about.feasible else "error").classes(
                "good" if about.feasible else "bad"
            )
            with ui.element("button").classes("title").on("click", lambda: open_run(about)):
                ui.label(about.name).classes("name")
                day = about.date[:19].replace("T", " ")
                ui.label(f"{day} · {about.robot} · {about.seconds:.1f} s").classes("hint")
                ui.label(" · ".join(_details(bench, about))).classes("hint")
            with (
                ui.button(icon="more_vert").props("flat round dense size=sm color=inherit"),
                ui.menu(),
            ):
                with ui.element("div").classes("q-pa-sm"):
                    field = ui.input(words("rename"), value=about.name).props("dense outlined")
                    field.on("keydown.enter", lambda: rename(about, field.value))
                ui.menu_item(words("delete"), lambda: remove(about)).mark("delete")

    bench.on("runs", fill)
    bench.on("run", fill)
    fill()
