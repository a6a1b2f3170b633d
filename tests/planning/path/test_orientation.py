"""Turns along a path: against SciPy, joined with one rate, exact where nothing turns."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from erfd.planning.path.orientation import (
    OrientationPath,
    joined,
    rotation_about,
    rotation_vector,
    rotations_about,
)
from support.random_paths import between, numbers


@settings(max_examples=200, deadline=None)
@given(numbers, st.sampled_from([1e-12, 1e-7, 1e-3, 1.0, 3.0, 3.14159, math.pi]))
def test_rotation_vector_against_scipy(rng, angle) -> None:
    axis = rng.normal(size=3)
    vector = angle * axis / np.linalg.norm(axis)
    matrix = Rotation.from_rotvec(vector).as_matrix()
    # against 40 digits both are wrong by up to 1e-15: nine roundings of numbers up to 2
    assert rotation_about(vector) == pytest.approx(matrix, abs=2e-15)
    found = rotation_vector(matrix)
    assert np.linalg.norm(found) <= math.pi * (1 + 1e-15)
    assert rotation_about(found) == pytest.approx(matrix, abs=1e-14)
    if angle < 3.1:
        assert found == pytest.approx(vector, abs=1e-14)


def random_orientation(rng: np.random.Generator, start: np.ndarray) -> OrientationPath:
    vector = rng.uniform(-1, 1, 3)
    spin = rng.normal(size=3) * rng.integers(0, 2)
    return OrientationPath(start, vector, rng.uniform(0.1, 2), spin, np.zeros(3), np.zeros(3))


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
    long = OrientationPath(
        rotation_about(short.vector), np.array([0.1, 0, 0]), 1.0, none, none, none
    )
    _, after = joined(short, long)
    s = np.linspace(0, 1, 500)
    assert np.linalg.norm(between(long.at(s), after.at(s)), axis=1).max() < 0.1


def test_turned_is_exact_where_nothing_turns() -> None:
    assert (rotations_about(np.zeros(3), np.ones(2)) == np.eye(3)).all()
