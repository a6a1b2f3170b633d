"""Laws of time: limits kept, ends reached, the same backwards, and none faster."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from erfd.errors import MissingDependencyError
from erfd.planning.profile import TimeLaw, fastest_law, jerk_limited

sizes = st.floats(-3, 2).map(lambda x: 10.0**x)
pieces = st.lists(st.tuples(sizes, sizes, sizes, sizes), min_size=1, max_size=6)


def instants(law: TimeLaw, count: int = 400) -> np.ndarray:
    """Times all over the law, with those where its phases change."""
    return np.union1d(np.linspace(0, law.duration, count), law.t)


@settings(max_examples=150, deadline=None)
@given(pieces)
def test_limits_of_every_piece_are_kept(rows) -> None:
    law = fastest_law(*np.array(rows).T.tolist())
    lengths, speeds, accs, brakes = np.array(rows).T
    t = instants(law)
    s, v = law.at(t), law.rate(t)
    ends = np.cumsum(lengths)
    assert law.length == pytest.approx(ends[-1], rel=1e-12)
    assert s[0] == 0
    assert s[-1] == law.length
    assert v[0] == v[-1] == 0
    assert (np.diff(s) >= -1e-12 * ends[-1]).all()
    middle = (s[1:] + s[:-1]) / 2
    i = np.minimum(np.searchsorted(ends, middle), len(rows) - 1)
    inside = np.searchsorted(ends, s[:-1] + 1e-9 * ends[-1]) == np.searchsorted(
        ends, s[1:] - 1e-9 * ends[-1]
    )
    assert (v[1:][inside] <= speeds[i][inside] * (1 + 1e-9)).all()
    steps = np.diff(t)
    used = inside & (steps > 1e-6 * law.duration)
    gain = np.diff(v)[used] / steps[used]
    slack = 1e-9 + 1e-12 * v.max() / steps[used]
    assert (gain <= accs[i][used] * (1 + 1e-9) + slack).all()
    assert (gain >= -brakes[i][used] * (1 + 1e-9) - slack).all()


@settings(max_examples=100, deadline=None)
@given(pieces)
def test_backwards_is_the_same_motion_backwards(rows) -> None:
    forth = fastest_law(*np.array(rows).T.tolist())
    lengths, speeds, accs, brakes = np.array(rows)[::-1].T.tolist()
    back = fastest_law(lengths, speeds, brakes, accs)
    assert back.duration == pytest.approx(forth.duration, rel=1e-9)
    t = np.linspace(0, forth.duration, 200)
    gap = back.at(t) - (forth.length - forth.at(forth.duration - t))
    assert np.abs(gap).max() <= 1e-9 * forth.length


@settings(max_examples=100, deadline=None)
@given(pieces)
def test_time_of_a_way_is_the_way_at_a_time(rows) -> None:
    law = fastest_law(*np.array(rows).T.tolist())
    s = np.linspace(0, law.length, 300)
    assert law.at(law.time_of(s)) == pytest.approx(s, abs=1e-9 * law.length)


@settings(max_examples=40, deadline=None)
@given(pieces)
def test_no_law_is_faster(rows) -> None:
    """In the phase plane, in small steps: the lowest of all speeds that the limits allow."""
    law = fastest_law(*np.array(rows).T.tolist())
    lengths, speeds, accs, brakes = np.array(rows).T
    ends = np.cumsum(lengths)
    near = np.outer([-1, 1], np.geomspace(1e-12, 1, 600) * ends[-1]).ravel()  # of every junction
    s = np.concatenate([np.linspace(0, ends[-1], 5000), ends, *(x + near for x in (0.0, *ends))])
    s = np.unique(np.clip(s, 0, ends[-1]))
    i = np.minimum(np.searchsorted(ends, (s[1:] + s[:-1]) / 2), len(rows) - 1)
    steps = np.diff(s)
    square = np.full(len(s), np.inf)
    square[0] = square[-1] = 0.0
    square[:-1] = np.minimum(square[:-1], speeds[i] ** 2)
    square[1:] = np.minimum(square[1:], speeds[i] ** 2)
    for k, step in enumerate(steps):
        square[k + 1] = min(square[k + 1], square[k] + 2 * accs[i[k]] * step)
    for k in range(len(steps) - 1, -1, -1):
        square[k] = min(square[k], square[k + 1] + 2 * brakes[i[k]] * steps[k])
    v = np.sqrt(square)
    assert law.duration == pytest.approx(float((2 * steps / (v[1:] + v[:-1])).sum()), rel=1e-3)


def test_a_move_shorter_than_its_ramps() -> None:
    law = fastest_law([0.02], [1.0], [2.0])
    assert law.duration == pytest.approx(2 * math.sqrt(0.02 / 2.0))
    assert law.rise == pytest.approx(law.duration / 2)
    assert law.fall == pytest.approx(law.duration / 2)
    assert law.rate(np.array([law.duration / 2]))[0] == pytest.approx(math.sqrt(0.02 * 2.0))


def test_nothing_to_do() -> None:
    law = fastest_law([], [], [])
    assert law.duration == law.length == 0
    assert law.at(np.array([0.0, 1.0])).tolist() == [0, 0]


@settings(max_examples=100, deadline=None)
@given(*[st.floats(-1.5, 1.5).map(lambda x: 10.0**x)] * 5)
def test_jerk_is_limited(length, speed, acc, brake, jerk) -> None:
    law = jerk_limited(length, speed, acc, brake, jerk)
    t = instants(law)
    s, v = law.at(t), law.rate(t)
    assert s[-1] == length
    assert (v <= speed * (1 + 1e-9)).all()
    assert (law.a <= acc * (1 + 1e-9)).all()
    assert (law.a >= -brake * (1 + 1e-9)).all()
    assert np.abs(law.j).max() <= jerk * (1 + 1e-9)
    k = np.arange(len(law.v) - 1)
    d = np.diff(law.t)[k]
    assert law.a[k] + d * law.j[k] == pytest.approx(law.a[k + 1], abs=1e-9 * max(acc, brake))
    slow = fastest_law([length], [speed], [acc], [brake]).duration
    assert law.duration >= slow * (1 - 1e-9)
    quick = jerk_limited(length, speed, acc, brake, 1e4 * jerk).duration
    assert quick <= law.duration * (1 + 1e-9)


@settings(max_examples=150, deadline=None)
@given(*[st.floats(-12, 12).map(lambda x: 10.0**x)] * 3, st.floats(0.5, 2.0))
@example(1832303104.324463, 1942550.02617386, 26027093594.40578, 1.0)
def test_jerk_limits_far_apart(speed, acc, jerk, part) -> None:
    """A tiny move has huge limits, a slow one small ones; Ruckig alone gives up on a few."""
    law = jerk_limited(1.0, speed, acc, part * acc, jerk)
    d = np.diff(law.t)
    assert law.s[:-1] + d * (law.v + d * (law.a / 2 + d * law.j / 6)) == pytest.approx(
        law.s[1:], abs=1e-9
    )
    assert law.rate(instants(law)).max() <= speed * (1 + 1e-9)
    assert law.a.max() <= acc * (1 + 1e-9)
    assert law.a.min() >= -part * acc * (1 + 1e-9)
    assert np.abs(law.j).max() <= jerk * (1 + 1e-9)


@pytest.mark.parametrize("length", [5e-324, 1e-310, 1e-160, 1e-30])
def test_a_way_that_is_hardly_any(length) -> None:
    for speed, acc in ((1e-9, 1e-9), (1.0, 1e-9), (1e6, 1e6)):
        law = fastest_law([length], [speed], [acc])
        assert 0 <= law.duration < 1e-6
        assert law.length in (0.0, length)
        law = fastest_law([length, 1.0, length], [1.0] * 3, [1.0] * 3)
        assert law.duration == pytest.approx(2.0)


def test_jerk_limits_need_ruckig(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ruckig", None)
    with pytest.raises(MissingDependencyError, match=r"erfd\[jerk\]"):
        jerk_limited(1, 1, 1, 1, 1)
