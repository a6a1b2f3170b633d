"""The values of moves that a repair may lower, and what lower ones are, as they are printed."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_DOWN, Decimal
from typing import Any

from ...lirl.interpreter.move_steps import UNITS
from ...lirl.words import OPTIONS
from ...planning.moves import Move, Step
from ...planning.path.junction import TURN_ACC, TURN_SPEED
from ...planning.plan import PlannedMove

POWERS = {
    "speed": 1, "acc": 2, "speed_ori": 1, "acc_ori": 2, "jerk": 3, "speed_ptp": 1, "acc_ptp": 2
}  # fmt: skip
"""What can be lowered, and with which power of the speed: a motion at half of it has a quarter of
the accelerations."""
ON_THE_SPOT = {"speed_ori": math.degrees(TURN_SPEED), "acc_ori": math.degrees(TURN_ACC)}
"""deg/s, deg/s2: what a turn on the spot has that does not say it."""
SLOWEST = 2
"""The slowest speed that is tried, in percent of the programmed one."""
DIGITS = 3
"""A new value is printed with so many digits, rounded down."""


def _parts() -> Iterable[Decimal]:
    """1, 0.99, ..., 0.10, 0.099, ..., 0.010, ... down to what SLOWEST makes of a jerk."""
    yield Decimal(1)
    for power in range(2, 8):
        for k in range(99, 9, -1):
            yield Decimal(k).scaleb(-power)


PARTS = tuple(_parts())
"""The parts of a programmed value that are tried: a step is a hundredth of it, below a tenth a
thousandth, and so on."""
_RISING = [-part for part in PARTS]

Caps = Mapping[tuple[int, str], float]
"""The largest values that moves may have, by line and option, in the units of the language."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value that can be lowered: an option of the moves of a line, in the language's units.

    `programmed` is the largest that these moves have. If it is that of a variable, it has all
    `lines` that use it, and `declared` is the variable's name; `whole` if it is of type int.
    """

    option: str
    lines: tuple[int, ...]
    programmed: float
    declared: str = ""
    whole: bool = False

    def lowered(self, index: int) -> str:
        """The value at one of `PARTS`, as it is printed."""
        exact = Decimal(repr(self.programmed)) * PARTS[index]
        digits = 0 if self.whole else DIGITS - 1 - exact.adjusted()
        kept = exact.quantize(Decimal(1).scaleb(-digits), ROUND_DOWN)
        return format(kept.normalize(), "f")


def index_of(part: float) -> int:
    """The first of `PARTS` that is not above a part."""
    return min(bisect_left(_RISING, -Decimal(repr(part))), len(PARTS) - 1)


def index_at_speed(value: Value, percent: int) -> int:
    """The index of a value in a motion that runs at so many percent of its speed."""
    return index_of((percent / 100) ** POWERS[value.option])


def caps_of(indices: Mapping[Value, int]) -> dict[tuple[int, str], float]:
    """The caps of values that are lowered to an index each; the lowest where two meet."""
    caps: dict[tuple[int, str], float] = {}
    for value, index in indices.items():
        if index:
            cap = float(value.lowered(index))
            for line in value.lines:
                key = line, value.option
                caps[key] = min(cap, caps.get(key, math.inf))
    return caps


def capped(step: Step, caps: Caps) -> Step:
    """A step with the values of its move no larger than the caps of its line."""
    if not isinstance(step, Move):
        return step
    lower: dict[str, Any] = {}
    for option in POWERS:
        cap = caps.get((step.line, option))
        if cap is not None and step.kind in OPTIONS[option].kinds:
            limit = cap * UNITS[OPTIONS[option].unit]
            given = getattr(step, option)
            lower[option] = limit if given is None else min(given, limit)
    return replace(step, **lower) if lower else step


def values_by_line(
    steps: Iterable[Step], moves: Iterable[PlannedMove]
) -> dict[int, tuple[Value, ...]]:
    """What can be lowered at each line, from the steps of a program and the moves of its plan."""
    on_the_spot = {m.line for m in moves if m.kind != "ptp" and m.turn and not m.length}
    largest: dict[tuple[int, str], float] = {}
    for step in steps:
        if not isinstance(step, Move):
            continue
        for option in POWERS:
            if step.kind not in OPTIONS[option].kinds:
                continue
            given = getattr(step, option)
            if given is not None:
                number = float(f"{given / UNITS[OPTIONS[option].unit]:.12g}")
            elif step.line in on_the_spot and option in ON_THE_SPOT:
                number = float(f"{ON_THE_SPOT[option]:.12g}")
            else:
                continue
            key = step.line, option
            largest[key] = max(number, largest.get(key, 0.0))
    found: dict[int, tuple[Value, ...]] = {}
    for (line, option), number in largest.items():
        found[line] = (*found.get(line, ()), Value(option, (line,), number))
    return found
