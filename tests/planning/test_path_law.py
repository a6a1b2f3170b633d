"""Laws of paths that bend: the whole acceleration within its limit, jerks, and none much faster."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from erfd.planning.path.segments import Segments
from erfd.planning.path_law import averaged, jerk_path_law, path_law, widened
from erfd.planning.profile import TimeLaw, fastest_law

numbers = st.integers(0, 2**32 - 1).map(np.random.default_rng)


def random_segments(rng: np.random.Generator, pieces: int = 5, parts: int = 20) -> Segments:
    """Lines and bends by turns, each cut into parts, with limits of their own."""
    columns = []
    for _ in range(pieces):
        bend = rng.choice([0.0, 10.0 ** rng.uniform(-1, 2)])
        count = parts if bend else 1
        total = rng.uniform(0.5, 5)
        row = (rng.uniform(0.02, 0.5) / count, rng.uniform(0.05, 2), rng.uniform(0.3, 1) * total)
        columns += [(*row, total, bend)] * count
    rows = np.array(columns).T
    slow = np.where(rng.random(rows.shape[1]) < 0.05, rng.uniform(0.02, 0.5), math.inf)
    return Segments(*rows, slow)


def check_limits(cut: Segments, law: TimeLaw) -> None:
    """At instants all over the law: speed, acceleration along the path, the whole vector."""
    t = np.union1d(np.linspace(0, law.duration, 3000), law.t)
    t = np.unique(np.concatenate([t, *(law.t[:-1] + x * np.diff(law.t) for x in (1e-6, 0.999999))]))
    k = np.clip(np.searchsorted(law.t, t, side="right") - 1, 0, len(law.a) - 1)
    s, v, a = law.at(t), law.rate(t), law.a[k] + law.j[k] * (t - law.t[k])
    ends = cut.ends
    inside = np.abs(s[:, None] - ends).min(axis=1) > 1e-9 * ends[-1]
    i = np.minimum(np.searchsorted(ends, s[inside]), len(ends) - 1)
    v, a = v[inside], a[inside]
    assert (v <= cut.speed[i] * (1 + 1e-9)).all()
    assert (np.abs(a) <= cut.acc[i] * (1 + 1e-6) + 1e-9).all()
    assert (np.hypot(a, cut.bend[i] * v * v) <= cut.total[i] * (1 + 1e-6)).all()
    passed = np.isfinite(cut.pass_speed) & (ends < ends[-1])
    assert (law.rate(law.time_of(ends[passed])) <= cut.pass_speed[passed] * (1 + 1e-9)).all()


@settings(max_examples=60, deadline=None)
@given(numbers)
def test_limits_hold_at_every_instant(rng) -> None:
    cut = random_segments(rng)
    law = path_law(cut)
    assert law.length == pytest.approx(cut.length.sum(), rel=1e-12)
    assert law.s[-1] == law.length
    assert (np.diff(law.t) >= 0).all()
    check_limits(cut, law)
    s = np.linspace(0, law.length, 200)
    assert law.at(law.time_of(s)) == pytest.approx(s, abs=1e-9 * law.length)


@settings(max_examples=30, deadline=None)
@given(numbers)
def test_without_bends_it_is_the_law_of_pieces(rng) -> None:
    cut = random_segments(rng)
    straight = Segments(
        cut.length, cut.speed, cut.acc, cut.total, 0 * cut.bend, cut.bend * 0 + math.inf
    )
    law = path_law(straight)
    same = fastest_law(cut.length.tolist(), cut.speed.tolist(), cut.acc.tolist())
    assert law.duration == pytest.approx(same.duration, rel=1e-12)


@settings(max_examples=15, deadline=None)
@given(numbers)
def test_none_is_much_faster(rng) -> None:
    """In the phase plane, in small steps: 200 parts of a bend lose less than 2 %, 20 more."""
    cut = random_segments(rng, pieces=3, parts=200)
    law = path_law(cut)
    ends = cut.ends
    s = np.unique(np.concatenate([np.linspace(0, ends[-1], 20000), ends]))
    i = np.minimum(np.searchsorted(ends, (s[1:] + s[:-1]) / 2), len(ends) - 1)
    steps = np.diff(s)
    with np.errstate(divide="ignore"):
        most = np.minimum(cut.speed**2, cut.total / cut.bend)[i]
    square = np.append(most, 0.0)
    square[1:] = np.minimum(square[1:], np.append(most[1:], 0.0))
    square[1:-1] = np.minimum(square[1:-1], most[:-1])
    square[0] = 0.0
    at = np.searchsorted(s, ends - 1e-12)
    square[at] = np.minimum(square[at], cut.pass_speed**2)

    def gain(k: int, w: float) -> float:
        left = math.sqrt(max(cut.total[i[k]] ** 2 - (cut.bend[i[k]] * w) ** 2, 0.0))
        return w + 2 * steps[k] * min(cut.acc[i[k]], left)

    for k in range(len(steps)):
        square[k + 1] = min(square[k + 1], gain(k, square[k]))
    for k in range(len(steps) - 1, -1, -1):
        square[k] = min(square[k], gain(k, square[k + 1]))
    v = np.sqrt(square)
    best = float((2 * steps / (v[1:] + v[:-1])).sum())
    assert best * (1 - 1e-3) <= law.duration <= 1.02 * best


def in_parts(cut: Segments, count: int) -> Segments:
    """The same with every segment in so many parts."""
    limits = (np.repeat(c, count) for c in (cut.speed, cut.acc, cut.total, cut.bend))
    passed = np.full((len(cut.length), count), math.inf)
    passed[:, -1] = cut.pass_speed
    return Segments(np.repeat(cut.length, count) / count, *limits, passed.ravel())


@settings(max_examples=60, deadline=None)
@given(numbers, st.floats(-0.5, 2.5).map(lambda x: 10.0**x))
@example(np.random.default_rng(5991420), 10.0**2.5)  # faster than 20 parts of a bend without jerks
def test_jerk_is_limited_and_so_is_all_the_rest(rng, jerk) -> None:
    cut = random_segments(rng)
    law = jerk_path_law(cut, jerk)
    assert np.abs(law.j).max() <= jerk * (1 + 1e-9)
    d = np.diff(law.t)
    assert law.a[:-1] + (d * law.j)[:-1] == pytest.approx(law.a[1:], abs=1e-6)  # no step
    assert law.a[0] == pytest.approx(0.0, abs=1e-9)
    assert (law.a + d * law.j)[-1] == pytest.approx(0.0, abs=1e-6)
    check_limits(cut, law)
    # 400 parts of a bend lose less than 2 % (above), 20 may lose more than the jerk costs
    assert 1.02 * law.duration >= path_law(in_parts(cut, 20)).duration
    s = np.linspace(0, law.length, 200)
    assert law.at(law.time_of(s)) == pytest.approx(s, abs=1e-9 * law.length)
    times = np.linspace(0, law.duration, 5000)
    (peak,) = law.peaks(np.array([0.0, law.duration]))
    assert law.rate(times).max() - 1e-12 <= peak <= law.rate(times).max() * 1.01 + 1e-3


@settings(max_examples=40, deadline=None)
@given(numbers, st.sampled_from([None, 3.0]))
def test_the_peaks_between_times_are_the_largest_speeds_there(rng, jerk) -> None:
    """Against many values; places where two phases meet are times like others, so are both ends."""
    cut = random_segments(rng)
    law = path_law(cut) if jerk is None else jerk_path_law(cut, jerk)
    own = rng.choice(law.t, 2)
    cuts = np.sort(np.concatenate([[0.0, law.duration], own, rng.uniform(0, law.duration, 3)]))
    peaks = law.peaks(cuts)
    assert len(peaks) == len(cuts) - 1
    for peak, (a, b) in zip(peaks, pairwise(cuts), strict=True):
        times = np.linspace(a, b, 2000)
        most = law.rate(times).max()
        between = np.abs(law.acceleration(times)).max() * (b - a) / 1999
        assert most - 1e-12 <= peak <= most + between + 1e-12


@settings(max_examples=30, deadline=None)
@given(numbers, st.floats(0.001, 1.0))
def test_the_mean_of_a_law_is_its_mean(rng, span) -> None:
    """Against the mean of many values."""
    law = path_law(random_segments(rng, 3))
    smooth = averaged(law, span)
    assert smooth.duration == pytest.approx(law.duration + span)
    x = (np.arange(4000) + 0.5) / 4000
    for t in np.linspace(0, smooth.duration, 7):
        wanted = law.at(t - span * x).mean()
        assert smooth.at(np.array([t]))[0] == pytest.approx(wanted, abs=1e-6 * law.length)


@settings(max_examples=30, deadline=None)
@given(numbers, st.floats(0.001, 0.3))
def test_widened_limits_hold_around_their_place(rng, span) -> None:
    """Each segment's limits, as far away as its speed goes in the span."""
    cut = random_segments(rng, 4)
    wide = widened(cut, span)
    middle = wide.ends - wide.length / 2
    top = np.minimum(cut.speed, np.sqrt(cut.total / np.maximum(cut.bend, 1e-300)))
    for s, speed, acc, total, bend in zip(
        middle, wide.speed, wide.acc, wide.total, wide.bend, strict=True
    ):
        near = (cut.ends - cut.length - top * span <= s) & (s <= cut.ends + top * span)
        assert acc == cut.acc[near].min()
        assert total == cut.total[near].min()
        assert bend == cut.bend[near].max()
        slow = np.abs(cut.ends - s) <= cut.pass_speed * span
        passed = cut.pass_speed[slow & np.isfinite(cut.pass_speed)]
        assert speed == min(cut.speed[near].min(), *passed, math.inf)
