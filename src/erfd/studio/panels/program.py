"""The program: an editor with marks, and where its text comes from and goes to."""

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


def build(bench: Workspace) -> None:
    """Put editor and buttons on the page."""
    words, session = bench.words, bench.session
    with ui.element("div").classes("studio-bar"):
        name = ui.input(value=session.name, placeholder=words("program_name"))
        name.props(f'dense borderless aria-label="{words("program_name")}"').classes("name")
        name.on_value_change(lambda: setattr(session, "name", str(name.value or "")))
        _button("folder_open", words("open"), "open", lambda: pick())
        _button("download", words("download"), "download", lambda: save())
        _button("format_align_left", words("format"), "format", lambda: arrange())
        with _button("menu_book", words("examples"), "examples", lambda: None), ui.menu():
            for title, text in example_texts().items():
                item = ui.menu_item(title, lambda title=title, text=text: example(title, text))
                item.mark(f"example-{title}")
    picker = ui.upload(
        auto_upload=True, max_file_size=LARGEST, on_upload=bench.taking(lambda event: load(event)),
        on_rejected=lambda: bench.notify(words("rejected")),
    )  # fmt: skip
    picker.props("accept=.irl,.txt").classes("hidden").mark("upload-program")
    pieces: list[str] = []
    seen: list[Any] = [None]
    drafted: dict[str, Any] = {}
    editor = Editor().mark("editor")
    editor.show(
        value=session.text, words=language.editor_words(), names=[], marks=[], moves=[],
        label=words("tab_program"),
    )  # fmt: skip
    state = ui.label().classes("studio-status").mark("status").props('role="status"')
    place = ui.element("div")  # for questions

    def take(title: str, text: str) -> None:
        bench.take_text(title, text)
        session.setup.signals = ""  # those were of another program
        bench.tell("setup")
        bench.tell("text")

    async def load(event: Any) -> None:
        data = await event.file.read()
        picker.reset()
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = "\0"
        if "\0" in text:
            bench.notify(words("not_text"))
        elif await may_replace(bench, place):
            take(safe_name(Path(event.file.name).stem), text.replace("\r\n", "\n"))

    async def example(title: str, text: str) -> None:
        if await may_replace(bench, place):
            bench.take_example(title, text)

    async def offer() -> None:
        """In a new session: the text that an earlier page left behind, if it is kept nowhere."""
        if not bench.fresh:
            return
        try:
            found = await editor.run_method("draft", timeout=10)
        except TimeoutError:
            return  # the page is gone already, or too busy
        text = found.get("text") if isinstance(found, dict) else None
        if not isinstance(text, str) or not text.strip() or text == session.text:
            return
        with place, ui.element("div").classes("studio-bar").mark("draft") as bar:
            ui.label(words("draft_found", name=title_of(text))).classes("name hint")

            async def back() -> None:
                if await may_replace(bench, place):
                    take(title_of(text), text)
                    if not bench.set_up_again(found.get("setup")):
                        bench.notify(words("draft_without"))
                    session.safe = ""
                    editor.run_method("keepDraft", text)
                    bar.delete()

            ui.button(words("draft_take"), on_click=back).props("no-caps dense outline size=sm")
            close = ui.button(icon="close", on_click=bar.delete)
            close.props(f'flat dense round size=sm aria-label="{words("cancel")}"')

    def pick() -> None:
        picker.run_method("pickFiles")

    def save() -> None:
        ui.download.content(session.text, f"{safe_name(session.name, 'program')}.irl")
        session.safe = session.text
        kept()

    def kept() -> None:
        if not session.unsaved:
            editor.run_method("forgetDraft")

    def arrange() -> None:
        try:
            session.text = language.formatted(session.text)
        except ErfdError as error:
            bench.notify(str(error))
            return
        bench.tell("text")

    async def look() -> None:
        text = session.text
        found = await threads.io_bound(language.marks, text, _arm(bench))
        known = await threads.io_bound(language.names, text)
        if text != session.text or found is None:
            return  # typed on meanwhile: the next look is on its way
        found = [mark | {"message": words.said(mark["message"])} for mark in found]
        editor.show(marks=found, names=known or [], value=None)  # the text is there already
        wrong = sum(mark["severity"] == "error" for mark in found)
        if not found:
            state.set_text(words("no_mistakes"))
        else:
            first = found[0]
            place = f"{words('line')} {first['line']}: {first['message']}"
            state.set_text(words("mistakes", count=len(found)) + f" · {place}")
        state.classes(replace=f"studio-status {'bad' if wrong else ''}")

    async def edited(event: Any) -> None:
        """The text comes in pieces."""
        at, piece, whole = (event.args[key] for key in ("at", "piece", "whole"))
        if at == 0:
            pieces.clear()
        if sum(map(len, pieces)) <= LARGEST:
            pieces.append(str(piece))
        if at + len(piece) < whole:
            return
        session.text = "".join(pieces)
        bench.tell("edited")
        await look()

    def line(event: Any) -> None:
        for move in moves():
            if move["line"] == event.args:
                bench.go(move["start"])
                return

    def moves() -> tuple[dict[str, Any], ...]:
        """Those of the run that is shown, if it is of this text: lines of another are elsewhere."""
        shown = session.run
        same = shown is not None and shown.about.program == session.text
        return shown.about.moves if shown is not None and same else ()

    def settle() -> None:
        """The draft in the browser has the settings with it."""
        settings = asdict(session.setup)
        if settings != drafted:
            drafted.update(settings)
            editor.run_method("keepSetup", settings)

    def refill() -> None:
        name.set_value(session.name)
        editor.run_method("setText", session.text)
        kept()
        ui.timer(0, look, once=True)

    def robot() -> None:
        if _arm(bench) is not seen[0]:  # not at every step of jogging
            seen[0] = _arm(bench)
            ui.timer(0, look, once=True)

    def run() -> None:
        kept()
        lines = [{"start": m["start"], "end": m["end"], "line": m["line"]} for m in moves()]
        editor.show(moves=lines)

    editor.on("edited", edited)
    editor.on("line", line)
    editor.on("verify", bench.verify)
    editor.on("save", save)
    editor.on("format", arrange)
    bench.reveal = lambda number: editor.run_method("reveal", number)
    bench.insert = lambda piece: editor.run_method("insert", piece)
    bench.on("text", refill)
    bench.on("run", run)
    bench.on("edited", run)
    bench.on("robot", robot)
    for topic in ("setup", "robot", "edited"):
        bench.on(topic, settle)
    run()
    settle()
    ui.timer(0, look, once=True)
    ui.timer(0, offer, once=True)


def title_of(text: str) -> str:
    """What a program calls itself."""
    found = re.search(r"\bprogram\s+(\w{1,60})", text, re.IGNORECASE)
    return found[1] if found else "program"


def _arm(bench: Workspace) -> Any:
    try:
        return bench.session.robot
    except ErfdError:
        return None


def _button(icon: str, text: str, mark: str, click: Any) -> ui.button:
    button = ui.button(icon=icon, on_click=click).props("flat dense round size=sm color=inherit")
    button.props(f'aria-label="{text}"').mark(mark)
    with button:
        ui.tooltip(text)
    return button
