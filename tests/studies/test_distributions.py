"""Distributions as text: what they draw, against SciPy; mistakes in one sentence."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from erfd.errors import InputError
from erfd.studies.distributions import distribution_of, in_degrees

PARTS = np.linspace(0.001, 0.999, 41)


@settings(max_examples=20)
@given(st.floats(-5, 5), st.floats(0.1, 3), st.floats(-2, 1), st.floats(0.2, 4))
def test_quantiles_are_those_of_scipy(mean: float, wide: float, a: float, more: float) -> None:
    low, high = mean + a * wide, mean + (a + more) * wide
    for text, other in (
        (f"normal({mean}, {wide})", stats.norm(mean, wide)),
        (f"normal({mean}, {wide}, {low}, {high})", stats.truncnorm(a, a + more, mean, wide)),
        (f"uniform({low}, {high})", stats.uniform(low, high - low)),
        (f"{low}..{high}", stats.uniform(low, high - low)),
        (f"triangular({low}, {low + 0.3 * (high - low)}, {high})",
         stats.triang(0.3, low, high - low)),
    ):  # fmt: skip
        found = distribution_of("x", text)
        assert found.at(PARTS) == pytest.approx(other.ppf(PARTS), rel=1e-6, abs=1e-6)
        assert distribution_of("x", str(found)).at(PARTS) == pytest.approx(found.at(PARTS))


def test_lists_numbers_and_grids() -> None:
    found = distribution_of("x", "[1, 2, 4]")
    assert found.at(np.array([0.0, 0.3, 0.34, 0.99, 1.0])).tolist() == [1, 1, 2, 4, 4]
    assert found.grid.tolist() == [1, 2, 4]
    assert distribution_of("x", [1, 2.5]).grid.tolist() == [1, 2.5]
    assert distribution_of("x", "1, 2").grid.tolist() == [1, 2]
    assert distribution_of("x", 3).at(PARTS).tolist() == [3.0] * len(PARTS)
    assert distribution_of("x", "-1..1/5").grid.tolist() == [-1, -0.5, 0, 0.5, 1]
    assert len(distribution_of("x", "normal(0, 1)").grid) == 11
    assert in_degrees(distribution_of("x", "0..180")).bounds == (0.0, math.pi)
    assert distribution_of("x", "normal(5, 1, 4, inf)").bounds == (4.0, math.inf)


@pytest.mark.parametrize(
    "wrong",
    [
        "", "five", "normal(5)", "normal(5, 0)", "normal(5, 1, 6, 4)", "normal(5, nan)", "5..1",
        "1..5/1", "uniform(2, 1)", "triangular(1, 5, 2)", "gamma(1, 2)", "[]", "1, x", "normal(",
        None, True, {}, [], [None], b"5", float("nan"), math.inf, "uniform(0, inf)",
        "normal(0, 1, 40, 41)", object(), "__import__('os')",
    ],
)  # fmt: skip
def test_what_is_no_distribution(wrong: Any) -> None:
    with pytest.raises(InputError, match=r"^vary payload: expected .+, found "):
        distribution_of("vary payload", wrong)
