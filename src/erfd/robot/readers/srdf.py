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

    One that lies there by another name counts if it is the only one and names the same robot.
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
    if len(found) != 1:
        return ()
    try:
        names = ElementTree.fromstring(found[0].read_bytes()[:LARGEST]).get("name")
    except (OSError, ElementTree.ParseError):
        return ()
    return read_touching(found[0]) if names == robot else ()
