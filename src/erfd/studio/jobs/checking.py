"""Check and format the text of a program in a worker: it may be as long and as odd as it likes."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import ErfdError
from .. import editor
from ..insertion import insert_move

if TYPE_CHECKING:
    from ...robot.model import Robot


def check_program(request: dict[str, Any], tell: Any) -> dict[str, Any]:
    """The mistakes of `text` for a robot, and the names in it."""
    del tell
    text = request["text"]
    return {"marks": editor.marks(text, _robot(request)), "names": editor.names(text)}


def format_program(request: dict[str, Any], tell: Any) -> dict[str, Any]:
    """The `text` as it is formatted."""
    del tell
    return {"text": editor.formatted(request["text"])}


def insert(request: dict[str, Any], tell: Any) -> dict[str, Any]:
    """The `text` with a `move` behind its `line`, and the line of the move."""
    del tell
    text, line = insert_move(request["text"], request["line"], request["move"])
    return {"text": text, "line": line}


def _robot(request: dict[str, Any]) -> Robot | None:
    """The robot of a request; None if it cannot be read."""
    name = request.get("robot_file") or request["robot"]
    file = Path(name)
    stamp = file.stat().st_mtime_ns if request.get("robot_file") and file.exists() else 0
    try:
        return _loaded(name, stamp)
    except ErfdError:
        return None


@lru_cache(maxsize=16)
def _loaded(name: str, stamp: int) -> Robot:
    from ...robot.library import load

    del stamp
    return load(name)
