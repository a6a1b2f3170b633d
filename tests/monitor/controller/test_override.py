"""The speed override: smooth whatever is ordered, and the path that it goes along."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erfd.monitor.controller.override import BEND, SLOPE, Override
from erfd.monitor.controller.override import JointPath as JointPath


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(1, 150)), min_size=1, max_size=8),
    st.sampled_from([0.001, 0.004, 0.01]),
)
def test_the_override_is_smooth(orders: list[tuple[float, int]], dt: float) -> None:
    """Any targets at any time: within 0 and 1, slope and bend bounded, reached in the end."""
    override = Override(0.0)
    rates = [0.0]
    for target, cycles in orders:
        override.set(target)
        rates += [override.step(dt) for _ in range(cycles)]
    rates += [override.step(dt) for _ in range(round(1.5 / dt))]
    assert rates[-1] == orders[-1][0]
    assert min(rates) >= 0
    assert max(rates) <= 1
    slopes = np.diff(rates) / dt
    assert np.abs(slopes).max() <= SLOPE * (1 + 1e-9)
    # the last step onto a target may take up to three of the usual bends
    assert np.abs(np.diff(slopes)).max() <= 3 * BEND * dt * (1 + 1e-9)


def test_a_stop_from_full_speed_takes_what_the_page_says() -> None:
    override = Override(1.0)
    override.set(0.0)
    cycles = 0
    while override.rate > 0:
        before = override.rate
        assert override.step(0.001) <= before  # never up again
        cycles += 1
    assert 0.55 < 0.001 * cycles < 0.65


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 12))
def test_a_path_passes_its_samples(seed: int, size: int) -> None:
    """Exact at samples, continuous with its slope in between, and a cubic is met exactly."""
    rng = np.random.default_rng(seed)
    path = JointPath(rng.normal(size=(size, 2)), 0.01)
    for k in range(size):
        assert np.array_equal(path.at(float(k)), path.q[k])
    assert np.array_equal(path.at(-3.0), path.q[0])
    assert np.array_equal(path.at(path.end + 3), path.q[-1])
    h = 1e-6
    for k in range(1, size - 1):
        before = (path.at(k) - path.at(k - h)) / h
        after = (path.at(k + h) - path.at(k)) / h
        assert np.allclose(before, after, atol=1e-4)  # h times the second derivative
    line = JointPath(np.arange(5.0)[:, None] * [1.0, -2.0] + 3, 0.01)
    x = float(rng.uniform(0, 4))
    assert np.allclose(line.at(x), [3 + x, 3 - 2 * x], rtol=1e-14)
    square = JointPath((np.arange(6.0) ** 2)[:, None], 0.01)
    x = float(rng.uniform(1, 4))
    assert square.at(x)[0] == pytest.approx(x * x, rel=1e-13)  # inside, a parabola, too
