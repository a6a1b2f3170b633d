"""Verify a program on a robot: plan it, run Algorithm 1, and judge it move by move."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

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
from ..lirl.syntax import Program
from ..planning.moves import Moment, Step, StepError
from ..planning.plan import Plan, PlannedMove
from ..planning.planner import plan
from ..report.wording.texts import Words
from ..report.wording.verdict import Facts, run_facts, verdict
from ..robot.model import Robot
from ..robot.payload import Payload
from ..robot.pose import Pose
from ..run.events import Event
from ..run.run import Run

if TYPE_CHECKING:
    from ..cell.clearance import Clearance, Contact
    from ..cell.model import Cell

Tell = Callable[[float, str], None]
NEAR_LIMIT = 0.05
"""A joint this close to a position limit (rad, m) is worth a warning."""


@dataclass(frozen=True, slots=True, eq=False)
class MoveReport:
    """The result of one move: how much of every motor it takes, and how far the tool strays.

    `torque` and `speed` are the peaks of every motor as parts of its limits, (n,); `distance` in m
    and `angle` in rad between the achieved and the programmed tool.
    """

    move: PlannedMove
    torque: Array
    speed: Array
    distance: float
    angle: float
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Verification:
    """The result of a program on a robot; `clearance` is None without a cell.

    `plan` is the given motion, `run` the achieved one, `warnings` are (line, sentence), `wrench` in
    N and N m, `steps` are what the program asked of the planner.
    """

    robot: Robot
    text: str
    name: str
    plan: Plan
    run: Run
    moves: tuple[MoveReport, ...]
    warnings: tuple[tuple[int, str], ...]
    wrench: tuple[float, ...] | None = None
    clearance: Clearance | None = None
    contacts: tuple[Contact, ...] = ()
    program: Program | None = None
    steps: tuple[Step, ...] = ()
    cell: Cell | None = None

    @property
    def feasible(self) -> bool:
        """Whether the robot does what the program says, without touching the cell."""
        return not self.plan.failures and self.run.feasible and not self.contacts

    @property
    def seconds(self) -> float:
        """The duration of the program, s."""
        return float(self.run["t"][-1] - self.run["t"][0])

    @property
    def payloads(self) -> tuple[Payload | None, ...]:
        """The payload at every point, None where there is none."""
        return self.plan.payloads

    @property
    def verdict(self) -> str:
        """Whether it is feasible, and why not, in one sentence."""
        return verdict(Words(), self.facts)

    @property
    def facts(self) -> Facts:
        """What the verdict is made of."""
        failures = [(failure.line, failure.sentence) for failure in self.plan.failures]
        return replace(
            run_facts(self.run), feasible=self.feasible, program=self.name, failures=failures,
            contacts=self.contacts, line_at=self.line_at,
        )  # fmt: skip

    def line_at(self, time: float) -> int:
        """The program line that runs at a time.

        Args:
            time: The time, s.

        Returns:
            The number of the line, from 1.
        """
        t = self.run["t"]
        k = min(int(np.searchsorted(t, time + 1e-9, side="right")), len(t) - 1)
        return int(self.plan.lines[k])

    @property
    def nearest(self) -> dict[str, Any] | None:
        """The smallest `distance` to the cell in m, its `time` in s, `link`, `thing`, if any."""
        clearance = self.clearance
        if clearance is None or not np.isfinite(clearance.smallest):
            return None
        k = int(clearance.distances.argmin())
        link, thing = clearance.pairs[k]
        return {
            "distance": clearance.smallest, "time": float(self.run["t"][k]),
            "link": clearance.links[link], "thing": clearance.things[thing],
        }  # fmt: skip

    @property
    def smallest_clearance(self) -> str:
        """The smallest distance to the cell, where and when; empty without a cell."""
        at = self.nearest
        if at is None:
            return ""
        where = f"between {at['link']} and {at['thing']} at {at['time']:.2f} s"
        return f"{1000 * at['distance']:.1f} mm {where}"

    @property
    def bad_lines(self) -> tuple[int, ...]:
        """The lines with an event, a failure or a collision."""
        lines = {f.line for f in self.plan.failures}
        lines |= {report.move.line for report in self.moves if report.events}
        for contact in self.contacts:
            first, last = np.searchsorted(self.run["t"], [contact.start, contact.end])
            lines |= set(self.plan.lines[first : last + 1].tolist())
        return tuple(sorted(lines))


def verify(
    text: str,
    robot: Robot,
    *,
    name: str = "the program",
    tool: Pose | None = None,
    wrench: ArrayLike | None = None,
    payload: Payload | None = None,
    dt: float = 0.01,
    q0: ArrayLike | None = None,
    signals: SignalSchedule | None = None,
    cell: Any = None,
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
        dt: The cycle time, s.
        q0: Joint positions at the start, (n,), rad (m); 0 or the limit next to it if left out.
        signals: The inputs that the program reads, over time.
        cell: The `Cell` around the robot, for collisions; its mount places the robot.
        tell: Called with the part that is done (0 to 1) and a word for what is being done.

    Returns:
        The `Verification`: verdict, plan, run, moves, warnings, clearance.

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
    for what, frame in (("tool", robot.tool), ("mount", robot.mount)):
        if not np.isfinite((*frame.xyz, *frame.rpy)).all():
            raise InputError(f"{what}: expected finite numbers, found {frame.xyz}, {frame.rpy}")
    tool_wrench = None if wrench is None else _wrench(wrench)
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

    try:
        planned = plan(robot, map_steps(steps, note_step), dt, q0=q0, payload=payload)
    except StepError as error:
        raise ProgramError([_mistake(error, text)], text) from None
    tell(0.4, "running")
    run = achievable(robot, planned.trajectory, wrench=tool_wrench, payload=list(planned.payloads))
    tell(0.7, "looking")
    near = None
    if cell is not None:
        from ..cell.clearance import clearance

        near = clearance(
            robot, cell, run["q"], progress=lambda part: tell(0.7 + 0.3 * part, "clearance")
        )
    return Verification(
        robot, text, name, planned, run, _reports(planned, run),
        _warnings(robot, planned, run, mistakes),
        None if tool_wrench is None else tuple(tool_wrench.tolist()),
        near, () if near is None else near.contacts(run["t"]), program=program,
        steps=tuple(planned_steps), cell=cell,
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


def _reports(planned: Plan, run: Run) -> tuple[MoveReport, ...]:
    """The report of every move."""
    drives = run.robot.drives
    fastest = np.array([drive.speed_max for drive in drives])
    torque = np.abs(run["u_a"]) / np.where(run["u_a_max"] > 0, run["u_a_max"], np.inf)
    speed = np.abs(run["qd_a"]) / fastest
    t = run["t"]
    starts = np.searchsorted(planned.move, np.arange(len(planned.moves) + 1))
    reports = []
    for k, move in enumerate(planned.moves):
        rows = slice(int(starts[k]), int(starts[k + 1]))
        if rows.start == rows.stop:  # nothing moved
            still = np.zeros(len(drives))
            reports.append(MoveReport(move, still, still, 0.0, 0.0, ()))
            continue
        begin, end = t[max(rows.start - 1, 0)], t[rows.stop - 1]
        events = [e for e in run.events if e.start < end - 1e-9 and e.end > begin + 1e-9]
        deviation = run["deviation"][rows].max(axis=0)
        reports.append(
            MoveReport(
                move,
                torque[rows].max(axis=0),
                speed[rows].max(axis=0),
                float(deviation[0]),
                float(deviation[1]),
                tuple(events),
            )
        )
    return tuple(reports)


def _warnings(
    robot: Robot, planned: Plan, run: Run, mistakes: Sequence[Mistake]
) -> tuple[tuple[int, str], ...]:
    """The warnings, each (line, sentence)."""
    warnings = [(m.line, m.sentence) for m in mistakes if m.severity == "warning"]
    warnings += [(note.line, note.sentence) for note in planned.notes]
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
                sentence = f"joint {i + 1} {phrase} its {name} limit"
                warnings.append((int(planned.lines[k]), sentence))
    return tuple(sorted(set(warnings)))
