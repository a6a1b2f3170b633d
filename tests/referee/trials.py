"""Trials of random programs: verdicts and plans of ERFD beside those of the referee."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from .arms import pair
from .compare import compare, verified
from .planning_check import planning_faults
from .programs import random_program

APART = 1_000_003
"""Between the programs of two seeds."""


def numbers(seed: int, count: int) -> Iterator[int]:
    """The numbers of `count` programs, others for every seed."""
    return iter(range(APART * seed, APART * seed + count))


def tried(trials: Iterable[tuple[str, int]], kinds: Counter[str]) -> Iterator[str]:
    """Every difference, in a sentence with the program's number; `kinds` counts what was tried."""
    for name, number in trials:
        both = pair(name)
        program = random_program(both.arm, number)
        found = verified(both, program)
        result = compare(both, program, found)
        kinds["feasible" if found.feasible else "not feasible"] += 1
        kinds["unreachable"] += result.unreachable
        kinds["saturated"] += result.saturated
        kinds["divided"] += result.divided
        kinds["moves"] += len(program.meant)
        for sentence in [*result.differences, *planning_faults(both, program, found)]:
            yield f"{name}, program {number}: {sentence}"
