"""Samples: the same in any order, and distributed as they say."""

import numpy as np
import pytest
from scipy import stats

from erfd.errors import InputError
from erfd.studies.distributions import distribution_of
from erfd.studies.sampling import REPLICATES, Sampling

BOTH = [distribution_of("a", "normal(5, 0.3)"), distribution_of("b", "2..3")]


@pytest.mark.parametrize("method", ["random", "lhs", "sobol", "grid"])
def test_any_range_can_be_drawn_alone(method: str) -> None:
    sampling = Sampling.of(method, BOTH, 9000, 7)
    whole = sampling.draws(0, sampling.total)
    assert len(whole) == sampling.total >= (121 if method == "grid" else 9000)
    for first, last in ((0, 1), (4000, 4200), (sampling.total - 3, sampling.total), (5, 5)):
        assert np.array_equal(sampling.draws(first, min(last, sampling.total)), whole[first:last])
    other = Sampling.of(method, BOTH, 9000, 8).draws(0, 50)
    assert np.array_equal(other, whole[:50]) == (method == "grid")


@pytest.mark.parametrize("method", ["random", "lhs", "sobol"])
def test_samples_are_distributed_as_they_say(method: str) -> None:
    sampling = Sampling.of(method, BOTH, 4096, 1)
    draws = sampling.draws(0, sampling.total)
    assert stats.kstest(draws[:, 0], stats.norm(5, 0.3).cdf).pvalue > 1e-3
    assert stats.kstest(draws[:, 1], stats.uniform(2, 1).cdf).pvalue > 1e-3
    assert abs(np.corrcoef(draws.T)[0, 1]) < 0.06


def test_a_hypercube_has_one_point_in_every_slice() -> None:
    sampling = Sampling.of("lhs", BOTH, 160, 2)
    for first in range(0, sampling.total, sampling.replicate):
        slices = np.floor((sampling.draws(first, first + 10)[:, 1] - 2) * 10)
        assert sorted(slices.tolist()) == list(range(10))
    assert sampling.total == REPLICATES * sampling.replicate


def test_what_cannot_be_sampled() -> None:
    with pytest.raises(InputError, match="samples: expected at least 32 for lhs"):
        Sampling.of("lhs", BOTH, 20, 0)
    many = [distribution_of("x", "0..1/1000")] * 4
    with pytest.raises(InputError, match="expected a grid of at most 100,000,000"):
        Sampling.of("grid", many, 20, 0)
