"""What Algorithm 1 will need, begun early: LLVM works in threads while a program is read."""

from __future__ import annotations

from ..robot.model import Robot
from .achieve_choice import compiles
from .compiled import Loop
from .cycle import Variety
from .ledger import ledger_of


def begin(robot: Robot, *, wrench: bool, payload: bool, follow: str = "velocity") -> None:
    """Begin to compile the loop of Algorithm 1 and, to follow velocities, its record.

    What is on disk or in memory already costs next to nothing.
    """
    if not compiles(robot) or not robot.drives:
        return
    variety = Variety(follow=follow, wrench=wrench, payload=payload)
    Loop.of(robot, variety)
    if follow == "velocity":
        ledger_of(robot, variety.path, wrench, payload)
