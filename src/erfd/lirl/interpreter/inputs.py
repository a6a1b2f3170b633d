"""The input signals of a program, as its schedule sets them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...errors import InputError
from .. import syntax as tree
from ..messages import did_you_mean
from ..signal_schedule import SignalSchedule
from ..types import Type
from ..values import RobotState

TICK = 0.01
"""s between two looks at the clock, for conditions that wait for it."""


class InputSignals:
    """All input signals of a program; the schedule has to fit them."""

    def __init__(self, program: tree.Program, schedule: SignalSchedule):
        if not isinstance(schedule, SignalSchedule):
            kind = type(schedule).__name__
            raise InputError(f"signals: expected an erfd.SignalSchedule, found {kind}")
        declared = {
            node.name: node
            for node in program.declarations
            if isinstance(node, tree.SignalDeclaration) and node.direction == "in"
        }
        for change in schedule.changes:
            signal = declared.get(change.signal)
            where = f"{schedule.name}: signal {change.signal!r}"
            if signal is None:
                near = did_you_mean(change.signal, declared)
                raise InputError(f"{where} is no input signal of the program; {near}".rstrip("; "))
            digital = signal.type.name == "bool"
            if digital != isinstance(change.value, bool):
                expected = "true or false" if digital else "a number"
                raise InputError(f"{where}: expected {expected}, found {change.value}")
        self.changes = {name: schedule.of(name) for name in declared}

    def reader(
        self, name: str, kind: Type, first: Any, now: Callable[[], RobotState | None]
    ) -> Callable[[], Any]:
        """A function that reads a signal; it has the value `first` before its first change."""
        changes = self.changes[name]

        def read() -> Any:
            standing = now()
            value = changes.at(standing.time) if standing is not None else None
            if value is None:
                return first
            return round(value) if kind == "int" else value

        return read

    def next_change(self, time: float) -> float:
        """The time (s) at which any signal changes next after a time; infinite if none does."""
        return min((changes.after(time) for changes in self.changes.values()), default=math.inf)


def first_time(holds: Callable[[float], bool], begin: float, end: float) -> float:
    """The first time (s) after `begin` at which a condition holds; `end` if not before that.

    It is looked at every tick, and after a long while only every thousandth of that while.
    """
    low, last = 0, math.ceil((end - begin) / TICK)
    while (high := low + max(1, low // 1000)) < last:
        if holds(begin + high * TICK):
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (low, middle) if holds(begin + middle * TICK) else (middle, high)
            return begin + high * TICK
        low = high
    return end
