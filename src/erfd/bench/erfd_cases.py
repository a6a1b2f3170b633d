"""ERFD's own cases: batches on one core and on all, one call from Python, the scalar function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..kernels.kernel import kernel
from ..kernels.settings import set_threads
from ..mechanics import dynamics as api
from ..robot.model import Robot
from .loops import scalar_loop
from .measure import TimedCase
from .states import States

NAME = "ERFD"
BATCH, SINGLE, SCALAR = "batch (N, n)", "one call from Python", "scalar, in a compiled loop"
SCALAR_STATES = 1000


def own_cases(
    robot: Robot, quantity: str, states: States, sizes: Sequence[int], threads: Sequence[int]
) -> list[TimedCase]:
    """All cases in which ERFD computes the quantity."""
    batches = [_batch(robot, quantity, states, n, t) for n in sizes for t in threads]
    return [*batches, _single(robot, quantity, states), _scalar(robot, quantity, states)]


def _names(robot: Robot, quantity: str, given: dict[str, Any]) -> dict[str, Any]:
    """The names that a timed statement uses."""
    return {quantity: getattr(api, quantity), "robot": robot, "set_threads": set_threads, **given}


def _batch(robot: Robot, quantity: str, states: States, count: int, threads: int) -> TimedCase:
    """The case of a batch."""
    given = states.arguments(quantity, count)
    out = np.empty_like(states.results[quantity][:count])
    names = _names(robot, quantity, {**given, "out": out})
    statement = f"{quantity}(robot, {', '.join(given)}, out=out)"

    def results() -> Any:
        set_threads(threads)
        out.fill(np.nan)
        return getattr(api, quantity)(robot, **given, out=out)

    setup = f"set_threads({threads})"
    return TimedCase(NAME, BATCH, quantity, count, threads, statement, names, results, setup)


def _single(robot: Robot, quantity: str, states: States) -> TimedCase:
    """The case of one call from Python."""
    given = states.single(quantity)
    names = _names(robot, quantity, given)
    statement = f"{quantity}(robot, {', '.join(given)})"

    def results() -> Any:
        some = range(min(20, len(states.q)))
        call = getattr(api, quantity)
        return np.array([call(robot, *states.single(quantity, k).values()) for k in some])

    return TimedCase(NAME, SINGLE, quantity, 1, 1, statement, names, results)


def _scalar(robot: Robot, quantity: str, states: States) -> TimedCase:
    """The case of the scalar function in a compiled loop."""
    compiled = kernel(robot, quantity)
    if compiled is None:
        raise LookupError(f"robot {robot.name!r} is not compiled")
    loop, one = scalar_loop(compiled)
    given = states.arguments(quantity, SCALAR_STATES)
    count = len(given["q"])
    out = np.empty_like(states.results[quantity][:count])
    places = {name: array.ctypes.data for name, array in {**given, "out": out}.items()}
    names = {"loop": loop, "one": one, **places, "count": count}
    statement = f"loop(one, {', '.join(places)}, count)"

    def results() -> Any:
        out.fill(np.nan)
        loop(one, *places.values(), count)
        return out

    return TimedCase(NAME, SCALAR, quantity, count, 1, statement, names, results)
