"""What Algorithm 1 will need, begun early: LLVM works in threads while a program is read."""

from __future__ import annotations

from ..kernels.choice import compiles
from ..robot.model import Robot
from .compiled_loop import CycleLoop
from .cycle import CycleOptions
from .record_kernel import ledger_of


def begin(robot: Robot, *, wrench: bool, payload: bool, follow: str = "velocity") -> None:
    """Begin to compile the loop of Algorithm 1 and, to follow velocities, its record.

    What is on disk or in memory already costs next to nothing.
    """
    if not compiles(robot) or not robot.drives:
        return
    variety = CycleOptions(follow=follow, wrench=wrench, payload=payload)
    CycleLoop.of(robot, variety)
    if follow == "velocity":
        ledger_of(robot, variety.path, wrench, payload)
