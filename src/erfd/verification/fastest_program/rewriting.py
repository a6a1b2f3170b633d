"""A program's text on its way to values with which it is as fast as that was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...robot.library import RobotLike
from ...timing.timing import Timing
from ..result import Verification
from ..verify import Tell, verify
from .value_search import Trials, best_values
from .values import rewritten

REPAIR_TIME = 20.0
"""s for a repair, if it takes one to find values that can be done."""
NOT_OF_REPAIR = ("policy", "follow", "torque_path")
"""Options of `verify` that a repair does not have."""


@dataclass(frozen=True, eq=False)
class Rewriting:
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
