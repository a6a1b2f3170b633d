"""Find the files that a robot file names: `package://NAME/..`, `file://..`, or beside it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from ....errors import RobotError

SCHEMES = ("package://", "model://")
"""What stands before the name of a package: of ROS, of Gazebo."""
ABOVE = 8
"""Folders above the robot's file that are looked through."""


@dataclass(frozen=True, slots=True)
class FileFinder:
    """Where the files are that the robot file `file` names.

    `packages` are folders by the name of their package; `within` is the folder that no file may
    be outside of, for robots of strangers.
    """

    file: Path
    packages: Mapping[str, str | Path] = field(default_factory=dict)
    within: Path | None = None

    def find(self, name: str) -> Path | None:
        """The file that `name` means; None if there is none.

        Raises:
            RobotError: It is outside of the folder that no file may be outside of.
        """
        if "\0" in name or len(name) > 1000:
            return None
        outside = False
        for path in self._candidates(name):
            try:
                if not path.is_file():
                    continue
            except OSError:
                continue
            if self.within is None or path.resolve().is_relative_to(self.within.resolve()):
                return path
            outside = True
        if outside:
            expected = "a file within the folder of the robot"
            raise RobotError(f"{self.file.name}: expected {expected}, found {name!r:.80}")
        return None

    def _candidates(self, name: str) -> Iterator[Path]:
        folder = self.file.parent
        for scheme in SCHEMES:
            if name.startswith(scheme):
                package, _, rest = unquote(name[len(scheme) :]).partition("/")
                for root in self._roots(package):
                    yield root / rest
                yield from (above / rest for above in self._above())  # unpacked without its name
                return
        plain = unquote(name[7:]) if name.startswith("file://") else name.replace("\\", "/")
        yield folder / plain

    def _above(self) -> list[Path]:
        return list(self.file.absolute().parents)[:ABOVE]

    def _roots(self, package: str) -> Iterator[Path]:
        """Folders that may be the package, the most likely one first."""
        if package in self.packages:
            yield Path(self.packages[package])
            return
        for above in self._above():
            if above.name == package:
                yield above
            yield above / package
        if self.within is not None:
            return
        for variable, inner in (("ROS_PACKAGE_PATH", "."), ("AMENT_PREFIX_PATH", "share")):
            for entry in filter(None, os.environ.get(variable, "").split(os.pathsep)):
                if Path(entry).name == package:
                    yield Path(entry)
                yield Path(entry) / inner / package
        for entry in filter(None, sys.path):  # example-robot-data, and what pip has installed
            yield Path(entry) / "cmeel.prefix" / "share" / package
            yield Path(entry) / package
        cache = Path(os.environ.get("ROBOT_DESCRIPTIONS_CACHE") or "~/.cache/robot_descriptions")
        try:
            cache = cache.expanduser()
            clones = sorted(cache.iterdir()) if cache.is_dir() else []
        except (OSError, RuntimeError):
            return
        for clone in clones:
            if clone.name == package:
                yield clone
            yield clone / package


def packages_of(given: object) -> dict[str, Path]:
    """Check folders of packages by name, as functions take them."""
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(
        isinstance(k, str) and isinstance(v, str | Path) for k, v in given.items()
    ):
        raise RobotError(f"packages: expected folders by name, found {given!r:.60}")
    for name, folder in given.items():
        if not Path(folder).is_dir():
            raise RobotError(f"packages: {name}: expected a folder, found {str(folder)!r:.80}")
    return {name: Path(folder) for name, folder in given.items()}
