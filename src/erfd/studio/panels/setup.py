"""Panel of the set-up: robot, cell, mount, payload, tool force, cycle time, signals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nicegui import ui

from ...errors import ErfdError
from ...robot.library import load, robots
from ..browser.scene_data import has_shapes
from ..examples import example_cells
from ..server.safety import safe_name
from ..workspace import Workspace

KINDS = {
    "robot": (".toml", ".urdf"), "cell": (".toml", ".stl", ".obj"), "signals": (".csv", ".txt"),
}  # fmt: skip
LARGEST = {"robot": 2 * 2**20, "cell": 64 * 2**20, "signals": 2**20}
MOUNT = ("x", "y", "z", "roll", "pitch", "yaw")


def build(workspace: Workspace) -> None:
    """Build the form; settings that come from elsewhere build it anew."""
    box = ui.element("div").classes("studio-form")

    def fill() -> None:
        box.clear()
        with box:
            _form(workspace)

    workspace.on("setup", fill)
    fill()


def _form(workspace: Workspace) -> None:
    words, session = workspace.words, workspace.session
    setup = session.setup
    with ui.element("div").classes("studio-fields"):
        robot = ui.select(_robots(session.robot_file), label=words("robot"), value=setup.robot)
        robot.props("dense outlined options-dense").mark("robot")
        robot_hint = ui.label().classes("hint")
        upload_robot = _upload(workspace, "robot", words("upload_robot"))
        ui.separator()
        cells = _cells(workspace)
        cell = ui.select(
            cells, label=words("cell"), value=setup.cell if setup.cell in cells else ""
        )
        cell.props("dense outlined options-dense").mark("cell")
        cell_hint = ui.label().classes("hint")
        upload_cell = _upload(workspace, "cell", words("upload_cell"))
        ui.separator()
        own_mount = ui.checkbox(words("own_mount"), value=setup.mount is not None)
        own_mount.props("dense").mark("own-mount")
        mount = _numbers(workspace, words("mount"), MOUNT, setup.mount or [0.0] * 6, ("m", "°"))
        payload = _numbers(
            workspace, words("payload"), ("kg", "x", "y", "z"), setup.payload, ("m",)
        )
        forces = ("Fx", "Fy", "Fz", "Mx", "My", "Mz")
        wrench = _numbers(workspace, words("wrench"), forces, setup.wrench, ("N", "N m"))
        dt = ui.number(words("cycle"), value=1000 * setup.dt, min=0.1, max=100, suffix="ms")
        dt.props("dense outlined").mark("dt")
        _signals(workspace)
        advice = ui.checkbox(words("want_advice"), value=session.advice).props("dense")
        advice.on_value_change(lambda: setattr(session, "advice", bool(advice.value)))

    def refresh() -> None:
        robot.set_options(_robots(session.robot_file), value=setup.robot)
        cell.set_options(_cells(workspace), value=setup.cell)
        try:
            arm = session.robot
        except ErfdError as error:
            workspace.notify(str(error))
            return
        shapes = "" if has_shapes(arm) else f" · {words('no_shapes')}"
        robot_hint.set_text(f"{arm.title or arm.name} · {words('joints_count', n=arm.n)}{shapes}")
        loaded_cell = session.cell
        cell_hint.set_text(
            "" if loaded_cell is None else words("things", count=len(loaded_cell.things))
        )
        for field in mount:
            field.set_enabled(bool(own_mount.value))

    def change(action: Any) -> Any:
        def act() -> None:
            before = session.setup.robot, session.robot_file, session.cell_file, setup.mount
            try:
                action()
                session.robot  # noqa: B018  # a mistake shows here and not in every part
            except ErfdError as error:
                workspace.notify(str(error))
                setup.robot, session.robot_file, session.cell_file, setup.mount = before
            refresh()
            workspace.tell("robot")

        return act

    def pick_robot() -> None:
        value = str(robot.value)
        if value == setup.robot:
            return
        if value in robots():
            session.robot_file = None
        setup.robot = value
        workspace.leave_run()

    def pick_cell() -> None:
        value = str(cell.value or "")
        if value == setup.cell:
            return
        setup.cell = value
        session.cell_file = example_cells().get(setup.cell)
        workspace.leave_run()

    def change_mount() -> None:
        values = [float(field.value or 0) for field in mount]
        setup.mount = values if own_mount.value else None
        workspace.leave_run()

    def change_loads() -> None:
        setup.payload = [float(field.value or 0) for field in payload]
        setup.wrench = [float(field.value or 0) for field in wrench]
        setup.carried()
        setup.dt = min(max(float(dt.value or 10), 0.1), 100.0) / 1000

    robot.on_value_change(change(pick_robot))
    cell.on_value_change(change(pick_cell))
    own_mount.on_value_change(change(change_mount))
    for field in mount:
        field.on_value_change(change(change_mount))
    for field in (*payload, *wrench, dt):
        field.on_value_change(change(change_loads))
    upload_robot.on_multi_upload(
        workspace.upload_handler(lambda event: _take_all(workspace, event, "robot", refresh))
    )
    upload_cell.on_multi_upload(
        workspace.upload_handler(lambda event: _take_all(workspace, event, "cell", refresh))
    )
    refresh()


def _signals(workspace: Workspace) -> None:
    """Build the schedule of the program's input signals: a table to type in, or a file."""
    words, session = workspace.words, workspace.session
    ui.label(words("signals")).classes("group")
    area = ui.textarea(value=session.setup.signals, placeholder="time,signal,value\n1.5,ready,true")
    area.props(f'dense outlined autogrow debounce=400 aria-label="{words("signals")}"')
    area.mark("signals")
    wrong = ui.label().classes("bad").props('role="status"').mark("signals-wrong")

    def change() -> None:
        session.setup.signals = str(area.value or "")[: LARGEST["signals"]]
        try:
            session.setup.schedule(session.folder)
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
    _upload(workspace, "signals", words("upload_signals")).on_upload(workspace.upload_handler(take))
    change()


def _robots(robot_file: Path | None) -> dict[str, str]:
    choices = {name: name for name in robots()}
    if robot_file is not None:
        choices[robot_file.name] = robot_file.name
    return choices


def _cells(workspace: Workspace) -> dict[str, str]:
    choices = {"": workspace.words("no_cell")} | {name: name for name in example_cells()}
    cell_file = workspace.session.cell_file
    if cell_file is not None and cell_file not in example_cells().values():
        choices[cell_file.name] = cell_file.name
    return choices


async def _take_all(workspace: Workspace, event: Any, kind: str, show: Any) -> None:
    """Take files that were chosen together: meshes before the cell that asks for them."""
    event.sender.reset()
    for file in sorted(event.files, key=lambda file: str(file.name).lower().endswith(".toml")):
        await _take(workspace, file, kind, show)


async def _take(workspace: Workspace, file: Any, kind: str, show: Any) -> None:
    """Put an uploaded file into the session's own folder and load it."""
    session, words = workspace.session, workspace.words
    uploaded = Path(file.name)
    suffix = uploaded.suffix.lower()
    if suffix not in KINDS[kind]:
        workspace.notify(words("rejected"))
        return
    path = session.folder / f"{safe_name(uploaded.stem)}{suffix}"
    old = path.read_bytes() if path.exists() else None
    await file.save(path)
    if suffix in (".stl", ".obj"):
        ui.notify(words("mesh_kept", name=path.name), position="bottom-left")
        return
    setup = session.setup
    before = setup.robot, session.robot_file, session.cell_file, setup.cell
    try:
        if kind == "robot":
            load(path)
            session.robot_file, setup.robot = path, path.name
        else:
            session.cell_file, setup.cell = path, path.name
        session.forget()
        session.robot  # noqa: B018  # read it now, with its cell
    except (ErfdError, OSError) as error:
        setup.robot, session.robot_file, session.cell_file, setup.cell = before
        if old is not None:  # the file of this name that was good
            path.write_bytes(old)
        session.forget()
        workspace.notify(str(error))
        return
    workspace.leave_run()
    show()
    workspace.tell("robot")


def _upload(workspace: Workspace, kind: str, text: str) -> ui.upload:
    upload = ui.upload(
        label=text, auto_upload=True, multiple=kind == "cell", max_file_size=LARGEST[kind],
        on_rejected=lambda: workspace.notify(workspace.words("rejected")),
    )  # fmt: skip
    upload.props(f"accept={','.join(KINDS[kind])} flat bordered").classes("studio-upload")
    if kind == "cell":
        upload.props("batch")  # its files come together
    return upload.mark(f"upload-{kind}")


def _numbers(
    workspace: Workspace,
    title: str,
    names: tuple[str, ...],
    values: list[float],
    units: tuple[str, ...],
) -> list[ui.number]:
    """Build a row of numbers under a title; the units are of the first and the last three."""
    ui.label(f"{title} ({', '.join(units)})").classes("group")
    fields = []
    with ui.element("div").classes("numbers four" if len(names) == 4 else "numbers"):
        for name, value in zip(names, values, strict=True):
            field = ui.number(name, value=value, format="%g", step=0.1)
            field.props("dense outlined debounce=400").mark(f"{title}-{name}")
            fields.append(field)
    return fields
