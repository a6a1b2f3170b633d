"""Robots by name or from a file."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from pathlib import Path

from ..errors import RobotError
from .model import Robot
from .readers import toml

PARTS = ".parts.toml"
"""What the name of a parts database ends in (docs/parts.md)."""


def robots() -> tuple[str, ...]:
    """The names of the bundled robots."""
    folder = resources.files("erfd.robot") / "data"
    names = (entry.name for entry in folder.iterdir())
    files = (name for name in names if name.endswith(".toml") and not name.endswith(PARTS))
    return tuple(sorted(name.removesuffix(".toml") for name in files))


@lru_cache(maxsize=64)
def _bundled(name: str) -> Robot:
    with resources.as_file(resources.files("erfd.robot") / "data" / f"{name}.toml") as path:
        return toml.read(path)


def load(
    source: str | Path,
    *,
    base: str | None = None,
    tip: str | None = None,
    locked: Mapping[str, float] | None = None,
) -> Robot:
    """A robot: a bundled name, or the path of a `.toml`, `.parts.toml` or `.urdf` file.

    For URDF, `base` and `tip` name the first and last link of the chain, `locked` gives positions
    (rad, m) to joints off the chain, which are fixed there (0 if not given).

    >>> load("lola15").n
    6
    """
    path = Path(source)
    if path.suffix.lower() == ".urdf":
        from .readers import urdf

        return urdf.read(path, base=base, tip=tip, locked=locked or {})
    if base is not None or tip is not None or locked:
        raise RobotError(f"{source}: base, tip and locked are for .urdf files only")
    if path.name.lower().endswith(PARTS):
        from .parts import read_robot

        return read_robot(path)
    if path.suffix.lower() == ".toml":
        return toml.read(path)
    if isinstance(source, str) and source in robots():
        return _bundled(source)
    if path.exists():
        raise RobotError(f"{source}: expected a .toml or .urdf file, found {path.suffix or 'none'}")
    near = difflib.get_close_matches(str(source), robots(), 1)
    hint = f"did you mean {near[0]!r}?" if near else f"bundled are {', '.join(robots())}"
    raise RobotError(f"no robot named {str(source)!r}; {hint}")


def save(robot: Robot, path: str | Path, *, comment: str = "") -> None:
    """Write the robot to a `.toml` file; `load` reads it back equal.

    The lines of `comment` go before it, as comments.
    """
    path = Path(path)
    if path.suffix.lower() != ".toml" or path.name.lower().endswith(PARTS):
        also = f" and not in {PARTS}" if path.suffix.lower() == ".toml" else ""
        raise RobotError(f"{path}: expected a name that ends in .toml{also}")
    toml.write(robot, path, comment=comment)
