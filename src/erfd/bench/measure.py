"""Timing: the best of several repeats, in turns, so that a busy moment hits all cases alike."""

from __future__ import annotations

import math
import time
import timeit
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..ground.arrays import Array
from ..kernels.settings import Setting, set_threads

TOLERANCE = 1e-8
"""A time counts if the results differ from ours by at most this part of the largest value."""
LEAST = 3
"""Slices of a turn, however long they take: what is slow deserves its lucky moment, too."""
REST = 0.01
"""s after a case with several threads: OpenMP's go on spinning for a while."""
PATIENCE = 5
"""Turns of a case with several threads in one: several cores are seldom free at the same time."""


@dataclass(frozen=True, slots=True)
class Effort:
    """The effort of a benchmark: batch sizes, rounds, s of a slice and of a turn, and so on."""

    sizes: tuple[int, ...]
    rounds: int
    slice: float
    turn: float
    joints: tuple[int, ...]
    chain_states: int
    starts: int
    memory_states: int


FULL = Effort(
    (1, 10, 1000, 100_000), 5, 0.004, 0.06, (1, 2, 3, 4, 6, 8, 12, 16, 24, 32), 4096, 5, 1_000_000
)
QUICK = Effort((1, 10, 100), 1, 0.0002, 0.0006, (1, 2), 64, 1, 20_000)


@dataclass(frozen=True, slots=True)
class TimedCase:
    """One way to compute a quantity: a statement to be timed, with the names it uses.

    `states` is how many the statement computes; `results` has those of the first states, (k, ...).
    """

    who: str
    how: str
    quantity: str
    states: int
    threads: int
    statement: str
    names: dict[str, Any]
    results: Callable[[], Array]
    setup: str = "pass"


def best_times(
    cases: Sequence[TimedCase], effort: Effort, advance: Callable[[], None] = lambda: None
) -> list[float]:
    """Measure the shortest time of every statement in s, with garbage collection off."""
    timers = [timeit.Timer(case.statement, case.setup, globals=case.names) for case in cases]
    loops = [_loops(timer, effort) for timer in timers]
    best = [float("inf")] * len(cases)
    for _ in range(effort.rounds):
        for k, (timer, (number, repeats)) in enumerate(zip(timers, loops, strict=True)):
            if cases[k - 1].threads > 1:
                time.sleep(REST)
            turns = PATIENCE if cases[k].threads > 1 else 1
            best[k] = min(best[k], *timer.repeat(turns * repeats, number))
        advance()
    return [seconds / number for seconds, (number, _) in zip(best, loops, strict=True)]


def _loops(timer: timeit.Timer, effort: Effort) -> tuple[int, int]:
    """Find how often a statement runs in a slice, and how many slices a turn has."""
    timer.timeit(1)  # compiles, allocates, starts threads
    number = 1
    while (seconds := timer.timeit(number)) < effort.slice:
        number *= 2
    return number, max(LEAST, int(effort.turn / seconds))


@contextmanager
def one_core() -> Iterator[None]:
    """Use one core inside, unless a case says otherwise, and the caller's threads afterwards."""
    before = Setting.threads
    set_threads(1)
    try:
        yield
    finally:
        set_threads(before)


def best_in_turns(
    runs: Mapping[str, Callable[[], object]], rounds: int, repeats: int = 1
) -> dict[str, float]:
    """Measure the shortest time of every call in s, all of them in each round."""
    best = dict.fromkeys(runs, math.inf)
    for _ in range(rounds):
        for name, run in runs.items():
            best[name] = min(best[name], best_of(run, repeats))
    return best


def best_of(run: Callable[[], object], repeats: int) -> float:
    """Measure the shortest time of a call in s."""
    return min(timeit.repeat(run, repeat=repeats, number=1))


def difference(results: Array, wanted: Array) -> float | None:
    """The largest difference as a part of the largest value of each state; None if not finite."""
    rows, ours = results.reshape(len(results), -1), wanted[: len(results)].reshape(len(results), -1)
    size = np.maximum(np.abs(ours).max(axis=1, keepdims=True), 1e-12)
    largest = float((np.abs(rows - ours) / size).max())
    return largest if math.isfinite(largest) else None


def agree(error: float | None) -> bool:
    """Whether a difference is small enough for the time to count."""
    return error is not None and error <= TOLERANCE
