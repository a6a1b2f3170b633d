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
from .value_search import Trials, best_values
from .values import rewritten

if TYPE_CHECKING:
    from ...cell.contact import Contact


REPAIR_TIME = 20.0
"""s for a repair, if it takes one to find values that can be done."""
NOT_OF_REPAIR = ("policy", "follow", "torque_path")
"""Options of `verify` that a repair does not have."""


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
        found = [
            f"as programmed it takes {self.before.seconds:.4g} s, which {before}",
            f"the same path takes {self.timing.seconds:.4g} s at least",
            *self.timing.explain()[1:],
            *(f"{contact}: at any speed" for contact in self.contacts),
            *(f"repeated without end: {row}" for row in self.load.failures),
        ]
        if self.after is None:
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
    wrench = None if before.wrench is None else list(before.wrench)
    bounds = Bounds.of(
        before.robot, margin=margin, accelerations=before.strict, tool_speed=math.inf
    )
    timing = timed_path(
        before.robot, before.plan, wrench, None, bounds, (0.0, 0.0), before.plan.trajectory.dt,
        keep_speeds=keep_speeds,
    )  # fmt: skip
    load = continuous_load(timing.run, float(options.get("pause", 0.0)))
    contacts = _contacts(before, timing)
    job = _Rewriting(robot, before, timing, margin, keep_speeds, options)
    made, after = job.done(lambda part, what: tell(0.3 + 0.6 * part, what))
    return FastestProgram(before, timing, load, made, after, contacts)


@dataclass(frozen=True, eq=False)
class _Rewriting:
    """A program on its way to other values. `options` are those of `verify`."""

    robot: RobotLike
    before: Verification
    timing: Timing
    margin: float
    keep_speeds: bool
    options: dict[str, Any]

    def done(self, tell: Tell) -> tuple[str, Verification | None]:
        """The fastest text that was found, and its verification; none if there is none.

        Where the values of this search make it no faster than it is, or cannot be done, the program
        itself or what a repair makes of it is the better one.
        """
        found = [self._searched(self.before, lambda part, what: tell(0.5 * part, what))]
        if self.before.moves_feasibly and not self.margin:
            found.append((self.before.text, self.before))
        elif found[0] is None or self.keep_speeds:
            found += self._repaired(lambda part, what: tell(0.5 + 0.5 * part, what))
        known = [pair for pair in found if pair is not None]
        return min(known, key=lambda pair: pair[1].seconds, default=("", None))

    def _repaired(self, tell: Tell) -> list[tuple[str, Verification] | None]:
        """What a repair makes of the program, and what is found from there."""
        from ..repair import repair

        options = {k: v for k, v in self.options.items() if k not in NOT_OF_REPAIR}
        made = repair(
            self.before.text, self.robot, margin=self.margin, seconds=REPAIR_TIME,
            tell=lambda part, what: tell(0.5 * part, what), **options,
        )  # fmt: skip
        if not made.feasible or not made.verification.moves_feasibly:
            return []
        own = made.text, made.verification
        if self.keep_speeds:  # slower where the motors cannot do it, else as it is
            return [own]
        return [own, self._searched(made.verification, lambda p, what: tell(0.5 + 0.5 * p, what))]

    def _searched(self, base: Verification, tell: Tell) -> tuple[str, Verification] | None:
        """A program with the values that a search finds, and its verification."""
        trials = Trials(base, self.margin)
        if self.keep_speeds:
            trials.most = trials.own(min)
        values = best_values(trials, self.timing, tell)
        if values is None:
            return None
        assert base.program is not None
        text = rewritten(base.text, base.program, values)
        tell(1.0, "verifying")
        after = verify(text, self.robot, **self.options)
        # it may read the time, or signals, and then do something else
        return (text, after) if after.moves_feasibly else None


def _contacts(before: Verification, timing: Timing) -> tuple[Contact, ...]:
    """Where the motion touches the cell of the program, if it has one."""
    if before.cell is None:
        return ()
    from ...cell.motion_clearance import motion_clearance

    motion = timing.trajectory
    return motion_clearance(before.robot, before.cell, motion.t, motion.q).contacts
