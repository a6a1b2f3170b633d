"""Panel of the program: an editor with marks, opening, saving, examples."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

from nicegui import run as threads
from nicegui import ui

from ...errors import ErfdError
from .. import editor as language
from ..browser.elements import Editor
from ..examples import example_texts
from ..server.safety import safe_name
from ..workspace import Workspace
from .confirm import may_replace

LARGEST = 1_000_000


def build(workspace: Workspace) -> None:
    """Build the panel: editor and buttons."""
    words, session = workspace.words, workspace.session
    with ui.element("div").classes("studio-bar"):
        name = ui.input(value=session.name, placeholder=words("program_name"))
        name.props(f'dense borderless aria-label="{words("program_name")}"').classes("name")
        name.on_value_change(lambda: setattr(session, "name", str(name.value or "")))
        _button("folder_open", words("open"), "open", lambda: pick_file())
        _button("download", words("download"), "download", lambda: save())
        _button("format_align_left", words("format"), "format", lambda: arrange())
        with _button("menu_book", words("examples"), "examples", lambda: None), ui.menu():
            for title, text in example_texts().items():
                item = ui.menu_item(title, lambda title=title, text=text: example(title, text))
                item.mark(f"example-{title}")
    picker = ui.upload(
        auto_upload=True, max_file_size=LARGEST,
        on_upload=workspace.upload_handler(lambda event: load(event)),
        on_rejected=lambda: workspace.notify(words("rejected")),
    )  # fmt: skip
    picker.props("accept=.irl,.txt").classes("hidden").mark("upload-program")
    pieces: list[str] = []
    last_robot: list[Any] = [None]
    drafted: dict[str, Any] = {}
    editor = Editor().mark("editor")
    editor.show(
        value=session.text, words=language.editor_words(), names=[], marks=[], moves=[],
        label=words("tab_program"),
    )  # fmt: skip
    state = ui.label().classes("studio-status").mark("status").props('role="status"')
    dialogs = ui.element("div")  # for questions

    def take(title: str, text: str) -> None:
        workspace.take_text(title, text)
        session.setup.signals = ""  # those were of another program
        workspace.tell("setup")
        workspace.tell("text")

    async def load(event: Any) -> None:
        data = await event.file.read()
        picker.reset()
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = "\0"
        if "\0" in text:
            workspace.notify(words("not_text"))
        elif await may_replace(workspace, dialogs):
            take(safe_name(Path(event.file.name).stem), text.replace("\r\n", "\n"))

    async def example(title: str, text: str) -> None:
        if await may_replace(workspace, dialogs):
            workspace.take_example(title, text)

    async def offer_draft() -> None:
        """Offer, in a new session, the unsaved text that an earlier page left behind."""
        if not workspace.fresh:
            return
        try:
            draft = await editor.run_method("draft", timeout=10)
        except TimeoutError:
            return  # the page is gone already, or too busy
        text = draft.get("text") if isinstance(draft, dict) else None
        if not isinstance(text, str) or not text.strip() or text == session.text:
            return
        with dialogs, ui.element("div").classes("studio-bar").mark("draft") as bar:
            ui.label(words("draft_found", name=title_of(text))).classes("name hint")

            async def back() -> None:
                if await may_replace(workspace, dialogs):
                    take(title_of(text), text)
                    if not workspace.set_up_again(draft.get("setup")):
                        workspace.notify(words("draft_without"))
                    session.saved_text = ""
                    editor.run_method("keepDraft", text)
                    bar.delete()

            ui.button(words("draft_take"), on_click=back).props("no-caps dense outline size=sm")
            close = ui.button(icon="close", on_click=bar.delete)
            close.props(f'flat dense round size=sm aria-label="{words("cancel")}"')

    def pick_file() -> None:
        picker.run_method("pickFiles")

    def save() -> None:
        ui.download.content(session.text, f"{safe_name(session.name, 'program')}.irl")
        session.saved_text = session.text
        forget_saved_draft()

    def forget_saved_draft() -> None:
        if not session.unsaved:
            editor.run_method("forgetDraft")

    def arrange() -> None:
        try:
            session.text = language.formatted(session.text)
        except ErfdError as error:
            workspace.notify(str(error))
            return
        workspace.tell("text")

    async def check() -> None:
        text = session.text
        marks = await threads.io_bound(language.marks, text, _arm(workspace))
        names = await threads.io_bound(language.names, text)
        if text != session.text or marks is None:
            return  # typed on meanwhile: the next look is on its way
        marks = [mark | {"message": words.said(mark["message"])} for mark in marks]
        editor.show(marks=marks, names=names or [], value=None)  # the text is there already
        wrong = sum(mark["severity"] == "error" for mark in marks)
        if not marks:
            state.set_text(words("no_mistakes"))
        else:
            first = marks[0]
            position = f"{words('line')} {first['line']}: {first['message']}"
            state.set_text(words("mistakes", count=len(marks)) + f" · {position}")
        state.classes(replace=f"studio-status {'bad' if wrong else ''}")

    async def edited(event: Any) -> None:
        """Take the edited text, which comes in pieces."""
        at, piece, whole = (event.args[key] for key in ("at", "piece", "whole"))
        if at == 0:
            pieces.clear()
        if sum(map(len, pieces)) <= LARGEST:
            pieces.append(str(piece))
        if at + len(piece) < whole:
            return
        session.text = "".join(pieces)
        workspace.tell("edited")
        await check()

    def go_to_line(event: Any) -> None:
        for move in moves():
            if move["line"] == event.args:
                workspace.go(move["start"])
                return

    def moves() -> tuple[dict[str, Any], ...]:
        """The moves of the open run, if it is of this text: the lines of another are elsewhere."""
        open_run = session.run
        same = open_run is not None and open_run.about.program == session.text
        return open_run.about.moves if open_run is not None and same else ()

    def keep_settings() -> None:
        """Keep the settings with the draft in the browser."""
        settings = asdict(session.setup)
        if settings != drafted:
            drafted.update(settings)
            editor.run_method("keepSetup", settings)

    def refill() -> None:
        name.set_value(session.name)
        editor.run_method("setText", session.text)
        forget_saved_draft()
        ui.timer(0, check, once=True)

    def robot_changed() -> None:
        if _arm(workspace) is not last_robot[0]:  # not at every step of jogging
            last_robot[0] = _arm(workspace)
            ui.timer(0, check, once=True)

    def show_moves() -> None:
        forget_saved_draft()
        lines = [{"start": m["start"], "end": m["end"], "line": m["line"]} for m in moves()]
        editor.show(moves=lines)

    editor.on("edited", edited)
    editor.on("line", go_to_line)
    editor.on("verify", workspace.verify)
    editor.on("save", save)
    editor.on("format", arrange)
    workspace.reveal = lambda number: editor.run_method("reveal", number)
    workspace.insert = lambda piece: editor.run_method("insert", piece)
    workspace.on("text", refill)
    workspace.on("run", show_moves)
    workspace.on("edited", show_moves)
    workspace.on("robot", robot_changed)
    for topic in ("setup", "robot", "edited"):
        workspace.on(topic, keep_settings)
    show_moves()
    keep_settings()
    ui.timer(0, check, once=True)
    ui.timer(0, offer_draft, once=True)


def title_of(text: str) -> str:
    """The name of a program, as its text gives it."""
    match = re.search(r"\bprogram\s+(\w{1,60})", text, re.IGNORECASE)
    return match[1] if match else "program"


def _arm(workspace: Workspace) -> Any:
    try:
        return workspace.session.robot
    except ErfdError:
        return None


def _button(icon: str, text: str, mark: str, click: Any) -> ui.button:
    button = ui.button(icon=icon, on_click=click).props("flat dense round size=sm color=inherit")
    button.props(f'aria-label="{text}"').mark(mark)
    with button:
        ui.tooltip(text)
    return button
