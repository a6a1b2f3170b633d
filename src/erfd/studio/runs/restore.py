"""Restore the set-up that made a run: robot, cell, loads, cycle time."""

from __future__ import annotations

import shutil
from dataclasses import replace
from math import degrees
from pathlib import Path
from typing import Any

from ...robot.library import load, robots, save
from ...robot.model import Robot
from ...robot.pose import Pose
from ...robot.readers.table import read_toml
from ...run.run_file import RunFile
from ..examples import example_cells
from ..server.safety import safe_name
from ..session import Session, Setup

CELL = "cell"
"""The folder inside a kept run with the user's own cell file and its meshes."""


def keep_cell(cell_file: Path, folder: Path) -> None:
    """Copy the user's own cell, with its meshes, into the folder of a run."""
    cell_folder = folder / CELL
    cell_folder.mkdir()
    things = read_toml(cell_file).data.get("object", [])
    names = {cell_file.name, *(thing["file"] for thing in things if "file" in thing)}
    for name in names:
        shutil.copyfile(cell_file.parent / name, cell_folder / name)


def restore(session: Session, file: RunFile, settings: dict[str, Any]) -> None:
    """Give the session the set-up that made a run; what is not known of it is as usual.

    `settings` is that of the run's `About`, empty for a file that came alone: then what the file
    itself tells is taken (robot and mount, a constant force of the tool, the cycle time).
    """
    setup = Setup.of(settings) if settings else _setup_from_run(file)
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


def _setup_from_run(file: RunFile) -> Setup:
    """The set-up that made a run, as far as its file tells it."""
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
    """A mount as the form has it: x, y, z in m and roll, pitch, yaw in degrees."""
    return [round(x, 9) + 0.0 for x in (*mount.xyz, *(degrees(angle) for angle in mount.rpy))]


def _cell_file(session: Session, kept_folder: Path, setup: Setup) -> Path | None:
    """The cell of the run: a bundled one, or the user's own, copied to where uploads are."""
    if not kept_folder.is_dir():
        return example_cells().get(setup.cell)
    cell_file = None
    for path in kept_folder.iterdir():
        if path.is_file() and not path.is_symlink():
            target = session.folder / path.name
            shutil.copyfile(path, target)
            cell_file = target if path.suffix.lower() == ".toml" else cell_file
    if cell_file is not None:
        setup.cell = cell_file.name
    return cell_file


def _alike(robot: Robot, other: Robot) -> bool:
    """Whether two robots are equal wherever they stand."""
    return replace(robot, mount=other.mount) == other
