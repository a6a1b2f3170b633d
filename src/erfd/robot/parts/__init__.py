"""The parts database: links made of parts, parts made of sections, weighed and built into a robot.

The format of a `.parts.toml` file is described in docs/parts.md.
"""

from __future__ import annotations

from pathlib import Path

from ...ground.renamed import renamed as _renamed
from ..model import Robot
from .build import Item, build, weigh
from .database import Database, LinkParts, Part, PlacedPart, Section
from .reader import read

__all__ = [
    "Database",
    "Item",
    "LinkParts",
    "Part",
    "PlacedPart",
    "Section",
    "build",
    "read",
    "read_robot",
    "weigh",
]


def read_robot(path: Path) -> Robot:
    """Read a `.parts.toml` file and build its robot.

    Args:
        path: The file.

    Returns:
        The robot, with the inertia of every link from its parts.

    Raises:
        RobotError: A mistake in the file, named by table and key.
    """
    return build(read(path))


__getattr__ = _renamed(__name__, {"Use": "PlacedPart"})
