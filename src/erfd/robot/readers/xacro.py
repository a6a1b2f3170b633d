"""Expand xacro files, macros that make URDF, by the package xacro."""

from __future__ import annotations

from pathlib import Path

from ...errors import RobotError
from ...ground.optional import import_optional
from .arm import ArmChoice


def expanded(path: Path, choice: ArmChoice) -> bytes:
    """The URDF that a xacro file makes, all of its arguments at their defaults.

    `$(find NAME)` is looked for where xacro looks for it: among the packages of ROS.

    Raises:
        RobotError: xacro refuses it, or it comes from a stranger: xacro runs what it says.
        MissingDependencyError: The package xacro is not installed.
    """
    if choice.within is not None:
        raise RobotError(f"{path.name}: expected URDF; a xacro file is a program: expand it first")
    if not path.is_file():
        raise RobotError(f"{path}: no such file")
    xacro = import_optional("xacro", f"{path.name}: reading xacro", "xacro")
    try:
        return bytes(xacro.process_file(str(path)).toxml(), "utf-8")
    except SystemExit:
        raise RobotError(f"{path.name}: xacro cannot expand it") from None
    except Exception as error:  # xacro has many kinds of errors
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        raise RobotError(f"{path.name}: xacro cannot expand it: {reason}") from None
