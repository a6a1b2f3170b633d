"""Compile Algorithm 1 early: LLVM works in threads while a program is read."""

from __future__ import annotations

from ..kernels.choice import compiles
from ..robot.model import Robot
from .compiled_loop import CycleLoop
from .record_kernel import record_function
from .symbols import CycleOptions


def precompile(robot: Robot, *, wrench: bool, payload: bool, follow: str = "velocity") -> None:
    """Start to compile the loop of Algorithm 1 and, to follow velocities, the record's function.

    What is on disk or in memory already costs next to nothing.
    """
    if not compiles(robot) or not robot.drives:
        return
    options = CycleOptions(follow=follow, wrench=wrench, payload=payload)
    CycleLoop.of(robot, options)
    if follow == "velocity":
        record_function(robot, options.path, wrench, payload)
