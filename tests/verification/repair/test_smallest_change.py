"""The search on problems whose answers are known: no robot, only what fails when."""

from collections.abc import Callable
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erfd.run.events import Event
from erfd.verification.repair.chain import TrialOutcome
from erfd.verification.repair.smallest_change import ChangeSearch
from erfd.verification.repair.values import Caps, Value, caps_of
from erfd.verification.trial import TimeIsUpError

LINES = range(1, 8)
VALUES = {n: (Value("speed", (n,), 1000.0), Value("acc", (n,), 1000.0)) for n in LINES}
Attempt = Callable[[Caps], TrialOutcome]


def event(part: float) -> Event:
    return Event(0.0, 0.1, 1, "torque limit", part, part=part)


def joined_moves(limits: list[float | None]) -> Attempt:
    """Moves in a row; where two join, the slower of their speeds must not exceed a limit."""

    def attempt(caps: Caps) -> TrialOutcome:
        speed = {n: caps.get((n, "speed"), 1000.0) for n in LINES}
        blamed = {}
        for n, limit in zip(LINES, limits, strict=False):
            here = min(speed[n], speed[n + 1])
            if limit is not None and here > limit:
                blamed[n + 1] = event(here / limit - 1)
        return TrialOutcome(blamed, sum(1000.0 / s for s in speed.values()))

    return attempt


def found(attempt: Attempt) -> dict[Value, int] | None:
    return ChangeSearch(VALUES, [*LINES], attempt, dict).run().indices


@pytest.mark.parametrize(
    ("limits", "fewest"),
    [
        ([999.0, 212.8, None, None, 999.0, 150.3], 2),
        ([500.0, 33.0, None, None, 500.0, 25.0], 2),
        ([999.0, 80.3, 26.0, 999.0, 221.7, 25.0], 3),
    ],
)
def test_one_slow_line_is_fewer_than_two(limits: list[float | None], fewest: int) -> None:
    indices = found(joined_moves(limits))
    assert indices is not None
    assert len(indices) == fewest


@given(st.lists(st.none() | st.floats(25.0, 999.0), min_size=6, max_size=6))
def test_joints_between_moves(limits: list[float | None]) -> None:
    """The fewest lines that cover all joints, and no value of them can be a step larger."""
    attempt = joined_moves(limits)
    indices = found(attempt)
    assert indices is not None
    assert attempt(caps_of(indices)).feasible
    assert {value.option for value in indices} <= {"speed"}  # no other value has an effect
    bad = [n for n, limit in zip(LINES, limits, strict=False) if limit is not None]
    fewest = next(
        size
        for size in range(8)
        if any(all({n, n + 1} & {*s} for n in bad) for s in combinations(LINES, size))
    )
    assert len(indices) <= fewest + 1
    for value, index in indices.items():
        assert not attempt(caps_of(indices | {value: index - 1})).feasible


@given(st.dictionaries(st.sampled_from(LINES), st.tuples(*[st.floats(1.0, 999.0)] * 2)))
def test_values_of_single_moves(limits: dict[int, tuple[float, float]]) -> None:
    """Each line has its own limits of speed and acceleration: exactly those are lowered."""

    def attempt(caps: Caps) -> TrialOutcome:
        blamed = {
            n: event(0.5)
            for n, (speed, acc) in limits.items()
            if caps.get((n, "speed"), 1000.0) > speed or caps.get((n, "acc"), 1000.0) > acc
        }
        return TrialOutcome(blamed, 1.0)

    indices = found(attempt)
    # 2 % of the speed is the slowest that is tried, with 0.04 % of the acceleration
    if any(speed < 20.0 for speed, _ in limits.values()):
        return
    assert indices is not None
    assert {*indices} == {value for n in limits for value in VALUES[n]}
    for value, index in indices.items():
        limit = limits[value.lines[0]][value.option == "acc"]
        assert float(value.lowered(index)) <= limit < float(value.lowered(index - 1))


def test_one_value_is_lowered_where_either_would_do() -> None:
    """The one with which the motion is faster."""

    def attempt(caps: Caps) -> TrialOutcome:
        speed, acc = caps.get((3, "speed"), 1000.0), caps.get((3, "acc"), 1000.0)
        bad = speed > 500.0 and acc > 250.0
        return TrialOutcome({3: event(0.2)} if bad else {}, 3.0 - speed / 1000 - acc / 2000)

    indices = found(attempt)
    assert indices == {VALUES[3][1]: 75}


def test_what_fails_elsewhere_is_found_by_all_lines() -> None:
    """A line that cannot be lowered is blamed, and one far from it has to be."""

    def attempt(caps: Caps) -> TrialOutcome:
        return TrialOutcome({99: event(0.1)} if caps.get((5, "speed"), 1000.0) > 300.0 else {}, 1.0)

    indices = found(attempt)
    assert indices == {VALUES[5][0]: 70}


@pytest.mark.parametrize("path", [True, False])
def test_what_no_value_helps(path: bool) -> None:
    tried = []

    def attempt(caps: Caps) -> TrialOutcome:
        tried.append(caps)
        return TrialOutcome({2: event(0.5)}, 1.0, "out of reach" if path else "", path)

    result = ChangeSearch(VALUES, [*LINES], attempt, dict).run()
    assert result.indices is None
    assert result.complete
    assert result.outcome.blamed == {2: event(0.5)}
    assert (len(tried) == 1) == path


@pytest.mark.parametrize("most", [0, 3, 10, 40])
def test_what_was_found_before_the_time_was_up_counts(most: int) -> None:
    attempt, left = joined_moves([300.0, None, 200.0, None, 100.0, 900.0]), [most]

    def timed(caps: Caps) -> TrialOutcome:
        left[0] -= 1
        if left[0] < 0:
            raise TimeIsUpError
        return attempt(caps)

    result = ChangeSearch(VALUES, [*LINES], timed, dict).run()
    assert not result.complete
    assert (result.indices is None) == (most < 5)
    assert result.indices is None or attempt(caps_of(result.indices)).feasible


def test_progress_goes_up() -> None:
    parts = []
    attempt = joined_moves([300.0, None, 200.0, None, 100.0, 900.0])
    ChangeSearch(VALUES, [*LINES], attempt, dict, lambda part, what: parts.append(part)).run()
    assert parts == sorted(parts)
    assert 0 <= parts[0] <= parts[-1] <= 1
