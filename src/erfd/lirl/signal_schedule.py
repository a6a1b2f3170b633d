"""The schedule of a program's input signals: when they change, a table beside the program.

The file is CSV with the columns time (s), signal and value; lines that begin with # are remarks.
A signal keeps its value until the next change; before the first one it has the value that the
program declares.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..errors import InputError
from ..ground.arguments import path_of
from ..ground.files import read_text

HEADER = ("time", "signal", "value")
MAX_CHANGES = 100_000
CLOSE = 1e-9
"""A change within this time (s) has happened: sums of cycle times are not exact."""


@dataclass(frozen=True, slots=True)
class SignalChange:
    """One change of an input signal: from `time` (s) on, it has this value.

    `signal` is the name that the program declares, in any case; `value` is true or false for a
    digital signal, else a number in whatever unit the program gives it.
    """

    time: float
    signal: str
    value: bool | float

    def __post_init__(self) -> None:
        time = self.time
        number = isinstance(time, int | float) and not isinstance(time, bool)
        if not (number and math.isfinite(time) and time >= 0):
            raise InputError(f"time: expected seconds from 0 on, found {time!r}")
        if not isinstance(self.signal, str):
            raise InputError(f"signal: expected a name, found {self.signal!r}")
        if not isinstance(self.value, bool | int | float) or not math.isfinite(self.value):
            raise InputError(f"value: expected true, false or a number, found {self.value!r}")
        object.__setattr__(self, "signal", self.signal.lower())


@dataclass(frozen=True, slots=True)
class SignalSchedule:
    """All changes of all input signals, in the order of time; `name` stands in messages.

    >>> SignalSchedule((SignalChange(1.5, "gate", True),)).of("gate").at(2.0)
    True
    """

    changes: tuple[SignalChange, ...] = ()
    name: str = "schedule"

    def __post_init__(self) -> None:
        wrong = isinstance(self.changes, SignalChange) or not all(
            isinstance(change, SignalChange) for change in self.changes
        )
        if wrong:
            raise InputError(f"changes: expected several SignalChange, found {self.changes!r:.60}")
        ordered = tuple(sorted(self.changes, key=lambda change: change.time))
        object.__setattr__(self, "changes", ordered)

    @property
    def signals(self) -> tuple[str, ...]:
        """The names of the signals that change."""
        return tuple(dict.fromkeys(change.signal for change in self.changes))

    def of(self, signal: str) -> Changes:
        """The changes of one signal, by its name in lower case."""
        changes = [change for change in self.changes if change.signal == signal]
        return Changes([c.time for c in changes], [c.value for c in changes])


class Changes:
    """The changes of one signal, by time."""

    def __init__(self, times: list[float], values: list[bool | float]):
        self.times, self.values = times, values

    def at(self, time: float) -> bool | float | None:
        """The value at a time (s); None before the first change."""
        k = bisect_right(self.times, time + CLOSE)
        return self.values[k - 1] if k else None

    def after(self, time: float) -> float:
        """The time (s) of the next change after a time (s); infinite if there is none."""
        k = bisect_right(self.times, time + CLOSE)
        return self.times[k] if k < len(self.times) else math.inf


def read_signal_schedule(path: str | Path) -> SignalSchedule:
    """Read a schedule of input signals.

    Args:
        path: a CSV file with the columns time (s, from 0 on), signal and value (true, false or a
            number); empty lines and lines that begin with # are skipped.

    Returns:
        The schedule, in the order of time.

    Raises:
        InputError: if the file cannot be read; it names the file and its line.
    """
    path = path_of("path", path)
    return parse_signal_schedule(read_text(path), Path(path).name)


def parse_signal_schedule(text: str, name: str = "signals.csv") -> SignalSchedule:
    """The schedule in the text of such a file; `name` stands in messages."""
    lines = text.removeprefix("\ufeff").splitlines()
    return SignalSchedule(tuple(_changes(lines, name)), name)


def signals_beside(program: str | Path) -> SignalSchedule | None:
    """Read the schedule beside a program.

    Args:
        program: the path of a program, such as NAME.irl.

    Returns:
        The schedule in NAME.signals.csv of the same folder; None if there is no such file.

    Raises:
        InputError: if that file cannot be read.
    """
    path = Path(program).with_suffix(".signals.csv")
    return read_signal_schedule(path) if path.exists() else None


def _changes(lines: list[str], file: str) -> Iterable[SignalChange]:
    header = False
    count = 0
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        words = [word.strip() for word in line.split(",")]
        where = f"{file}: line {number}"
        if not header:
            if tuple(word.lower() for word in words) != HEADER:
                raise InputError(f"{where}: expected the header {','.join(HEADER)}, found {line!r}")
            header = True
            continue
        if len(words) != len(HEADER):
            raise InputError(f"{where}: expected time, signal, value; found {len(words)} columns")
        count += 1
        if count > MAX_CHANGES:
            raise InputError(f"{where}: expected at most {MAX_CHANGES} changes")
        time = _number(words[0])
        if time is None or time < 0:
            raise InputError(f"{where}: time: expected seconds from 0 on, found {words[0]!r}")
        value = {"true": True, "false": False}.get(words[2].lower(), _number(words[2]))
        if value is None:
            raise InputError(
                f"{where}: value: expected true, false or a number, found {words[2]!r}"
            )
        yield SignalChange(time, words[1], value)
    if not header:
        raise InputError(f"{file}: expected the header {','.join(HEADER)}, found nothing")


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
