"""Fewer points of a curve: extremes and ends stay."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from erfd.report.curves.decimate import decimate, even_rows


@given(st.integers(1, 400), st.integers(1, 3), st.integers(2, 120), st.integers(0, 2**31))
def test_decimation_keeps_every_extreme(size, columns, points, seed):
    rng = np.random.default_rng(seed)
    t, values = np.arange(size) * 0.01, rng.normal(size=(columns, size))
    fewer, kept = decimate(t, values, points)
    assert len(fewer) == kept.shape[1] <= max(points, 2) + 2
    assert (np.diff(fewer) > 0).all()
    np.testing.assert_array_equal(kept.max(axis=1), values.max(axis=1))
    np.testing.assert_array_equal(kept.min(axis=1), values.min(axis=1))
    # and within any window of one group's length there is nothing that is not in the data
    assert np.isin(kept, values).all()


@given(st.integers(1, 10**7), st.integers(2, 500))
def test_thinning_keeps_both_ends(size, points):
    rows = even_rows(size, points)
    assert rows[0] == 0
    assert rows[-1] == size - 1
    assert len(rows) <= max(points, 1)
    assert (np.diff(rows) > 0).all()
