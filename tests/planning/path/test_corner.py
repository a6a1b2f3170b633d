"""Rounded corners: within their distance, by length, along both tangents."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings

from erfd.planning.path.corner import Corner
from erfd.planning.path.curve import angle_between, line
from support.random_paths import numbers, random_curve


@settings(max_examples=100, deadline=None)
@given(numbers)
def test_rounded_corner(rng) -> None:
    """Inside its distance, by length, leaving both curves along their tangents."""
    before = random_curve(rng, np.zeros(3))
    after = random_curve(rng, before.end)
    turn = angle_between(
        before.tangent(np.array([before.length]))[0], after.tangent(np.zeros(1))[0]
    )
    assume(turn < math.radians(175))
    reach = rng.uniform(0.01, 0.5) * min(before.length, after.length)
    corner = Corner.between(before, after, reach)
    s = np.linspace(0, corner.length, 2001)
    points = corner.point(s)
    assert np.linalg.norm(points - before.end, axis=1).max() <= reach * (1 + 1e-12)
    ends = before.point(np.array([before.length - reach]))[0], after.point(np.array([reach]))[0]
    assert np.abs(points[[0, -1]] - ends).max() < 1e-12
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    assert (steps <= corner.length / 2000 * (1 + 1e-9)).all()
    assert steps.sum() == pytest.approx(corner.length, rel=1e-3)
    small = 1e-6 * reach
    near = corner.point(np.array([0.0, small, corner.length - small, corner.length]))
    leaving, arriving = (near[1] - near[0]) / small, (near[3] - near[2]) / small
    sharp = 1e-5 / math.cos(turn / 2) ** 2  # the curve bends on the way of the difference
    assert leaving == pytest.approx(before.tangent(np.array([before.length - reach]))[0], abs=sharp)
    assert arriving == pytest.approx(after.tangent(np.array([reach]))[0], abs=sharp)


def test_corner_between_lines_is_a_parabola() -> None:
    """Against the closed form: vertex, length and axis of the parabola of a 60 degree corner."""
    along = np.array([math.cos(math.radians(60)), math.sin(math.radians(60)), 0])
    before, after = line(np.array([-1.0, 0, 0]), np.zeros(3)), line(np.zeros(3), along)
    corner = Corner.between(before, after, 0.4)
    # |b'(u)| = 2 R sqrt(1 - 2 u (1 - u) (1 - cos 60)): the integral in closed form
    c, s = math.cos(math.radians(30)), math.sin(math.radians(30))
    length = 0.4 * (1 + c * c / s * math.asinh(s / c))
    assert corner.length == pytest.approx(length, rel=1e-13)
    vertex = corner.point(np.array([corner.middle]))[0]
    assert np.linalg.norm(vertex) == pytest.approx(0.4 * s / 2, rel=1e-12)
    assert corner.middle == pytest.approx(length / 2, rel=1e-12)
