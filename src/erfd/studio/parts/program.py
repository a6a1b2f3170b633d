"""The program: an editor with marks, and where its text comes from and goes to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nicegui import run as threads
from nicegui import ui

from ...errors import ErfdError
from .. import language
from ..bench import Bench
from ..elements import Editor
from ..examples import example_texts
from ..safety import safe_name

LARGEST = 1_000_000


def build(bench: Bench) -> None:
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
                item = ui.menu_item(
                    title, lambda title=title, text=text: bench.take_example(title, text)
                )
                item.mark(f"example-{title}")
    picker = ui.upload(
        auto_upload=True, max_file_size=LARGEST, on_upload=lambda event: load(event),
        on_rejected=lambda: bench.notify(words("rejected")),
    )  # fmt: skip
    picker.props("accept=.irl,.txt").classes("hidden").mark("upload-program")
    editor = Editor().mark("editor")
    editor.show(
        value=session.text, words=language.editor_words(), names=[], marks=[], moves=[],
        label=words("tab_program"),
    )  # fmt: skip
    state = ui.label().classes("studio-status").mark("status").props('role="status"')

    def take(title: str, text: str) -> None:
        session.name, session.text = title, text
        session.setup.signals = ""  # those were of another program
        bench.tell("setup")
        bench.tell("text")

    async def load(event: Any) -> None:
        data = await event.file.read()
        try:
            take(safe_name(Path(event.file.name).stem), data[:LARGEST].decode("utf-8"))
        except UnicodeDecodeError:
            bench.notify(words("not_text"))
        picker.reset()

    def pick() -> None:
        picker.run_method("pickFiles")

    def save() -> None:
        ui.download.content(session.text, f"{safe_name(session.name, 'program')}.irl")

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
        editor.show(marks=found, names=known or [])
        wrong = sum(mark["severity"] == "error" for mark in found)
        if not found:
            state.set_text(words("no_mistakes"))
        else:
            first = found[0]
            place = f"{words('line')} {first['line']}: {first['message']}"
            state.set_text(words("mistakes", count=len(found)) + f" · {place}")
        state.classes(replace=f"studio-status {'bad' if wrong else ''}")

    async def edited(event: Any) -> None:
        text = event.args
        if isinstance(text, str) and len(text) <= LARGEST:
            session.text = text
            await look()

    def line(event: Any) -> None:
        shown = session.run
        for move in shown.about.moves if shown is not None else ():
            if move["line"] == event.args:
                bench.go(move["start"])
                return

    def refill() -> None:
        name.set_value(session.name)
        editor.show(value=session.text)
        editor.run_method("setText", session.text)
        ui.timer(0, look, once=True)

    def run() -> None:
        shown = session.run
        same = shown is not None and shown.about.program == session.text
        moves = shown.about.moves if shown is not None and same else ()
        editor.show(
            moves=[{"start": m["start"], "end": m["end"], "line": m["line"]} for m in moves]
        )

    editor.on("edited", edited)
    editor.on("line", line)
    editor.on("verify", bench.verify)
    editor.on("save", save)
    editor.on("format", arrange)
    bench.reveal = lambda number: editor.run_method("reveal", number)
    bench.insert = lambda piece: editor.run_method("insert", piece)
    bench.on("text", refill)
    bench.on("run", run)
    bench.on("robot", lambda: ui.timer(0, look, once=True))
    run()
    ui.timer(0, look, once=True)


def _arm(bench: Bench) -> Any:
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
