"""Verify a program on a robot: plan it, run Algorithm 1, and judge it move by move."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..achieve.achievable import achievable
from ..achieve.precompile import precompile
from ..errors import InputError
from ..ground.arrays import Array
from ..lirl import SignalSchedule, interpret
from ..lirl.analysis import carries
from ..lirl.checker.check import parse_and_check
from ..lirl.messages import Mistake, ProgramError
from ..planning.moves import Moment, Step, StepError
from ..planning.plan import Plan
from ..planning.planner import plan
from ..robot.model import Robot, Turning
from ..robot.payload import Payload
from ..robot.pose import Pose
from ..run.events import Event
from ..run.run import Run
from .checks import not_checked, parts_of_cycle, payload_suspicions, refined, roughness
from .continuous import ContinuousLoad, continuous_load
from .move_reports import move_reports
from .result import Verification

Tell = Callable[[float, str], None]
NEAR_LIMIT = 0.05
"""A joint this close to a position limit (rad, m) is worth a warning."""


def verify(
    text: str,
    robot: Robot,
    *,
    name: str = "the program",
    tool: Pose | None = None,
    wrench: ArrayLike | None = None,
    payload: Payload | None = None,
    dt: float | None = None,
    q0: ArrayLike | None = None,
    signals: SignalSchedule | None = None,
    cell: Any = None,
    turning: Turning | None = None,
    adapt: Literal["axes"] | None = None,
    pause: float = 0.0,
    strict: bool = False,
    tell: Tell = lambda part, what: None,
) -> Verification:
    """Verify an L-IRL program on a robot.

    Args:
        text: The program.
        robot: The arm, with a drive for every joint.
        name: The name of the program in the verdict.
        tool: A tool frame instead of the robot's own.
        wrench: Force (N), then moment (N m), that the end effector exerts on the environment at
            the tool point, base coordinates, throughout, (6,).
        payload: What the robot carries where the program says nothing else.
        dt: The step of the computation, 1e-5 to 0.1 s; left out, the cycle of the robot's
            controller. Steps of velocity take that cycle whatever dt is; a longer dt than the cycle
            is not used.
        q0: Joint positions at the start, (n,), rad (m); 0 or the limit next to it if left out.
        signals: The inputs that the program reads, over time.
        cell: The `Cell` around the robot, for collisions; its mount places the robot.
        turning: How the tool turns, "even" or "smooth", whatever program and robot say.
        adapt: "axes": paths are run slower where an axis would be too fast, as the planner does it.
        pause: The time between two repetitions of the program, s, for the continuous load.
        strict: Whether joint accelerations beyond their limits, and what could not be checked, make
            the program infeasible.
        tell: Called with the part that is done (0 to 1) and a word for what is being done.

    Returns:
        The `Verification`: verdict, plan, run, moves, warnings, clearance, what was not checked.

    Raises:
        ProgramError: The program has mistakes, or a line cannot be planned.
        InputError: Another argument does not fit.

    >>> import erfd
    >>> text = 'program p; seq move ptp joint(mainjoint(10)); endseq endprogram'
    >>> erfd.verify(text, erfd.load("lola15")).feasible
    True
    """
    if tool is not None:
        robot = replace(robot, tool=tool)
    if cell is not None:
        robot = cell.placed(robot)
    tool_wrench = None if wrench is None else _wrench(wrench)
    parts, coarse = parts_of_cycle(robot, dt)
    tell(0.0, "reading")
    program, mistakes = parse_and_check(text, robot)
    tell(0.1, "planning")
    loaded = payload is not None or carries(program)
    precompile(robot, wrench=tool_wrench is not None, payload=loaded)
    steps = interpret(program, robot, signals=signals)
    planned_steps: list[Step] = []

    def note_step(step: Step) -> Step:
        planned_steps.append(step)
        return step

    planning: dict[str, Any] = {"turning": turning, "adapt": adapt}
    try:
        planned = plan(robot, map_steps(steps, note_step), q0=q0, payload=payload, **planning)
    except StepError as error:
        raise ProgramError([_mistake(error, text)], text) from None
    planned = refined(planned, parts)
    tell(0.4, "running")
    run = achievable(robot, planned.trajectory, wrench=tool_wrench, payload=list(planned.payloads))
    run = replace(run, events=tuple(_placed(event, run, planned, strict) for event in run.events))
    load = continuous_load(run, pause)
    tell(0.7, "looking")
    near = None
    if cell is not None:
        from ..cell.motion_clearance import motion_clearance

        near = motion_clearance(
            robot, cell, run["t"], run["q"],
            progress=lambda part: tell(0.7 + 0.3 * part, "clearance"),
        )  # fmt: skip
    said = [(m.line, m.sentence) for m in mistakes if m.severity == "warning"]
    said += [(0, coarse)] if coarse else []
    return Verification(
        robot, text, name, planned, run, move_reports(planned, run),
        tuple(sorted({*said, *_warnings(robot, planned, run, load)})),
        None if tool_wrench is None else tuple(tool_wrench.tolist()),
        near, () if near is None else near.contacts, program=program,
        steps=tuple(planned_steps), cell=cell, continuous=load, strict=strict,
        not_checked=(*not_checked(robot, cell), *load.not_checked), planning=planning,
    )  # fmt: skip


def map_steps(
    steps: Generator[Step, Moment | None, None], change: Callable[[Step], Step]
) -> Generator[Step, Moment | None, None]:
    """Change every step on its way to the planner; its answers go back to the program."""
    answer: Moment | None = None
    while True:
        try:
            step = steps.send(answer)
        except StopIteration:
            return
        answer = yield change(step)


def _placed(event: Event, run: Run, planned: Plan, strict: bool) -> Event:
    """An event with the line of its worst moment; strictly it is a failure whatever it is."""
    moment = event.start if event.at is None else event.at
    row = min(int(np.searchsorted(run["t"], moment - 1e-9)), len(run) - 1)
    severity = "failure" if strict else event.severity
    return replace(event, line=int(planned.lines[row]), severity=severity)


def _mistake(error: StepError, text: str) -> Mistake:
    """A line that cannot be planned, as a mistake of the program."""
    line = text.split("\n")[error.line - 1]
    start = len(line) - len(line.lstrip())
    return Mistake(error.line, start + 1, error.sentence, width=len(line.strip()))


def _wrench(value: ArrayLike) -> Array:
    """Check a wrench (6,)."""
    array = np.asarray(value, dtype=np.float64)
    if array.shape != (6,):
        raise InputError(f"wrench: expected six numbers, found the shape {array.shape}")
    if not np.isfinite(array).all():
        raise InputError(f"wrench: expected finite numbers, found {array.tolist()}")
    return array


def _warnings(
    robot: Robot, planned: Plan, run: Run, load: ContinuousLoad
) -> Iterable[tuple[int, str]]:
    """The warnings on the motion, each (line, sentence); line 0: on the whole program."""
    yield from ((note.line, note.sentence) for note in planned.notes)
    yield from roughness(planned)
    yield from payload_suspicions(robot, planned)
    yield from ((0, str(row)) for row in load.warnings)
    q = run["q"]
    for i, joint in enumerate(robot.joints):
        for name, room in (
            ("lower", q[:, i] - joint.position_min), ("upper", joint.position_max - q[:, i]),
        ):  # fmt: skip
            k = int(room.argmin())
            if room[k] < NEAR_LIMIT:
                size = np.degrees(room[k]) if joint.revolute else 1e3 * room[k]
                left = f"{abs(size):.1f} {'deg' if joint.revolute else 'mm'}"
                # Algorithm 1 meets a limit with a rounding error, which is no way beyond it
                phrase = f"goes {left} beyond" if round(size, 1) < 0 else f"comes within {left} of"
                yield int(planned.lines[k]), f"joint {i + 1} {phrase} its {name} limit"
