"""Curves: arcs through their three points, and points that make no circle."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from erfd.planning.path.curve import arc, line
from support.random_paths import numbers


@settings(max_examples=200, deadline=None)
@given(numbers, st.floats(-6, 1))
def test_arc_goes_through_its_three_points(rng, flatness) -> None:
    a, c = rng.normal(size=(2, 3))
    b = a + rng.uniform(0.1, 0.9) * (c - a) + 10.0**flatness * rng.normal(size=3)
    found = arc(a, b, c)
    assume(found is not None)
    s = np.linspace(0, found.length, 4001)
    points = found.point(s)
    center = a + found.radius * found.inward
    scale = 1e-15 * found.radius + 1e-12  # what rounding makes of so large a circle
    assert np.abs(np.linalg.norm(points - center, axis=1) - found.radius).max() < 10 * scale
    # how well three points fix a flat arc: their rounding by the sine between them
    assert np.linalg.norm(points[-1] - c) < 1e-12 + 1e-13 * found.radius
    assert np.linalg.norm(points - b, axis=1).min() <= found.length / 4000
    assert np.linalg.norm(np.diff(points, axis=0), axis=1).sum() == pytest.approx(
        found.length, rel=1e-5
    )
    assert 0 < found.angle < 2 * math.pi
    step = 1e-6 * found.length
    for s0 in (0.3 * found.length, 0.9 * found.length):
        nearby = found.point(np.array([s0 - step, s0 + step]))
        slope = (nearby[1] - nearby[0]) / (2 * step)
        assert slope == pytest.approx(found.tangent(np.array([s0]))[0], abs=1e-6)


def test_points_that_make_no_circle() -> None:
    a, c = np.zeros(3), np.array([1.0, 0, 0])
    for via in (a, c, (a + c) / 2, 3 * c, -c, (a + c) / 2 + [0, 1e-8, 0]):
        assert arc(a, via, c) is None
    assert arc(a, c, a) is None
    assert line(a, a + 1e-10) is None
