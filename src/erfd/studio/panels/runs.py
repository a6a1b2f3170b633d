"""Panel of kept runs: open, rename, delete them, and upload others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nicegui import ui

from ...errors import ErfdError
from ...report.wording.verdict import short_verdict
from ..examples import example_texts
from ..runs.facts import kept_facts
from ..runs.store import About
from ..server.safety import safe_name
from ..workspace import Workspace
from .confirm import may_replace


def _details(workspace: Workspace, about: About) -> list[str]:
    """The verdict, and what tells a run from others of the same program."""
    details = [short_verdict(workspace.words, kept_facts(about))]
    mass = about.settings.get("payload", [0.0])[0]
    if mass:
        details.append(f"{mass:g} kg")
    if about.settings.get("cell"):
        details.append(str(about.settings["cell"]))
    return details


def build(workspace: Workspace) -> None:
    """Build the list of kept runs."""
    words, session = workspace.words, workspace.session
    take_run = workspace.upload_handler(lambda event: take(event))
    upload = workspace.upload("run", label=words("open_run"), max_files=1, on_upload=take_run)
    upload.props("accept=.parquet,.jsonl flat bordered").classes("studio-upload").mark("upload-run")
    box = ui.element("div").classes("studio-runs").mark("runs")
    dialogs = ui.element("div")  # not in the list, which is made anew while a dialog closes

    async def take(event: Any) -> None:
        with workspace.telling():
            kind = Path(event.file.name).suffix.lower()
            if kind not in (".parquet", ".jsonl"):
                raise ErfdError(words("rejected"))
            path = session.folder / f"{safe_name(Path(event.file.name).stem)}{kind}"
            await event.file.save(path)
            path = Path((await workspace.read("read_run", path=str(path)))["path"])
            answer = await may_replace(workspace, dialogs, run=True)
            if answer:
                await workspace.show_file(path, program=answer == "yes")
        upload.reset()

    async def open_run(about: About) -> None:
        with workspace.telling():
            answer = await may_replace(workspace, dialogs, run=True) if about.program else "yes"
            if answer:
                await workspace.show(about.id, program=answer == "yes")

    def ask_delete(about: About) -> None:
        with dialogs, ui.dialog() as dialog, ui.card():
            ui.label(words("delete_ask", name=about.name))
            with ui.row():
                ui.button(words("delete"), on_click=lambda: delete(about, dialog)).props(
                    "no-caps unelevated color=negative"
                ).mark("delete-yes")
                ui.button(words("cancel"), on_click=dialog.close).props("no-caps flat")
        dialog.open()

    def delete(about: About, dialog: ui.dialog) -> None:
        dialog.close()
        with workspace.telling():
            if session.other is not None and session.other.about.id == about.id:
                workspace.drop_other()
            if session.run is not None and session.run.about.id == about.id:
                workspace.leave_run()
            workspace.studio.store.delete(about.id)
            if (
                about.program == session.saved_text
                and session.saved_text not in example_texts().values()
            ):
                session.saved_text = ""  # that was where the text was kept
        workspace.tell("runs")

    def rename(about: About, name: str) -> None:
        with workspace.telling():
            workspace.studio.store.rename(about.id, name)
        workspace.tell("runs")

    def fill() -> None:
        box.clear()
        kept_runs, broken = workspace.studio.store.list(), workspace.studio.store.damaged()
        with box:
            ui.label(words("runs_in", folder=str(workspace.studio.store.folder))).classes("hint")
            for about in kept_runs[:500]:
                row(about)
            if broken:
                ui.label(words("runs_damaged", names=", ".join(broken[:5]))).classes("bad")
            if not kept_runs:
                ui.label(words("no_runs")).classes("studio-empty")

    def row(about: About) -> None:
        current = session.run is not None and session.run.about.id == about.id
        with ui.element("div").classes("kept now" if current else "kept").mark("kept"):
            ui.icon("check_circle" if about.feasible else "error").classes(
                "good" if about.feasible else "bad"
            )
            with ui.element("button").classes("title").on("click", lambda: open_run(about)):
                ui.label(about.name).classes("name")
                day = about.date[:19].replace("T", " ")
                ui.label(f"{day} · {about.robot} · {about.seconds:.1f} s").classes("hint")
                ui.label(" · ".join(_details(workspace, about))).classes("hint")
            with (
                ui.button(icon="more_vert").props("flat round dense size=sm color=inherit"),
                ui.menu(),
            ):
                with ui.element("div").classes("q-pa-sm"):
                    field = ui.input(words("rename"), value=about.name).props("dense outlined")
                    field.on("keydown.enter", lambda: rename(about, field.value))
                ui.menu_item(words("delete"), lambda: ask_delete(about)).mark("delete")

    workspace.on("runs", fill)
    workspace.on("run", fill)
    fill()
