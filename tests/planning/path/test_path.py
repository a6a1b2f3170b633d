"""Curves, rounded corners and turns: by length, through their points, smooth where they meet."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from erfd.planning.path.corner import Corner
from erfd.planning.path.course import Stretch, course
from erfd.planning.path.curve import Curve, angle_between, arc, line
from erfd.planning.path.orientation import (
    OrientationPath,
    joined,
    rotation_vector,
    turned,
    turned_once,
)

numbers = st.integers(0, 2**32 - 1).map(np.random.default_rng)


def random_curve(rng: np.random.Generator, start: np.ndarray) -> Curve:
    if rng.random() < 0.5:
        return line(start, start + rng.normal(size=3))
    return arc(start, start + rng.normal(size=3), start + rng.normal(size=3))


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


@settings(max_examples=200, deadline=None)
@given(numbers, st.sampled_from([1e-12, 1e-7, 1e-3, 1.0, 3.0, 3.14159, math.pi]))
def test_rotation_vector_against_scipy(rng, angle) -> None:
    axis = rng.normal(size=3)
    vector = angle * axis / np.linalg.norm(axis)
    matrix = Rotation.from_rotvec(vector).as_matrix()
    # against 40 digits both are wrong by up to 1e-15: nine roundings of numbers up to 2
    assert turned_once(vector) == pytest.approx(matrix, abs=2e-15)
    found = rotation_vector(matrix)
    assert np.linalg.norm(found) <= math.pi * (1 + 1e-15)
    assert turned_once(found) == pytest.approx(matrix, abs=1e-14)
    if angle < 3.1:
        assert found == pytest.approx(vector, abs=1e-14)


def random_orientation(rng: np.random.Generator, start: np.ndarray) -> OrientationPath:
    vector = rng.uniform(-1, 1, 3)
    spin = rng.normal(size=3) * rng.integers(0, 2)
    return OrientationPath(start, vector, rng.uniform(0.1, 2), spin, np.zeros(3), np.zeros(3))


def between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The rotation vectors (N, 3) from orientations a to b (N, 3, 3), in base axes."""
    return Rotation.from_matrix(b @ np.swapaxes(a, 1, 2)).as_rotvec()


def rates(turn: OrientationPath, s: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """The rates of turning (N, 3) per unit of way, by differences, in base axes."""
    return between(turn.at(s - step), turn.at(s + step)) / (2 * step)


@settings(max_examples=100, deadline=None)
@given(numbers)
def test_turns_join_with_one_rate_and_reach_their_ends(rng) -> None:
    first = random_orientation(rng, Rotation.random(rng=rng).as_matrix())
    end = first.at(np.array([first.length]))[0]
    second = random_orientation(rng, end)
    before, after = joined(first, second)
    for turn, plain in ((before, first), (after, second)):
        ends = np.array([0.0, turn.length])
        assert turn.at(ends) == pytest.approx(plain.at(ends), abs=1e-12)
        middle = np.array([turn.length / 2])
        assert turn.at(middle) == pytest.approx(plain.at(middle), abs=1e-12)
        # never farther from the even turn than the joint allows
        s = np.linspace(0, turn.length, 200)
        off = np.linalg.norm(between(plain.at(s), turn.at(s)), axis=1)
        flow = max(np.linalg.norm(turn.inflow), np.linalg.norm(turn.outflow))
        assert off.max() <= flow * turn.length * 2 / 27 * (1 + 1e-9) + 1e-12
        fastest, change = turn.bounds()
        found = rates(turn, s[1:-1])
        assert np.linalg.norm(found, axis=1).max() <= fastest * (1 + 1e-6)
        changes = np.diff(found, axis=0) / (s[1] - s[0])
        assert np.linalg.norm(changes, axis=1).max() <= change * (1 + 1e-4) + 1e-4
    step = 1e-6
    leaving = rates(before, np.array([before.length - step]))
    starting = rates(after, np.array([step]))
    apart = 2 * step * (before.bounds()[1] + after.bounds()[1])  # they are that far from the joint
    assert leaving == pytest.approx(starting, abs=apart + 1e-8)


def test_a_short_move_with_a_large_turn_disturbs_its_neighbour_by_no_more() -> None:
    eye, none = np.eye(3), np.zeros(3)
    short = OrientationPath(eye, np.array([0, 0, 1.0]), 1e-6, none, none, none)
    long = OrientationPath(turned_once(short.vector), np.array([0.1, 0, 0]), 1.0, none, none, none)
    _, after = joined(short, long)
    s = np.linspace(0, 1, 500)
    assert np.linalg.norm(between(long.at(s), after.at(s)), axis=1).max() < 0.1


def test_turned_is_exact_where_nothing_turns() -> None:
    assert (turned(np.zeros(3), np.ones(2)) == np.eye(3)).all()


@settings(max_examples=60, deadline=None)
@given(numbers)
def test_a_course_is_continuous_and_by_length(rng) -> None:
    """Position, tangent and rate of turning have no jump but at corners that stay."""
    stretches, here, turn = [], np.zeros(3), np.eye(3)
    for _ in range(3):
        curve = random_curve(rng, here)
        even = OrientationPath(turn, rng.uniform(-1, 1, 3), curve.length, *np.zeros((3, 3)))
        stretches.append(Stretch(curve, even, 1.0, 1.0))
        here, turn = curve.end, even.at(np.array([curve.length]))[0]
    for a, b in pairwise(stretches):
        sharp = angle_between(
            a.curve.tangent(np.array([a.curve.length]))[0], b.curve.tangent(np.zeros(1))[0]
        )
        assume(sharp < math.radians(150))
    reaches = [
        rng.uniform(0.1, 0.5) * min(a.curve.length, b.curve.length) for a, b in pairwise(stretches)
    ]
    whole = course(stretches, reaches)
    for joint in whole.starts[1:-1]:
        h = 1e-6
        around = np.array([joint - 2 * h, joint - h, joint, joint + h, joint + 2 * h])
        poses = whole.poses(around)
        p, r = poses[:, :3, 3], poses[:, :3, :3]
        assert (p[1] - p[0]) / h == pytest.approx((p[4] - p[3]) / h, abs=2e-3)
        slow, fast = between(r[[0, 3]], r[[1, 4]]) / h
        assert slow == pytest.approx(fast, abs=2e-3)
    s = np.linspace(0, whole.length, 3000)
    steps = np.linalg.norm(np.diff(whole.poses(s)[:, :3, 3], axis=0), axis=1)
    assert (steps <= whole.length / 2999 * (1 + 1e-9)).all()
    for i, one in enumerate(stretches):  # off the corners the moves are as they were
        way = ([0.0, *reaches][i] + one.curve.length - [*reaches, 0.0][i]) / 2
        place = whole.way_of(i, way)
        pose, at = whole.poses(np.array([place]))[0], np.array([way])
        assert np.abs(pose[:3, 3] - one.curve.point(at)[0]).max() < 1e-12
        assert np.abs(pose[:3, :3] - one.orientation.at(at)[0]).max() < 1e-12
        assert whole.way_of(i, one.curve.length) == (whole.length if i == 2 else None)
