"""The pace of the cycles: absolute deadlines, and a new beginning when far behind."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erfd.monitor.controller.pacing import CyclePacer


class FakeClock:
    """A clock that passes when somebody sleeps or works."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.now += seconds


@settings(deadline=None)
@given(st.lists(st.floats(0, 0.09), max_size=60), st.sampled_from([0.001, 0.01, 0.05]))
def test_deadlines_are_absolute(work: list[float], dt: float) -> None:
    """Lateness does not add up: while no cycle is given up, cycle k is due at exactly k dt."""
    clock = FakeClock()
    pace = CyclePacer(dt, clock=clock, sleep=clock.sleep)
    due, late = [], 0
    for seconds in work:
        clock.now += seconds
        late += clock.now > pace.due + dt
        due.append(pace.wait())
        assert clock.now >= due[-1] - 1e-9
    timing = pace.timing
    assert (timing.cycles, timing.overruns) == (len(work), late)
    steps = (np.array(due) - 100.0) / dt
    assert np.allclose(steps, np.round(steps), atol=1e-6)  # skipped cycles are whole ones
    if work:
        assert round(steps[-1]) == len(work) + timing.skipped
    if sum(work) <= 0.1:
        assert timing.skipped == 0


def test_far_behind_it_goes_on_anew() -> None:
    clock = FakeClock()
    pace = CyclePacer(0.01, clock=clock, sleep=clock.sleep)
    clock.now += 0.505
    assert pace.wait() == pytest.approx(100.51)
    assert (pace.timing.overruns, pace.timing.skipped) == (1, 50)
    assert pace.timing.worst == pytest.approx(0.495)
    pace.wait()
    assert pace.timing.overruns == 1
