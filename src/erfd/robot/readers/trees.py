"""Read the arm in a file that describes a tree of links, whatever its language."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import RobotError
from ..model import Robot
from .arm import ArmChoice
from .meshes.find import packages_of


def read_tree(path: Path, packages: Mapping[str, str | Path] | None, **choice: Any) -> Robot:
    """The arm in a URDF, xacro or MJCF file; `packages` and `choice` as `ArmChoice` has them."""
    made = ArmChoice(packages=packages_of(packages), **choice)
    kind = path.suffix.lower()
    root = "sdf" if kind == ".sdf" else "mujoco"
    if kind in (".xml", ".mjcf"):
        from .mjcf.source import parse

        root = parse(path).tag
    if root == "sdf":
        raise RobotError(
            f"{path.name}: expected URDF, xacro or MJCF, found SDF, which is not read: there is no"
            " well-kept reader of it for Python; export the robot as URDF"
        )
    if kind in (".urdf", ".xacro") or root == "robot":
        from . import urdf

        text = None
        if kind == ".xacro":
            from .xacro import expanded

            text = expanded(path, made)
        return urdf.read(path, made, text)
    from .mjcf.read import read

    return read(path, made)
