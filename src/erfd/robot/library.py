"""Load robots by name or from a file, list the bundled ones, and save a robot to a file."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from pathlib import Path

from ..errors import InputError, RobotError
from ..ground.arguments import instance_of, path_of, text_of
from .model import Robot
from .readers import toml

RobotLike = Robot | str | Path
"""What public functions take for a robot: a `Robot`, a bundled name, or the path of its file."""
TREES = (".urdf", ".xacro", ".xml", ".mjcf", ".sdf")
"""The endings of files that describe a tree of links, of which an arm is a part."""
PARTS = ".parts.toml"
"""The ending of the name of a parts database (docs/parts.md)."""


def robots() -> tuple[str, ...]:
    """The names of the bundled robots.

    Returns:
        Names for `load`, in alphabetical order.

    >>> "lola15" in robots()
    True
    """
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
    packages: Mapping[str, str | Path] | None = None,
    nearest_physical: bool = False,
    within: str | Path | None = None,
    drives: str | Path | None = None,
) -> Robot:
    """Load a robot by its bundled name or from a `.toml`, `.parts.toml`, `.urdf` or other file.

    Args:
        source: The name of a bundled robot (see `robots`) or the path of a file.
        base: Of URDF and MJCF: the name of the first link of the chain, the root if None.
        tip: Of URDF and MJCF: the name of the last link of the chain, the only end if None.
        locked: Of URDF and MJCF: positions (rad, m) by name of joints off the chain, which are
            fixed there; 0 for those that are not named.
        packages: Of URDF: folders by the names of packages (`package://NAME/..`), where they are
            not found by themselves.
        nearest_physical: Of URDF and MJCF: replace an inertia that no body has by the nearest one
            that a body has, and say so.
        within: For files of strangers: nothing that they name may be outside of this folder.
        drives: A file of motors and gears by joint (docs/drives.md), for a robot of any kind of
            file.

    Returns:
        The robot, in SI units and radians.

    Raises:
        RobotError: No such robot or file, or data in it that cannot be true.

    >>> load("lola15").n
    6
    """
    if locked is not None and not isinstance(locked, Mapping):
        raise InputError(f"locked: expected positions by name, found {locked!r:.60}")
    if packages is not None and not isinstance(packages, Mapping):
        raise InputError(f"packages: expected folders by name, found {packages!r:.60}")
    if not isinstance(nearest_physical, bool):
        found = f"found {nearest_physical!r:.60}"
        raise InputError(f"nearest_physical: expected True or False, {found}")
    path, folder = path_of("source", source), None if within is None else path_of("within", within)
    if path.suffix.lower() in TREES:
        from .readers.trees import read_tree

        choice = {"base": base, "tip": tip, "locked": locked or {}, "within": folder}
        robot = read_tree(path, packages, nearest_physical=nearest_physical, **choice)
    elif base is not None or tip is not None or locked or packages or nearest_physical:
        names = "base, tip, locked, packages and nearest_physical"
        raise RobotError(f"{source}: {names} are for {', '.join(TREES)} files only")
    else:
        robot = _load(source, path)
    if drives is None:
        return robot
    from .drive_file.read import attach

    return attach(robot, path_of("drives", drives))


def _load(source: str | Path, path: Path) -> Robot:
    """The robot of a file that describes one arm, or a bundled one."""
    if path.name.lower().endswith(PARTS):
        from .parts import read_robot

        return read_robot(path)
    if path.suffix.lower() == ".toml":
        return toml.read(path)
    if isinstance(source, str) and source in robots():
        return _bundled(source)
    if path.exists():
        raise RobotError(
            f"{source}: expected a .toml, .urdf or .xml file, found {path.suffix or 'none'}"
        )
    near = difflib.get_close_matches(str(source), robots(), 1)
    hint = f"did you mean {near[0]!r}?" if near else f"bundled are {', '.join(robots())}"
    raise RobotError(f"no robot named {str(source)!r}; {hint}")


def robot_of(value: RobotLike) -> Robot:
    """The robot itself, or the one with a bundled name or in a file."""
    if isinstance(value, Robot):
        return value
    if isinstance(value, str | Path):
        return load(value)
    expected = "an erfd.Robot, a bundled name or the path of a file"
    raise InputError(f"robot: expected {expected}, found {value!r:.60}")


def save(robot: Robot, path: str | Path, *, comment: str = "") -> None:
    """Write a robot to a `.toml` file; `load` reads it back equal.

    Args:
        robot: The robot.
        path: A file whose name ends in `.toml` (and not in `.parts.toml`).
        comment: Lines that go before it, as comments.

    Raises:
        RobotError: A name with another ending.
    """
    robot, path = instance_of("robot", robot, Robot), path_of("path", path)
    text_of("comment", comment)
    if path.suffix.lower() != ".toml" or path.name.lower().endswith(PARTS):
        also = f" and not in {PARTS}" if path.suffix.lower() == ".toml" else ""
        raise RobotError(f"{path}: expected a name that ends in .toml{also}")
    toml.write(robot, path, comment=comment)
