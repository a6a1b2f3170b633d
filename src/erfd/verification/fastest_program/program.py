"""How fast could a program be? Its motion as fast as the motors allow, and its text for that."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ...ground.arguments import number_of
from ...robot.library import RobotLike
from ...timing.cells import Bounds
from ...timing.fastest import timed_path
from ...timing.solve import NoSpeedError
from ...timing.timing import Timing
from ..continuous import ContinuousLoad, continuous_load
from ..result import Verification
from ..verify import Tell, verify
from .rewriting import Rewriting

if TYPE_CHECKING:
    from ...cell.contact import Contact


@dataclass(frozen=True, slots=True, eq=False)
class FastestProgram:
    """The fastest motion along a program's path, between the program before and after.

    `before` is the program as it was; `timing` the fastest motion along its path, `load` that
    motion's load if it is repeated without end. `text` is the program rewritten, empty if no values
    make it possible, and `after` its verification. `contacts`: where the motion touches the cell.
    """

    before: Verification
    timing: Timing
    load: ContinuousLoad
    text: str
    after: Verification | None
    contacts: tuple[Contact, ...] = ()

    @property
    def feasible(self) -> bool:
        """Whether the fastest motion is within the continuous load, and touches nothing.

        Strictly: with nothing left unchecked, too.
        """
        unseen = self.before.strict and self.before.not_checked
        return not (self.load.failures or self.contacts or unseen)

    @property
    def sentences(self) -> list[str]:
        """What came out, in sentences."""
        before = "can be done" if self.before.feasible else "cannot be done"
        given = "as programmed" if self.before.motion is None else "as given"
        found = [
            f"{given} it takes {self.before.seconds:.4g} s, which {before}",
            f"the same path takes {self.timing.seconds:.4g} s at least",
            *self.timing.explain()[1:],
            *(f"{contact}: at any speed" for contact in self.contacts),
            *(f"repeated without end: {row}" for row in self.load.failures),
        ]
        if self.before.motion is not None:
            ends = self.before.plan.trajectory.qd[[0, -1]]
            if ends.any():
                found.append("the fastest motion begins and ends at rest, the given one does not")
        elif self.after is None:
            found.append("no speeds and accelerations were found that make the program possible")
        else:
            seconds = self.after.seconds
            found.append(
                f"rewritten, the program takes {seconds:.4g} s with the planner's own ramps"
            )
            if [m.line for m in self.after.plan.moves] != [m.line for m in self.before.plan.moves]:
                found.append("at other speeds it takes other moves: it reads the time or signals")
        if self.before.not_checked:
            found.append(self.before.not_checked_line)
        return found


def fastest_program(
    text: str | Path,
    robot: RobotLike,
    *,
    keep_speeds: bool = False,
    margin: float = 0.0,
    tell: Tell = lambda part, what: None,
    **options: Any,
) -> FastestProgram:
    """The fastest motion along the path of a program, and the program rewritten to come near it.

    Args:
        text: An L-IRL program, or the path of its file.
        robot: The arm.
        keep_speeds: The motion is nowhere faster than programmed.
        margin: This part of every torque is kept in reserve.
        tell: Called with the part that is done (0 to 1) and a word for what is being done.
        options: Those of `verify`.

    Returns:
        A `FastestProgram`: the program before, the timing, the program after.

    Raises:
        ProgramError: The program has mistakes.
        NoSpeedError: The path cannot be done at any speed; which motor lacks how much is said.
        InputError: An argument does not fit.
    """
    if not 0 <= number_of("margin", margin, "a part from 0 to below 1") < 1:
        raise InputError(f"margin: expected a part from 0 to below 1, found {margin:g}")
    before = verify(text, robot, tell=lambda part, what: tell(0.2 * part, what), **options)
    if before.plan.failures:
        failure = before.plan.failures[0]
        raise NoSpeedError(failure.sentence, 0.0, f"line {failure.line}")
    tell(0.2, "fastest")
    timing = _timed(before, margin, keep_speeds)
    load = continuous_load(timing.run, float(options.get("pause", 0.0)))
    contacts = _contacts(before, timing)
    job = Rewriting(robot, before, timing, margin, keep_speeds, options)
    made, after = job.done(lambda part, what: tell(0.3 + 0.6 * part, what))
    return FastestProgram(before, timing, load, made, after, contacts)


def fastest_motion(
    before: Verification,
    *,
    keep_speeds: bool = False,
    margin: float = 0.0,
    tell: Tell = lambda part, what: None,
) -> FastestProgram:
    """How fast the path of a motion could be done, from rest to rest.

    Args:
        before: The verification of the motion.
        keep_speeds: The motion is nowhere faster than it is.
        margin: This part of every torque is kept in reserve.
        tell: Called with the part that is done (0 to 1) and a word for what is being done.

    Raises:
        NoSpeedError: The path cannot be done at any speed; which motor lacks how much is said.
    """
    tell(0.2, "fastest")
    timing = _timed(before, margin, keep_speeds)
    pause = 0.0 if before.continuous is None else before.continuous.pause
    load = continuous_load(timing.run, pause)
    return FastestProgram(before, timing, load, "", None, _contacts(before, timing))


def _timed(before: Verification, margin: float, keep_speeds: bool) -> Timing:
    """The fastest motion along the path of what was verified."""
    wrench = None if before.wrench is None else list(before.wrench)
    bounds = Bounds.of(
        before.robot, margin=margin, accelerations=before.strict, tool_speed=math.inf
    )
    return timed_path(
        before.robot, before.plan, wrench, None, bounds, (0.0, 0.0), before.plan.trajectory.dt,
        keep_speeds=keep_speeds,
    )  # fmt: skip


def _contacts(before: Verification, timing: Timing) -> tuple[Contact, ...]:
    """What the motion touches: the cell of the program, if it has one, or the arm itself."""
    from ...cell.motion_contacts import motion_contacts

    motion = timing.trajectory
    return motion_contacts(before.robot, before.cell, motion.t, motion.q)
