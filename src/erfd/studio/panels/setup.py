"""Panel of the set-up: robot, cell, mount, payload, tool force, cycle time, signals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from ...errors import ErfdError
from ...robot.library import robots
from ..browser.scene_data import has_shapes
from ..examples import example_cells
from ..jobs.reading import unpacked
from ..limits import BYTES
from ..session import CHOICES, TIMES
from ..workspace import Workspace
from .open_robot import OpenRobot
from .uploads import take_files, upload_field

MOUNT = ("x", "y", "z", "roll", "pitch", "yaw")
WRENCH = ("Fx", "Fy", "Fz", "Mx", "My", "Mz")


def build(workspace: Workspace) -> None:
    """Build the form; settings that come from elsewhere build it anew."""
    box = ui.element("div").classes("studio-form")
    opening = OpenRobot(workspace)

    def fill() -> None:
        box.clear()
        with box, ui.element("div").classes("studio-fields"):
            SetupForm(workspace, opening)

    workspace.on("setup", fill)
    fill()


class SetupForm:
    """The fields of the session's settings."""

    def __init__(self, workspace: Workspace, opening: OpenRobot) -> None:
        self.opening = opening
        self.workspace, self.words, self.session = workspace, workspace.words, workspace.session
        self.setup = self.session.setup
        self._choices()
        ui.separator()
        self._mount()
        self._loads()
        _signals(workspace)
        advice = ui.checkbox(self.words("want_advice"), value=self.session.advice).props("dense")
        advice.on_value_change(lambda: setattr(self.session, "advice", bool(advice.value)))
        self.refresh()

    def _choices(self) -> None:
        self.robot, self.robot_hint = self._choice("robot", self.robots, self.setup.robot)
        self.robot.on_value_change(self.choose_robot)
        own = ui.button(self.words("open_robot"), icon="precision_manufacturing")
        own.props("no-caps outline dense color=primary").mark("open-robot")
        own.on_click(self.opening.open)
        ui.separator()
        cell = self.setup.cell if self.setup.cell in self.cells else ""
        self.cell, self.cell_hint = self._choice("cell", self.cells, cell)
        self.cell.on_value_change(lambda: self.change(self.pick_cell))

    def _choice(self, kind: str, names: dict[str, str], value: str) -> tuple[ui.select, ui.label]:
        """Build a list to choose from, a line about what is chosen, and a place for own files."""
        choice = ui.select(names, label=self.words(kind), value=value)
        choice.props("dense outlined options-dense").mark(kind)
        hint = ui.label().classes("hint")
        take = self.workspace.upload_handler(
            lambda event: take_files(self.workspace, event, kind, self.refresh)
        )
        upload_field(self.workspace, kind).on_multi_upload(take)
        return choice, hint

    def _mount(self) -> None:
        self.own_mount = ui.checkbox(self.words("own_mount"), value=self.setup.mount is not None)
        self.own_mount.props("dense").mark("own-mount")
        self.mount = self._numbers("mount", MOUNT, self.setup.mount or [0.0] * 6, "m, °")
        self.own_mount.on_value_change(lambda: self.change(self.change_mount))
        for field in self.mount:
            field.on_value_change(lambda: self.change(self.change_mount))

    def _loads(self) -> None:
        setup = self.setup
        self.payload = self._numbers("payload", ("kg", "x", "y", "z"), setup.payload, "m")
        self.wrench = self._numbers("wrench", WRENCH, setup.wrench, "N, N m")
        self.dt = ui.number(
            self.words("cycle"), value=1000 * setup.dt, min=0.1, max=100, suffix="ms"
        )
        self.dt.props("dense outlined").mark("dt")
        self.pause = ui.number(self.words("pause"), value=setup.pause, min=0, suffix="s")
        self.pause.props("dense outlined").mark("pause")
        self.strict = ui.checkbox(self.words("strict"), value=setup.strict)
        self.strict.props("dense").mark("strict")
        self.words_chosen = {key: self._word(key) for key in CHOICES}
        for field in (*self.payload, *self.wrench, self.dt, self.pause):
            field.on_value_change(lambda: self.change(self.change_loads))
        for choice in self.words_chosen.values():
            choice.on_value_change(lambda: self.change(self.change_loads))
        self.strict.on_value_change(lambda: self.change(self.change_loads))

    def _word(self, key: str) -> ui.select:
        """Build the choice of a word for the planner."""
        words = {word: self.words.known(key, word or "none") for word in CHOICES[key]}
        choice = ui.select(words, label=self.words(key), value=getattr(self.setup, key))
        choice.props("dense outlined options-dense").mark(key)
        return choice

    def _numbers(
        self, key: str, names: tuple[str, ...], values: list[float], units: str
    ) -> list[ui.number]:
        """Build a row of numbers under a title; the units are of the first and the last three."""
        title = self.words(key)
        ui.label(f"{title} ({units})").classes("group")
        fields = []
        with ui.element("div").classes("numbers four" if len(names) == 4 else "numbers"):
            for name, value in zip(names, values, strict=True):
                field = ui.number(name, value=value, format="%g", step=0.1)
                field.props("dense outlined debounce=400").mark(f"{title}-{name}")
                fields.append(field)
        return fields

    @property
    def robots(self) -> dict[str, str]:
        """The robots to choose from."""
        file, kept = self.session.robot_file, self.workspace.studio.library.names()
        own = [] if file is None or file in kept.values() else [file.name]
        return {name: name for name in (*robots(), *kept, *own)}

    @property
    def cells(self) -> dict[str, str]:
        """The cells to choose from, or none."""
        choices = {"": self.words("no_cell")} | {name: name for name in example_cells()}
        file = self.session.cell_file
        if file is not None and file not in example_cells().values():
            choices[file.name] = file.name
        return choices

    def refresh(self) -> None:
        """Show what is chosen."""
        words = self.words
        self.robot.set_options(self.robots, value=self.setup.robot)
        self.cell.set_options(self.cells, value=self.setup.cell)
        try:
            arm = self.session.robot
        except ErfdError as error:
            self.workspace.notify(str(error))
            return
        shapes = "" if has_shapes(arm) else f" · {words('no_shapes')}"
        count = words("joints_count", n=arm.n)
        self.robot_hint.set_text(f"{words.said(arm.title) or arm.name} · {count}{shapes}")
        cell = self.session.cell
        self.cell_hint.set_text("" if cell is None else words("things", count=len(cell.things)))
        for field in self.mount:
            field.set_enabled(bool(self.own_mount.value))

    def change(self, action: Callable[[], None]) -> None:
        """Change the settings; robot, cell file and mount stay as they are if it is a mistake."""
        session, setup = self.session, self.setup
        before = setup.robot, session.robot_file, session.cell_file, setup.mount
        try:
            action()
            session.robot  # noqa: B018  # a mistake shows here and not in every part
        except ErfdError as error:
            self.workspace.notify(str(error))
            setup.robot, session.robot_file, session.cell_file, setup.mount = before
        self.refresh()
        self.workspace.tell("robot")

    async def choose_robot(self) -> None:
        """Take the chosen robot; one of the library is read in a worker first."""
        name = str(self.robot.value)
        kept = self.workspace.studio.library.names().get(name)
        if kept is None or name == self.setup.robot:
            self.change(self.pick_robot)
            return
        with self.workspace.telling(OSError):
            read = await self.workspace.read("read_robot", path=str(kept))
            self.session.put_model(kept, unpacked(read["model"]))
            self.session.robot_file = kept
        self.change(self.pick_robot)

    def pick_robot(self) -> None:
        """Take the chosen robot."""
        value = str(self.robot.value)
        if value == self.setup.robot:
            return
        if value in robots():
            self.session.robot_file = None
        self.setup.robot = value
        self.workspace.leave_run()
        if self.workspace.leave_set_up(example_only=True):
            self.workspace.tell("setup")

    def pick_cell(self) -> None:
        """Take the chosen cell."""
        value = str(self.cell.value or "")
        if value == self.setup.cell:
            return
        self.setup.cell = value
        self.session.cell_file = example_cells().get(value)
        self.workspace.leave_run()

    def change_mount(self) -> None:
        """Take the mount, if it is the user's own."""
        self.setup.mount = _values(self.mount) if self.own_mount.value else None
        self.workspace.leave_run()

    def change_loads(self) -> None:
        """Take payload, tool force, step, pause, strictness, and the planner's words."""
        self.setup.payload = _values(self.payload)
        self.setup.wrench = _values(self.wrench)
        self.setup.carried()
        self.setup.dt = min(max(float(self.dt.value or 10), 0.1), 100.0) / 1000
        self.setup.pause = min(max(float(self.pause.value or 0), 0.0), TIMES["pause"][1])
        self.setup.strict = bool(self.strict.value)
        for key, choice in self.words_chosen.items():
            setattr(self.setup, key, choice.value)


def _values(fields: list[ui.number]) -> list[float]:
    return [float(field.value or 0) for field in fields]


def _signals(workspace: Workspace) -> None:
    """Build the schedule of the program's input signals: a table to type in, or a file."""
    words, session = workspace.words, workspace.session
    ui.label(words("signals")).classes("group")
    area = ui.textarea(value=session.setup.signals, placeholder="time,signal,value\n1.5,ready,true")
    area.props(f'dense outlined autogrow debounce=400 aria-label="{words("signals")}"')
    area.mark("signals")
    wrong = ui.label().classes("bad").props('role="status"').mark("signals-wrong")

    def change() -> None:
        session.setup.signals = str(area.value or "")[: BYTES["signals"]]
        try:
            session.setup.schedule()
            wrong.set_text("")
        except ErfdError as error:
            wrong.set_text(words.said(error))
        workspace.tell("edited")

    async def take(event: Any) -> None:
        data = await event.file.read()
        event.sender.reset()
        try:
            area.set_value(data.decode("utf-8-sig"))
        except UnicodeDecodeError:
            workspace.notify(words("not_text"))

    area.on_value_change(change)
    upload_field(workspace, "signals").on_upload(workspace.upload_handler(take))
    change()
