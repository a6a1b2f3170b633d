"""Who computes Algorithm 1 and what belongs to it: machine code, or CasADi."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..kernels.kernel import Setting, content_of, sources_version
from ..kernels.mapped import Mapped
from ..kernels.trace import LONGEST
from ..robot.model import Robot


def compiles(robot: Robot) -> bool:
    """Whether machine code is to be used for this robot."""
    return Setting.backend != "numpy" and robot.n <= LONGEST


def served(
    robot: Robot, key: tuple[Any, ...], make: Callable[[], Any], name: str, *, compiled: bool = True
) -> Any:
    """A function over rows for this robot: compiled (`Mapped`), else as CasADi has it.

    `key` says what it depends on beside the robot; `make` traces it when that is needed.
    """
    compiled = compiled and compiles(robot)
    place = (*key, compiled)
    if place not in robot.memo:
        if compiled:
            version = sources_version("simulation")
            parts = (key, content_of(robot), robot.drives, version)
            label = {"robot": robot.name, "n": robot.n, "quantity": name, "method": "fast"}
            robot.memo[place] = Mapped.kept(parts, make, label)
        else:
            robot.memo[place] = make()
    return robot.memo[place]
