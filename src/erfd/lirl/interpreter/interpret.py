"""Run a program: its moves, pauses and signals, one by one as the planner asks for them."""

from __future__ import annotations

from collections.abc import Collection

from ...robot.model import Robot
from .. import syntax as tree
from ..signal_schedule import SignalSchedule
from .budget import Budget
from .inputs import InputSignals
from .move_steps import Machine
from .program_run import Interpreter, Steps


def interpret(
    program: tree.Program,
    robot: Robot | None = None,
    *,
    robot_name: str | None = None,
    n: int | None = None,
    prismatic: Collection[int] = (),
    signals: SignalSchedule | None = None,
    steps: int = 1_000_000,
    seconds: float = 10.0,
    moves: int = 10_000,
) -> Steps:
    """Run a program step by step.

    Args:
        program: what `parse` has read.
        robot: the robot that it runs on: its name is checked against `act_rob`, its number of axes
            against joint targets; axes that slide are in mm in the program, others in degrees.
        robot_name: without `robot`: its name; None: not checked.
        n: without `robot`: its number of axes; None: not checked.
        prismatic: without `robot`: the numbers of its axes that slide, from 1.
        signals: when the input signals change; None: they keep their first values.
        steps: statements that it may take.
        seconds: computing time (s) that it may take, the consumer's time not counted.
        moves: steps for the planner that it may give.

    Returns:
        A generator of steps for `erfd.plan`, in SI units and radians. A `ReadTime` has to be
        answered with a `Moment`, by `send`.

    Raises:
        InputError: if the signals do not fit the program.
        ProgramError: from the generator, for what goes wrong at run time, with line and column.

    >>> from erfd.lirl import parse
    >>> program = parse("program p; seq wait 0.5 sec; move ptp mainjoint(90, 0); endseq")
    >>> [type(step).__name__ for step in interpret(program)]
    ['Pause', 'Move']
    """
    known = Machine(robot_name, n, frozenset(prismatic)) if robot is None else Machine.of(robot)
    budget = Budget(program.at, steps, seconds, moves)
    inputs = InputSignals(program, SignalSchedule() if signals is None else signals)
    return Interpreter(program, known, inputs, budget).run()
