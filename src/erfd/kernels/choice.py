"""Choose between machine code and CasADi for functions over rows (`row_function`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..robot.model import Robot
from .cache_key import content_of, sources_version
from .machine_code import header_of
from .row_function import RowFunction
from .settings import Setting
from .trace import MOST_JOINTS


def compiles(robot: Robot) -> bool:
    """Whether functions of this robot are compiled to machine code."""
    return Setting.backend != "numpy" and robot.n <= MOST_JOINTS


def choose_row_function(
    robot: Robot,
    key: tuple[Any, ...],
    make: Callable[[], Any],
    name: str,
    *,
    sources: tuple[str, ...],
    compiled: bool = True,
) -> Any:
    """The function over rows for this robot: a compiled `RowFunction`, or the CasADi function.

    `key` says what it depends on beside the robot; `make` traces it when that is needed; `sources`
    are the packages whose text it comes from, beside `dynamics` and `kernels`.
    """

    def make_compiled() -> RowFunction:
        parts = (key, content_of(robot), robot.drives, sources_version(*sources))
        return RowFunction.cached(parts, make, header_of(robot, name, "fast"))

    if compiled and compiles(robot):
        return robot.once((RowFunction, key), make_compiled)
    return robot.once((choose_row_function, key), make)
