"""Fingerprints of a program, its robot and its set-up: a verdict is of exactly these."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from ..ground.json_text import json_value

if TYPE_CHECKING:
    from ..cell.model import Cell
    from ..robot.model import Robot

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
    surroundings = None if cell is None or not cell.things else asdict(cell)["things"]
    return {
        "text": _digest(text),
        "robot": _digest(asdict(robot)),
        "setup": _digest([rest, surroundings]),
    }


def _digest(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(json_value(value), sort_keys=True)
    return sha256(text.encode()).hexdigest()[:32]
