"""Arrays from arguments: shapes, finite numbers; what is wrong is said."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from erfd.errors import InputError
from erfd.ground.arrays import Shape, finite_array, finite_vector, nearest, shaped_array


@pytest.mark.parametrize(
    ("value", "shapes", "said"),
    [
        ("much", [(2,)], "x: expected numbers, found 'much'"),
        ([10**400], [(1,)], r"x: expected numbers, found \[10+"),  # no double is as large
        ([[1, 2], [3]], [(2,)], r"x: expected numbers, found \[\[1, 2\], \[3\]\]"),
        ([1, 2, 3], [(2,)], r"x: expected shape \(2,\), found \(3,\)"),
        (1.0, [(..., 2)], r"x: expected shape \(\.\.\., 2\), found \(\)"),
        ([[1, 2]], [(3,), ("N", 3)], r"x: expected shape \(3,\) or \(N, 3\), found \(1, 2\)"),
        ([[1, 2], [3, np.nan]], [("N", 2)], r"x: expected finite numbers, found nan at \[1, 1\]"),
    ],
)
def test_what_does_not_fit_is_said(value: object, shapes: list[Shape], said: str) -> None:
    with pytest.raises(InputError, match=f"^{said}$"):
        finite_array("x", value, *shapes)


def test_what_fits_is_a_copy() -> None:
    rows = np.ones((4, 2))
    for shape in ((4, 2), ("N", 2), ("N", "M"), (..., 2), (..., 4, 2)):
        array = finite_array("x", rows, shape)
        assert np.array_equal(array, rows)
        assert not np.shares_memory(array, rows)
    assert np.isinf(shaped_array("x", [np.inf], (1,))).all()


def test_vectors() -> None:
    assert finite_vector("x", [1, 2], 2).tolist() == [1.0, 2.0]
    with pytest.raises(InputError, match=r"x: expected 3 finite numbers, found \[1, 2\]"):
        finite_vector("x", [1, 2], 3)


numbers = st.floats(-10, 10)


@given(st.lists(numbers, min_size=1, max_size=8), st.lists(numbers, max_size=5))
def test_the_nearest_of_rising_numbers(values, wanted) -> None:
    """Against the distances from all of them."""
    rising, sought = np.sort(values), np.array(wanted, dtype=float)
    found = np.abs(rising[nearest(rising, sought)] - sought)
    assert (found == np.abs(rising - sought[:, None]).min(axis=1)).all()
