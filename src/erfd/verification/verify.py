"""Verify a program on a robot: plan it, run Algorithm 1, and judge it move by move."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..achieve.achievable import achievable
from ..achieve.precompile import precompile
from ..cell.contact import in_order
from ..cell.motion_contacts import own_contacts
from ..cell.reader import CellLike, cell_of
from ..errors import InputError
from ..ground.arguments import flag_of, instance_of, number_of, text_of
from ..ground.arrays import Array, as_numbers
from ..ground.examples import is_example, program_path
from ..lirl import SignalSchedule, interpret, read_signal_schedule
from ..lirl.analysis import carries
from ..lirl.checker.check import parse_and_check
from ..lirl.messages import Mistake, ProgramError
from ..lirl.program_file import read_program
from ..planning.moves import Moment, Step, StepError
from ..planning.plan import Plan
from ..planning.planner import plan
from ..robot.library import RobotLike, robot_of
from ..robot.model import Robot, Turning
from ..robot.payload import PayloadLike, payload_of
from ..robot.pose import Pose
from ..run.events import Event
from ..run.run import Run
from .checks import not_checked, parts_of_cycle, payload_suspicions, refined, roughness
from .continuous import ContinuousLoad, continuous_load
from .move_reports import move_reports
from .result import USUAL_READING, Verification

if TYPE_CHECKING:
    from ..cell.model import Cell

Tell = Callable[[float, str], None]
NEAR_LIMIT = 0.05
"""A joint this close to a position limit (rad, m) is worth a warning."""


def verify(
    text: str | Path,
    robot: RobotLike,
    *,
    name: str = "",
    tool: Pose | None = None,
    wrench: ArrayLike | None = None,
    payload: PayloadLike | None = None,
    dt: float | None = None,
    q0: ArrayLike | None = None,
    signals: SignalSchedule | str | Path | None = None,
    cell: CellLike | None = None,
    turning: Turning | None = None,
    adapt: Literal["axes"] | None = None,
    policy: str = "consistent",
    follow: str = "velocity",
    torque_path: str = "virtual-work",
    pause: float = 0.0,
    strict: bool = False,
    tell: Tell = lambda part, what: None,
) -> Verification:
    """Verify an L-IRL program on a robot.

    Args:
        text: The program, or the path of its file (a `Path`, or a name that ends in `.irl`).
        robot: The arm, with a drive for every joint.
        name: The name of the program in the verdict; left out, that of its file.
        tool: A tool frame instead of the robot's own.
        wrench: Force (N), then moment (N m), that the end effector exerts on the environment at
            the tool point, base coordinates, throughout, (6,).
        payload: What the robot carries where the program says nothing else: a `Payload`, or kg at
            the tool point.
        dt: The step of the computation, 1e-5 to 0.1 s; left out, the cycle of the robot's
            controller. Steps of velocity take that cycle whatever dt is; a longer dt than the cycle
            is not used.
        q0: Joint positions at the start, (n,), rad (m); 0 or the limit next to it if left out.
        signals: The inputs that the program reads, over time: a `SignalSchedule`, or its file.
        cell: What stands around the robot, for collisions: a `Cell`, or its file; its mount places
            the robot.
        turning: How the tool turns, "even" or "smooth", whatever program and robot say.
        adapt: "axes": paths are run slower where an axis would be too fast, as the planner does it.
        policy: How Algorithm 1 shares a shortage of torque, "consistent" or "printed" (erratum 8).
        follow: What the arm follows after a shortfall, the programmed "velocity" or "position".
        torque_path: How joint torques come to the rotors, "virtual-work" or "diagonal".
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
    robot, payload = robot_of(robot), payload_of(payload)
    text, name = _program(text, name)
    strict, pause = flag_of("strict", strict), number_of("pause", pause, "a time >= 0 s")
    if isinstance(signals, str | Path):
        signals = read_signal_schedule(signals)
    if tool is not None:
        robot = replace(robot, tool=instance_of("tool", tool, Pose))
    if cell is not None:
        cell = cell_of(cell)
        robot = cell.placed(robot)
    tool_wrench = None if wrench is None else wrench_of(wrench)
    parts, coarse = parts_of_cycle(robot, dt)
    tell(0.0, "reading")
    program, mistakes = parse_and_check(text, robot)
    tell(0.1, "planning")
    loaded = payload is not None or carries(program)
    reading = {"policy": policy, "follow": follow, "torque_path": torque_path}
    if reading == USUAL_READING:
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
    said = [(m.line, m.sentence) for m in mistakes if m.severity == "warning"]
    said += [(0, coarse)] if coarse else []
    return judged(
        robot, refined(planned, parts), name, tool_wrench, cell, reading, pause, strict, tell, said,
        text=text, program=program, steps=tuple(planned_steps), planning=planning,
    )  # fmt: skip


def judged(
    robot: Robot, planned: Plan, name: str, tool_wrench: Array | None, cell: Cell | None,
    reading: Mapping[str, str], pause: float, strict: bool, tell: Tell,
    said: Iterable[tuple[int, str]], **source: Any,
) -> Verification:  # fmt: skip
    """Run Algorithm 1 on a given motion and judge it; `source` is what it comes from.

    Args:
        robot: The arm, placed in its cell.
        planned: The given motion: the plan of a program, or a recording as one.
        name: What it is called in the verdict.
        tool_wrench: Force and moment of the tool throughout, (6,), N and N m.
        cell: What stands around it.
        reading: How Algorithm 1 is read.
        pause: Between two rounds, s.
        strict: Whether what was not checked counts.
        tell: Of progress.
        said: Warnings (line, sentence) that are known by now.
        source: The fields of `Verification` that say where the motion comes from.
    """
    tell(0.4, "running")
    payloads = list(planned.payloads)
    run = achievable(robot, planned.trajectory, wrench=tool_wrench, payload=payloads, **reading)
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
    contacts = in_order(
        (*(near.contacts if near else ()), *own_contacts(robot, run["t"], run["q"]))
    )
    text = source.pop("text", "")
    return Verification(
        robot, text, name, planned, run, move_reports(planned, run),
        tuple(sorted({*said, *_warnings(robot, planned, run, load)})),
        None if tool_wrench is None else tuple(tool_wrench.tolist()),
        near, contacts, cell=cell, continuous=load, strict=strict,
        not_checked=(*not_checked(robot, cell), *load.not_checked), reading=reading, **source,
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


def is_path(text: str | Path) -> bool:
    """Whether what is given for a program is the path of its file, or the name of an example."""
    if isinstance(text, str):
        return text.endswith(".irl") or is_example(text)
    return isinstance(text, Path)


def _program(text: str | Path, name: str) -> tuple[str, str]:
    """The text of a program, from its file if that is given, and its name."""
    if is_path(text):
        path = program_path(text)
        return read_program(path), name or path.stem
    return text_of("text", text), text_of("name", name) or "the program"


def wrench_of(value: ArrayLike) -> Array:
    """Check a wrench (6,)."""
    array = as_numbers("wrench", value)
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
