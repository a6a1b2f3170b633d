"""The input of a simulation: constant values, values of every step, a schedule, a controller."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..ground.arguments import number_of
from ..ground.arrays import Array, as_numbers, finite_array
from .input_schedule import InputSchedule, read_input_schedule

MOST_STEPS = 1_000_000_000
"""Steps of one simulation: a quarter of an hour of machine code for six joints."""
MOST_COUNT = 2**62
"""More than any count of steps."""
Controller = Callable[[float, Array, Array], ArrayLike]
"""f(t, q, qd) -> n values, called once a control period."""


@dataclass(frozen=True, slots=True, eq=False)
class InputSource:
    """The source of the input: `rows` (N, n) of the steps, a `schedule` or a `controller`.

    One row holds for all steps.
    """

    n: int
    rows: Array | None = None
    schedule: InputSchedule | None = None
    controller: Controller | None = None

    @property
    def linear(self) -> bool:
        """Whether the values are joined by lines."""
        return self.schedule is not None and self.schedule.linear

    @property
    def constant(self) -> bool:
        """Whether the values never change."""
        if self.schedule is not None:
            return len(self.schedule) == 1
        return self.rows is not None and len(self.rows) == 1

    def at_steps(self, first: int, count: int, dt: float) -> Array:
        """Values (count, n) of steps first, first + 1, ..; if linear both ends, (count, 2 n)."""
        k = np.arange(first, first + count)
        if self.rows is not None:
            return np.asarray(self.rows[np.minimum(k, len(self.rows) - 1)])
        assert self.schedule is not None
        start = self.schedule.at(k * dt)
        return np.hstack([start, self.schedule.at((k + 1) * dt)]) if self.linear else start

    def ask(self, t: float, q: Array, qd: Array) -> Array:
        """The controller's values (n,) at a time and state."""
        assert self.controller is not None
        return finite_array(f"controller at t = {t:g} s", self.controller(t, q, qd), (self.n,))


def source_of(value: Any, n: int) -> InputSource:
    """Read an input: an array (n,) or (N, n), a schedule or its file, or a function."""
    if isinstance(value, str | Path):
        value = read_input_schedule(value, n)
    if isinstance(value, InputSchedule):
        if value.n != n:
            raise InputError(f"input: expected a schedule of {n} values, found {value.n}")
        return InputSource(n, schedule=value)
    if callable(value):
        return InputSource(n, controller=value)
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        found = f"{value!r:.60}"
        raise InputError(
            f"input: expected an array, a schedule or a function, found {found}"
        ) from None
    if array.ndim not in (1, 2) or array.shape[-1] != n or not len(array):
        raise InputError(f"input: expected shape ({n},) or (N, {n}), found {array.shape}")
    return InputSource(n, rows=finite_array("input", np.atleast_2d(array), ("N", n)))


def steps_of(source: InputSource, duration: float | None, steps: int | None, dt: float) -> int:
    """The number of steps: as asked for, or as many as the input has rows or time."""
    if isinstance(dt, bool) or not number_of("dt", dt, "a time > 0 s") > 0:
        raise InputError(f"dt: expected a time > 0 s, found {dt!r}")
    if steps is not None and duration is not None:
        raise InputError("steps: expected either steps or duration, found both")
    if steps is not None:
        if not isinstance(steps, int | np.integer) or not 1 <= steps <= MOST_COUNT:
            raise InputError(f"steps: expected a whole number >= 1, found {steps!r}")
        count = int(steps)
    elif duration is not None:
        count = steps_in("duration", duration, dt)
    elif source.schedule is not None and source.schedule.duration > 0:
        count = int(np.ceil(source.schedule.duration / dt - 1e-9))
    elif source.rows is not None and len(source.rows) > 1:
        count = len(source.rows)
    else:
        raise InputError("duration: expected a time in s (the input does not say when it ends)")
    if count > MOST_STEPS:
        raise InputError(
            f"steps: expected at most {MOST_STEPS:g} steps, found {count:g} of dt = {dt:g} s;"
            " a longer dt makes fewer"
        )
    if source.rows is not None and 1 < len(source.rows) < count:
        rows = len(source.rows)
        raise InputError(f"input: expected {count} rows, one a step, found {rows}")
    return count


def steps_in(name: str, time: float, dt: float) -> int:
    """The number of steps in a time, which must be a multiple of dt."""
    good = isinstance(time, int | float | np.floating) and np.isfinite(time) and time > 0
    count = round(time / dt) if good and np.isfinite(time / dt) else 0
    # what lies beyond the digits of a double is not asked of a multiple
    if count < 1 or abs(count * dt - time) > 1e-6 * dt + 4 * np.spacing(float(time)):
        raise InputError(f"{name}: expected a multiple of dt = {dt:g} s, found {time!r}")
    return count


def wrench_rows(wrench: ArrayLike | None, steps: int) -> Array | None:
    """Check a wrench (6,) or (steps, 6): rows (1, 6) or (steps, 6), or None."""
    if wrench is None:
        return None
    array = np.atleast_2d(as_numbers("wrench", wrench))
    if array.shape not in ((1, 6), (steps, 6)) or not np.isfinite(array).all():
        raise InputError(f"wrench: expected finite (6,) or ({steps}, 6), found {array.shape}")
    return array
