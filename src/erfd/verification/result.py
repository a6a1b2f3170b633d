"""`Verification`: the result of a program on a robot, move by move, with its verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ground.arrays import Array
from ..lirl.syntax import Program
from ..planning.motion_files.reading import MotionReading
from ..planning.moves import Step
from ..planning.plan import Plan, PlannedMove
from ..report.wording.texts import Words
from ..report.wording.verdict import Facts, not_checked_text, run_facts, verdict
from ..robot.model import Robot
from ..robot.payload import Payload
from ..run.events import Event
from ..run.run import Run
from .continuous import ContinuousLoad

if TYPE_CHECKING:
    from ..cell.contact import Contact
    from ..cell.model import Cell
    from ..cell.motion_clearance import Approach, MotionClearance


@dataclass(frozen=True, slots=True, eq=False)
class MoveReport:
    """The result of one move: how much of every motor it takes, and how far the tool strays.

    `torque` and `speed` are the peaks of every motor as parts of its limits, `acceleration` those
    of the programmed joint accelerations, (n,); `distance` in m and `angle` in rad between the
    achieved and the programmed tool. NaN where there is no limit to compare with, and throughout
    where nothing was computed: the arm ran away before, or nothing moves. `events` are those that
    last over some of it, wherever they are worst.
    """

    move: PlannedMove
    torque: Array
    speed: Array
    acceleration: Array
    distance: float
    angle: float
    events: tuple[Event, ...]


def hardest(parts: Array) -> tuple[int, float] | None:
    """The motor or joint (from 0) with the largest part of its limit, and that part.

    Args:
        parts: Parts of limits, (n,), NaN where there is nothing to compare with.

    Returns:
        None if there is nothing to compare with anywhere.
    """
    if np.isnan(parts).all():
        return None
    worst = int(np.nanargmax(parts))
    return worst, float(parts[worst])


USUAL_READING = {"policy": "consistent", "follow": "velocity", "torque_path": "virtual-work"}
"""How Algorithm 1 is read unless told otherwise."""


@dataclass(frozen=True, slots=True, eq=False)
class Verification:
    """The result of a program on a robot; `clearance` is None without a cell.

    `plan` is the given motion, `run` the achieved one (shorter if the arm runs away), `warnings`
    are (line, sentence), line 0 if it is about none, `wrench` in N and N m, `steps` are what the
    program asked of the planner. `not_checked` says in sentences what could not be looked at,
    which fails if `strict`; `continuous` is the load of endless repetition, `planning` the options
    of the planner, `reading` those of Algorithm 1: policy, follow, torque_path. Of a motion without
    a program (`verify_motion`) `motion` is what was read; its lines are all 0.
    """

    robot: Robot
    text: str
    name: str
    plan: Plan
    run: Run
    moves: tuple[MoveReport, ...]
    warnings: tuple[tuple[int, str], ...]
    wrench: tuple[float, ...] | None = None
    clearance: MotionClearance | None = None
    contacts: tuple[Contact, ...] = ()
    program: Program | None = None
    steps: tuple[Step, ...] = ()
    cell: Cell | None = None
    not_checked: tuple[str, ...] = ()
    continuous: ContinuousLoad | None = None
    strict: bool = False
    planning: Mapping[str, Any] = field(default_factory=dict)
    reading: Mapping[str, str] = field(default_factory=lambda: dict(USUAL_READING))
    motion: MotionReading | None = None

    @property
    def feasible(self) -> bool:
        """Whether the robot does what the program says, for ever, without touching the cell.

        Strictly: within the joints' acceleration limits, too, and with nothing left unchecked.
        """
        return self.lasts_feasibly and not (self.strict and self.not_checked)

    @property
    def lasts_feasibly(self) -> bool:
        """Whether it does so for ever, whatever could not be looked at."""
        return self.moves_feasibly and not (self.continuous and self.continuous.failures)

    @property
    def moves_feasibly(self) -> bool:
        """Whether it does so once, whatever could not be looked at."""
        return not self.plan.failures and self.run.feasible and not self.contacts

    @property
    def seconds(self) -> float:
        """The duration of the program, s."""
        return self.plan.duration

    @property
    def payloads(self) -> tuple[Payload | None, ...]:
        """The payload at every point, None where there is none."""
        return self.plan.payloads

    @property
    def what(self) -> str:
        """What was verified: a "program" or a "motion"."""
        return "program" if self.motion is None else "motion"

    @property
    def verdict(self) -> str:
        """Whether it is feasible, and why not, in one sentence."""
        return verdict(Words(), self.facts)

    @property
    def reading_line(self) -> str:
        """How Algorithm 1 was read, in one sentence; empty if as usual."""
        changed = {k: v for k, v in self.reading.items() if v != USUAL_READING[k]}
        if not changed:
            return ""
        listed = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in changed.items())
        usual = "" if changed.keys() == {"torque_path"} else "; trials of the advice are consistent"
        return f"Algorithm 1 with {listed}{usual}"

    @property
    def not_checked_line(self) -> str:
        """What the verdict does not cover, in one line; empty if there is nothing to say."""
        return not_checked_text(Words(), self.not_checked)

    @property
    def facts(self) -> Facts:
        """What the verdict is made of."""
        failures = [(failure.line, failure.sentence) for failure in self.plan.failures]
        loads = () if self.continuous is None else tuple(map(str, self.continuous.failures))
        return replace(
            run_facts(self.run), feasible=self.feasible, seconds=self.seconds, program=self.name,
            failures=failures, contacts=self.contacts, line_at=self.line_at, loads=loads,
            not_checked=self.not_checked, strict=self.strict,
        )  # fmt: skip

    def __repr__(self) -> str:
        what = f"{self.name!r} on {self.robot.name!r}, {self.seconds:.2f} s"
        lines = ", ".join(map(str, self.bad_lines[:10])) + ", ..." * (len(self.bad_lines) > 10)
        where = f": line{'s' * (len(self.bad_lines) > 1)} {lines}" if any(self.bad_lines) else ""
        return f"Verification({what}, {'feasible' if self.feasible else f'not feasible{where}'})"

    def _repr_html_(self) -> str:
        from .report_page import in_notebook

        return in_notebook(self)

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
        return self.approaches[0] if self.approaches else None

    @property
    def approaches(self) -> list[dict[str, Any]]:
        """How near each link comes to each thing, as `nearest`; the nearest pair first."""
        return [] if self.clearance is None else [_plain(a) for a in self.clearance.approaches]

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
        """The lines with a failure or a collision."""
        if self.motion is not None:
            return ()
        lines = {f.line for f in self.plan.failures}
        for report in self.moves:
            if any(event.fails for event in report.events):
                lines.add(report.move.line)
        for contact in self.contacts:
            lines |= set(self.lines_of(contact))
        return tuple(sorted(lines))

    def lines_of(self, contact: Contact) -> tuple[int, ...]:
        """The program lines that run while a link is in contact, from 1.

        Args:
            contact: One of `contacts`.
        """
        first, last = np.searchsorted(self.run["t"], [contact.start, contact.end])
        return tuple(sorted(set(self.plan.lines[first : last + 1].tolist())))


def _plain(approach: Approach) -> dict[str, Any]:
    """How near a link comes to a thing, as data that JSON can hold."""
    return {
        "distance": approach.distance, "time": approach.time,
        "link": approach.link, "thing": approach.thing,
    }  # fmt: skip
