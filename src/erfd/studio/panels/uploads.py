"""Files that the user brings: robots, cells with their meshes, signals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nicegui import ui

from ...errors import ErfdError
from ..jobs.reading import unpacked
from ..server.safety import safe_name
from ..workspace import Workspace
from .parts import named_upload

KINDS = {
    "robot": (".toml", ".urdf"), "cell": (".toml", ".stl", ".obj"), "signals": (".csv", ".txt"),
}  # fmt: skip


def upload_field(workspace: Workspace, kind: str) -> ui.upload:
    """Build the field that takes files of a kind: `robot`, `cell` or `signals`."""
    label = workspace.words(f"upload_{kind}")
    upload = workspace.upload(kind, label=label, multiple=kind == "cell")
    upload.props(f"accept={','.join(KINDS[kind])} flat bordered")
    named_upload(upload, label)
    if kind == "cell":
        upload.props("batch")  # its files come together
    return upload.mark(f"upload-{kind}")


async def take_files(workspace: Workspace, event: Any, kind: str, show: Any) -> None:
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
        ui.notify(words("mesh_kept", name=path.name), position="bottom-right")
        return
    setup = session.setup
    before = setup.robot, session.robot_file, session.cell_file, setup.cell
    try:
        read = await workspace.read(f"read_{kind}", path=str(path))
        session.put_model(path, unpacked(read["model"]))
        if kind == "robot":
            session.robot_file, setup.robot = path, path.name
        else:
            session.cell_file, setup.cell = path, path.name
        session.forget()
        session.robot  # noqa: B018  # with its cell
    except (ErfdError, OSError) as error:
        setup.robot, session.robot_file, session.cell_file, setup.cell = before
        if old is not None:  # the file of this name that was good
            path.write_bytes(old)
            if (model := session.model_of(path, stale=True)) is not None:
                session.put_model(path, model)
        session.forget()
        workspace.notify(str(error))
        return
    workspace.leave_run()
    show()
    workspace.tell("robot")
