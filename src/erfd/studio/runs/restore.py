"""The set-up that made a run, put back beside its program: robot, cell, loads, cycle time."""

from __future__ import annotations

import shutil
import tomllib
from dataclasses import replace
from math import degrees
from pathlib import Path
from typing import Any

from ...robot.library import load, robots, save
from ...robot.model import Robot
from ...robot.pose import Pose
from ...run.run_file import RunFile
from ..examples import example_cells
from ..server.safety import safe_name
from ..session import Session, Setup

CELL = "cell"
"""The folder inside a kept run with the user's own cell file and its meshes."""


def keep_cell(cell_file: Path, folder: Path) -> None:
    """Put a copy of the user's own cell, with its meshes, into the folder of a run."""
    place = folder / CELL
    place.mkdir()
    things = tomllib.loads(cell_file.read_text(encoding="utf-8")).get("object", [])
    names = {cell_file.name, *(thing["file"] for thing in things if "file" in thing)}
    for name in names:
        shutil.copyfile(cell_file.parent / name, place / name)


def restore(session: Session, file: RunFile, settings: dict[str, Any]) -> None:
    """Give the session the set-up that made a run; what it has no word of stays as it is usual.

    `settings` is that of the run's `About`, empty for a file that came alone: then what the file
    itself tells is taken (robot and mount, a constant force of the tool, the cycle time).
    """
    setup = Setup.of(settings) if settings else _told(file)
    cell_file = _cell_file(session, file.path.parent / CELL, setup)
    if cell_file is None:
        setup.cell = ""
    robot_file = None
    if setup.robot not in robots() or not _alike(load(setup.robot), file.robot):
        robot_file = session.folder / f"{safe_name(file.robot.name).replace('.', '_')}.toml"
        save(file.robot, robot_file)
        setup.robot = robot_file.name
    session.setup, session.robot_file, session.cell_file = setup, robot_file, cell_file
    session.forget()


def _told(file: RunFile) -> Setup:
    """What a run tells by itself of the set-up that made it."""
    robot, t = file.robot, file["t"]
    setup = Setup(robot=robot.name)
    if len(t) > 1:
        setup.dt = round(float(t[-1] - t[0]) / (len(t) - 1), 9)
    if robot.name in robots() and robot.mount != load(robot.name).mount:
        setup.mount = typed_mount(robot.mount)
    if "wrench" in file and (file["wrench"] == file["wrench"][0]).all():
        setup.wrench = [float(x) for x in file["wrench"][0]]
    return setup


def typed_mount(mount: Pose) -> list[float]:
    """x, y, z in m and roll, pitch, yaw in degrees, as the form has them."""
    return [round(x, 9) + 0.0 for x in (*mount.xyz, *(degrees(angle) for angle in mount.rpy))]


def _cell_file(session: Session, kept: Path, setup: Setup) -> Path | None:
    """The cell of the run: a bundled one, or the user's own, copied to where uploads are."""
    if not kept.is_dir():
        return example_cells().get(setup.cell)
    found = None
    for path in kept.iterdir():
        if path.is_file() and not path.is_symlink():
            place = session.folder / path.name
            shutil.copyfile(path, place)
            found = place if path.suffix.lower() == ".toml" else found
    if found is not None:
        setup.cell = found.name
    return found


def _alike(one: Robot, other: Robot) -> bool:
    """Whether two robots are equal wherever they stand."""
    return replace(one, mount=other.mount) == other
