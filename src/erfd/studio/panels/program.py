"""Panel of the program: an editor with marks, opening, saving, examples."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nicegui import ui

from ...errors import ErfdError, InputError
from .. import editor as language
from ..browser.elements import Editor
from ..examples import example_texts
from ..limits import BYTES
from ..server.safety import safe_name
from ..workspace import Workspace
from .confirm import may_replace
from .draft import Draft
from .parts import icon_button

LARGEST = BYTES["program"]


def build(workspace: Workspace) -> None:
    """Build the panel: editor and buttons."""
    ProgramPanel(workspace)


class ProgramPanel:
    """The editor of the session's program, its buttons, and a line that says what is wrong."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace, self.words, self.session = workspace, workspace.words, workspace.session
        self.pieces: list[str] = []
        self.checked_robot: Any = None
        self._build_bar()
        self.picker = workspace.upload("program", on_upload=workspace.upload_handler(self.load))
        self.picker.props("accept=.irl,.txt").classes("hidden").mark("upload-program")
        self.editor = Editor().mark("editor")
        self.editor.show(
            value=self.session.text, words=language.editor_words(), names=[], marks=[], moves=[],
            label=self.words("tab_program"), revision=self.session.revision,
        )  # fmt: skip
        self.status = ui.label().classes("studio-status").mark("status").props('role="status"')
        self.dialogs = ui.element("div")  # for questions
        self.draft = Draft(workspace, self.editor, self.dialogs, self.take)
        self._listen()
        self.show_moves()
        ui.timer(0, self.check, once=True)

    def _build_bar(self) -> None:
        words, session = self.words, self.session
        with ui.element("div").classes("studio-bar"):
            self.name = ui.input(value=session.name, placeholder=words("program_name"))
            self.name.props(f'dense borderless aria-label="{words("program_name")}"')
            self.name.classes("name")
            self.name.on_value_change(lambda: setattr(session, "name", str(self.name.value or "")))
            self._button("note_add", "new", self.begin)
            self._button("folder_open", "open", lambda: self.picker.run_method("pickFiles"))
            self._button("download", "download", self.save)
            self._button("format_align_left", "format", self.arrange)
            with self._button("menu_book", "examples"), ui.menu():
                for title, text in example_texts().items():
                    item = ui.menu_item(title, lambda t=title, text=text: self.example(t, text))
                    item.mark(f"example-{title}")

    def _button(self, icon: str, key: str, click: Any = None) -> ui.button:
        return icon_button(icon, self.words(key), click).mark(key)

    def _listen(self) -> None:
        workspace, editor = self.workspace, self.editor
        editor.on("edited", self.edited)
        editor.on("line", self.go_to_line)
        editor.on("verify", workspace.verify)
        editor.on("save", self.save)
        editor.on("format", self.arrange)
        workspace.reveal = lambda number: editor.run_method("reveal", number)
        workspace.insert = self.insert
        workspace.on("text", self.refill)
        workspace.on("run", self.show_moves)
        workspace.on("edited", self.show_moves)
        workspace.on("edited", self.show_name)
        workspace.on("robot", self.robot_changed)

    def take(self, title: str, text: str) -> None:
        """Make a text that came from elsewhere the program."""
        self.workspace.take_text(title, text)
        self.workspace.leave_set_up()
        self.workspace.tell("setup")
        self.workspace.tell("text")

    async def begin(self) -> None:
        """Begin a new program, under a name that no kept run has."""
        if await may_replace(self.workspace, self.dialogs):
            name = self.workspace.new_name()
            self.take(name, f"program {name};\nseq\n\nendseq\nendprogram\n")
            self.session.saved_text = self.session.text  # nothing of anybody's is in it

    async def load(self, event: Any) -> None:
        """Take an uploaded program."""
        name = safe_name(Path(event.file.name).stem)
        path = self.session.folder / f"{name}.irl"
        with self.workspace.telling(OSError):
            await event.file.save(path)
            self.picker.reset()
            try:
                read = await self.workspace.read("read_program", path=str(path))
            finally:
                path.unlink(missing_ok=True)
            if await may_replace(self.workspace, self.dialogs):
                self.take(name, read["text"])

    async def example(self, title: str, text: str) -> None:
        """Take an example, with its robot."""
        if await may_replace(self.workspace, self.dialogs):
            self.workspace.take_example(title, text)

    def save(self) -> None:
        """Give the program to the browser as a file."""
        session = self.session
        ui.download.content(session.text, f"{safe_name(session.name, 'program')}.irl")
        session.saved_text = session.text
        self.draft.forget_saved()

    async def insert(self, move: str) -> int:
        """Put a move into the program, behind the line of the cursor; its line, 0 if it has none.

        A text that somebody types on meanwhile stays as it is.
        """
        line = await self.editor.run_method("cursorLine", timeout=10)
        before = self.session.text
        found = await self.workspace.read("insert", text=before, line=int(line), move=move)
        if self.session.text != before:
            raise InputError(self.words("teach_late"))
        self.session.text = found["text"]
        self.workspace.tell("text")
        self.workspace.reveal(found["line"])
        return int(found["line"])

    async def arrange(self) -> None:
        """Format the program."""
        before = self.session.text
        with self.workspace.telling():
            text = (await self.workspace.read("format", text=before))["text"]
            if self.session.text == before:  # nobody typed on meanwhile
                self.session.text = text
                self.workspace.tell("text")

    def edited(self, event: Any) -> None:
        """Take the edited text, which comes in pieces."""
        at, piece, whole = (event.args[key] for key in ("at", "piece", "whole"))
        if event.args["revision"] != self.session.revision:
            return  # typed before a text from elsewhere took its place in the editor
        if at == 0:
            self.pieces.clear()
        if sum(map(len, self.pieces)) <= LARGEST:
            self.pieces.append(str(piece))
        if at + len(piece) < whole:
            return
        self.editor.show(value=None)  # the browser has the text; sooner, it may not yet
        self.session.text = "".join(self.pieces)
        self.workspace.follow_title()
        self.workspace.tell("edited")
        self.check_soon()

    def check_soon(self) -> None:
        """Check the program as soon as this is done."""
        ui.timer(0, self.check, once=True)

    async def check(self) -> None:
        """Mark what is wrong with the program."""
        text, setup, file = self.session.text, self.session.setup, self.session.robot_file
        try:
            found = await self.workspace.read(
                "check", text=text, robot=setup.robot, robot_file=str(file) if file else None
            )
        except ErfdError as error:
            if text == self.session.text:
                self.editor.show(marks=[], names=[])
                self._say_bad(self.words.said(error))
            return
        if text != self.session.text:
            return  # typed on meanwhile: the next look is on its way
        marks = [mark | {"message": self.words.said(mark["message"])} for mark in found["marks"]]
        self.editor.show(marks=marks, names=found["names"])
        self._say(marks)

    def _say_bad(self, text: str) -> None:
        self.status.set_text(text)
        self.status.classes(replace="studio-status bad")

    def _say(self, marks: list[dict[str, Any]]) -> None:
        words = self.words
        if not marks:
            self.status.set_text(words("no_mistakes"))
        else:
            position = f"{words('line')} {marks[0]['line']}: {marks[0]['message']}"
            self.status.set_text(words("mistakes", count=len(marks)) + f" · {position}")
        wrong = any(mark["severity"] == "error" for mark in marks)
        self.status.classes(replace=f"studio-status {'bad' if wrong else ''}")

    @property
    def robot(self) -> Any:
        """The robot that the program is checked for; None if it cannot be read."""
        try:
            return self.session.robot
        except ErfdError:
            return None

    def robot_changed(self) -> None:
        """Check the program for another robot, not at every step of jogging."""
        if self.robot is not self.checked_robot:
            self.checked_robot = self.robot
            ui.timer(0, self.check, once=True)

    def refill(self) -> None:
        """Show a program that came from elsewhere."""
        self.name.set_value(self.session.name)
        self.session.revision += 1
        self.editor.run_method("setText", self.session.text, self.session.revision)
        self.draft.forget_saved()
        ui.timer(0, self.check, once=True)

    @property
    def moves(self) -> tuple[dict[str, Any], ...]:
        """The moves of the open run, if it is of this text: the lines of another are elsewhere."""
        open_run = self.session.run
        if open_run is None or open_run.about.program != self.session.text:
            return ()
        return open_run.about.moves

    def show_name(self) -> None:
        """Show the name of the program, which follows its text."""
        if self.name.value != self.session.name:
            self.name.set_value(self.session.name)

    def show_moves(self) -> None:
        """Tell the editor which line runs when."""
        self.draft.forget_saved()
        keys = ("start", "end", "line")
        self.editor.show(moves=[{key: move[key] for key in keys} for move in self.moves])

    def go_to_line(self, event: Any) -> None:
        """Put the clock where the move of a line begins."""
        start = next((move["start"] for move in self.moves if move["line"] == event.args), None)
        if start is not None:
            self.workspace.go(start)
