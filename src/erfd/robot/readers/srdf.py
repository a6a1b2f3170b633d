"""Pairs of links that may touch each other, from the SRDF file of a robot (MoveIt)."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from ...errors import RobotError

LARGEST = 4 * 2**20
"""The largest SRDF file that is read, in bytes."""


def read_touching(path: Path) -> tuple[tuple[str, str], ...]:
    """The pairs of `disable_collisions` in an SRDF file.

    Raises:
        RobotError: It cannot be read, or a pair lacks a link.
    """
    try:
        data = path.read_bytes()[: LARGEST + 1]
    except OSError as error:
        raise RobotError(f"{path}: cannot be read: {error.strerror}") from None
    if len(data) > LARGEST or b"<!ENTITY" in data:
        raise RobotError(f"{path.name}: expected an SRDF file of at most {LARGEST // 2**20} MB")
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise RobotError(f"{path.name}: expected XML: {error}") from None
    pairs = []
    for element in root.iter("disable_collisions"):
        first, second = element.get("link1"), element.get("link2")
        if not first or not second:
            raise RobotError(f"{path.name}: <disable_collisions>: expected link1 and link2")
        pairs.append((first, second))
    return tuple(pairs)


def touching_beside(
    path: Path, robot: str, within: Path | None = None
) -> tuple[tuple[str, str], ...]:
    """The pairs of the SRDF that belongs to a URDF: of its name, beside it or in a folder srdf.

    One that lies there by another name counts if it says to be of the same robot.
    """
    folders = [path.parent, path.parent / "srdf", path.parent.parent / "srdf"]
    found: list[Path] = []
    for folder in folders:
        if within is not None and not folder.resolve().is_relative_to(within.resolve()):
            continue
        own = folder / f"{path.stem}.srdf"
        if own.is_file():
            return read_touching(own)
        found += sorted(folder.glob("*.srdf")) if folder.is_dir() else []
    named = [path for path in found if _names(path, robot)]
    best = [path for path in named if path.stem == robot] or named
    return read_touching(best[0]) if len(best) == 1 else ()


def _names(path: Path, robot: str) -> bool:
    """Whether an SRDF file is of the robot of this name."""
    try:
        return ElementTree.fromstring(path.read_bytes()[:LARGEST]).get("name") == robot
    except (OSError, ElementTree.ParseError):
        return False
