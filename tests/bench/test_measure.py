"""Measuring: turns for everybody, slices, and differences."""

from dataclasses import replace

import numpy as np
import pytest

from erfd.bench.measure import QUICK, TimedCase, agree, best_times, difference


def test_every_contender_gets_its_turns() -> None:
    calls: list[str] = []
    names = {"calls": calls}
    cases = [
        TimedCase(
            "", "", "", 1, threads, f"calls.append('{name}')", names, lambda: np.zeros((1, 1))
        )
        for name, threads in (("a", 1), ("b", 2))
    ]
    turns: list[int] = []
    times = best_times(cases, replace(QUICK, rounds=3), lambda: turns.append(len(calls)))
    assert len(times) == 2
    assert min(times) > 0
    assert len(turns) == 3
    assert calls.count("a") > 9
    assert calls.count("b") > 9
    assert "a" in calls[turns[0] : turns[1]]
    assert "b" in calls[turns[0] : turns[1]]


def test_slow_statements_have_three_slices_a_round() -> None:
    calls: list[int] = []
    case = TimedCase(
        "", "", "", 1, 1, "calls.append(1)", {"calls": calls}, lambda: np.zeros((1, 1))
    )
    best_times([case], replace(QUICK, rounds=4, slice=0.0, turn=0.0))
    assert len(calls) == 2 + 4 * 3


def test_differences() -> None:
    wanted = np.array([[1.0, -4.0], [0.0, 0.5]])
    other = np.array([[1.0, -3.6], [0.0, 0.5]])
    assert difference(other, wanted) == pytest.approx(0.1)
    assert difference(wanted[:1], wanted) == 0.0
    assert difference(np.full((1, 2), np.nan), wanted) is None
    assert agree(1e-9)
    assert not agree(1e-7)
    assert not agree(None)
