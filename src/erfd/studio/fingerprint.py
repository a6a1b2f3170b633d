"""Fingerprints of a program, its robot and its set-up: a verdict is of exactly these."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ..cell.model import Cell
    from ..robot.model import Robot

MOST = 16
"""Cells whose digests are remembered."""
NOT_OF_IT = ("robot", "cell")
"""Settings that are names: what they name counts itself."""


def fingerprint(
    text: str, robot: Robot, cell: Cell | None, settings: Mapping[str, Any]
) -> dict[str, str]:
    """The digests of a program's text, of the robot where it stands, and of all else.

    Args:
        text: The program.
        robot: The robot, placed.
        cell: What stands around it, None if nothing does.
        settings: A `Setup` as a dict.
    """
    rest = {key: value for key, value in settings.items() if key not in NOT_OF_IT}
    surroundings = "" if cell is None or not cell.things else _of_cell(cell)
    return {
        "text": _digest(text),
        "robot": _of_robot(robot),
        "setup": _digest(_plain([rest, surroundings])),
    }


@lru_cache(maxsize=64)
def _of_robot(robot: Robot) -> str:
    return _digest(_plain(robot))


_CELLS: dict[int, tuple[Cell, str]] = {}


def _of_cell(cell: Cell) -> str:
    """The digest of the things of a cell, whose meshes may be large: worked out once."""
    known, digest = _CELLS.get(id(cell), (None, ""))
    if known is not cell:
        digest = _digest(_plain(cell.things))
        while len(_CELLS) >= MOST:
            del _CELLS[next(iter(_CELLS))]
        _CELLS[id(cell)] = cell, digest
    return digest


def _plain(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=_part)


def _part(value: Any) -> Any:
    """A part that JSON does not have: bytes of an array, fields that make data equal."""
    if isinstance(value, np.ndarray):
        return [value.shape, str(value.dtype), sha256(value.tobytes()).hexdigest()]
    if is_dataclass(value):
        return {f.name: getattr(value, f.name) for f in fields(value) if f.compare}
    if isinstance(value, Path):
        return str(value)
    return value.item() if isinstance(value, np.generic) else repr(value)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:32]
