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
    if kind == ".sdf":
        raise RobotError(
            f"{path}: expected URDF, xacro or MJCF; SDF is not read (sdformat's own tool"
            " `gz sdf -p` and converters such as sdformat_urdf make URDF of it)"
        )
    if kind == ".urdf":
        from . import urdf

        return urdf.read(path, made)
    raise RobotError(f"{path}: expected URDF")
