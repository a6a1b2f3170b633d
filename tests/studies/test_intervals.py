"""Intervals cover what they say, over a thousand small studies."""

import numpy as np
import pytest
from scipy import stats

from erfd.studies.intervals import clopper_pearson, of_replicates, quantile_bound, sequential


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_clopper_pearson_is_the_one_of_scipy(confidence: float) -> None:
    for count, of in ((0, 10), (3, 10), (10, 10), (500, 1000), (1, 1)):
        other = stats.binomtest(count, of).proportion_ci(confidence, method="exact")
        assert clopper_pearson(count, of, confidence) == pytest.approx((other.low, other.high))


@pytest.mark.parametrize("p", [0.02, 0.5, 0.9, 0.999])
def test_intervals_cover_the_probability(p: float) -> None:
    """Of 1,000 repeated studies at most the missing confidence leaves it out (and 4 deviations)."""
    rng = np.random.default_rng(11)
    passed = rng.random((1000, 200)) < p
    counts = passed.sum(axis=1)
    exact = sum(low <= p <= high for low, high in (clopper_pearson(int(k), 200) for k in counts))
    assert exact >= 950 - 4 * np.sqrt(1000 * 0.05 * 0.95)
    shares = passed.reshape(1000, 10, 20).mean(axis=2)
    if 0.1 < p < 0.95:  # Student's t asks for more than a few failures
        t = sum(low <= p <= high for low, high in (of_replicates(s, 200) for s in shares))
        assert t >= 950 - 4 * np.sqrt(1000 * 0.05 * 0.95)


@pytest.mark.parametrize("p", [0.05, 0.5, 0.97])
def test_the_sequential_interval_covers_at_all_times(p: float) -> None:
    """Whoever stops at the worst moment is still right: looked at after every few draws."""
    rng = np.random.default_rng(12)
    looked = np.unique(np.geomspace(1, 2000, 25).astype(int))
    missed = 0
    for _ in range(200):
        counts = np.cumsum(rng.random(2000) < p)
        intervals = (sequential(int(counts[k - 1]), int(k)) for k in looked)
        missed += any(not low <= p <= high for low, high in intervals)
    assert missed <= 10 + 4 * np.sqrt(10)
    low, high = sequential(900, 1000)
    exact = clopper_pearson(900, 1000)
    assert low < exact[0] < 0.9 < exact[1] < high
    assert sequential(0, 0) == (0.0, 1.0)
    assert sequential(7, 7)[1] == 1.0


def test_the_bound_of_a_quantile() -> None:
    rng = np.random.default_rng(13)
    true = float(stats.norm.ppf(0.05))
    bounds = [quantile_bound(rng.normal(size=200), 0.05, 0.9) for _ in range(400)]
    assert np.mean(np.array(bounds) <= true) >= 0.9 - 4 * np.sqrt(0.09 / 400)
    assert quantile_bound(rng.normal(size=20), 0.01, 0.95) == -np.inf
