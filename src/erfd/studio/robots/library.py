"""The user's own robots, kept beside the bundled ones: a folder each in the user's data folder."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from ...errors import InputError
from ...ground.folders import data_folder
from ...robot.library import robots
from ...robot.model import Robot
from ..server.safety import safe_name

FILE = "robot.toml"
MOST = 500
"""Robots that are listed."""


class RobotLibrary:
    """The robots in one folder, by the names that the user gave them."""

    def __init__(self, folder: Path | None = None):
        self.folder = data_folder() / "robots" if folder is None else folder

    def names(self) -> dict[str, Path]:
        """The files of the robots by name, in alphabetical order."""
        try:
            found = sorted(path for path in self.folder.iterdir() if not path.name.startswith("."))
        except OSError:
            return {}
        files = {path.name: path / FILE for path in found[:MOST]}
        return {name: file for name, file in files.items() if file.is_file()}

    def keep(self, robot: Robot, name: str) -> Path:
        """Keep a robot, its meshes beside it; one of the same name is replaced.

        Raises:
            InputError: A bundled robot has the name, or the folder cannot be written.
        """
        from ...robot.library import save

        plain = safe_name(name, "robot")
        if plain in robots():
            raise InputError(f"expected a name of its own, found {plain!r}, a bundled robot's")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            part = Path(tempfile.mkdtemp(prefix=".", suffix=".part", dir=self.folder))
        except OSError as error:
            raise InputError(f"{self.folder}: cannot be written: {error.strerror}") from None
        target = self.folder / plain
        try:
            save(robot, part / FILE)
            if target.exists():
                shutil.rmtree(target)
            os.replace(part, target)
        except OSError as error:
            raise InputError(f"{target}: cannot be written: {error.strerror}") from None
        finally:
            shutil.rmtree(part, ignore_errors=True)
        return target / FILE

    def remove(self, name: str) -> None:
        """Take a robot out of the library."""
        if name in self.names():
            shutil.rmtree(self.folder / name, ignore_errors=True)
