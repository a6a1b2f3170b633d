"""Paths from points, trajectories and programs: splines, corners, stops and waits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.errors import InputError
from erfd.planning.moves import JointTarget, Move, Pause
from erfd.timing.path_points import corners, path_of

LOLA = erfd.load("lola15")
seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)


@given(seeds)
@settings(max_examples=20)
def test_a_spline_goes_through_its_points_smoothly(rng: np.random.Generator) -> None:
    points = rng.uniform(-0.5, 0.5, (int(rng.integers(2, 9)), 6))
    (piece,) = path_of(LOLA, points).pieces
    assert piece.curve(piece.knots) == pytest.approx(points, abs=1e-12)
    for k in piece.knots[1:-1]:
        before, after = piece.curve(k - 1e-7, 2), piece.curve(k + 1e-7, 2)
        assert before == pytest.approx(after, abs=1e-3 * (1 + np.abs(after).max()))


def test_the_deviation_from_the_polygon_is_said() -> None:
    line = path_of(LOLA, np.outer([0.0, 0.3, 1.0], np.ones(6)) * 0.5)
    assert line.deviation == pytest.approx(0.0, abs=1e-12)
    bent = path_of(LOLA, [[0.0] * 6, [0.5, 0, 0, 0, 0, 0], [0.5, 0.5, 0, 0, 0, 0]])
    assert 0.01 < bent.deviation < 0.5


@given(seeds, st.floats(0.5, 3.0))
@settings(max_examples=20)
def test_corners_of_a_trajectory_are_at_their_tips(rng: np.random.Generator, angle: float) -> None:
    """From rest to rest along two lines with an angle between them."""
    first, other = np.linalg.qr(rng.normal(size=(6, 2)))[0].T
    second = np.cos(angle) * first + np.sin(angle) * other
    s = 0.5 - 0.5 * np.cos(np.linspace(0, np.pi, 101))
    q = np.vstack([np.outer(s, first), first + np.outer(s[1:], second)]) * 0.5
    assert corners(q) == [100]
    path = path_of(LOLA, erfd.Trajectory(0.01 * np.arange(201), q))
    assert len(path.pieces) == 2
    assert path.pieces[0].curve(path.pieces[0].end) == pytest.approx(q[100])


@given(seeds)
@settings(max_examples=20)
def test_smooth_trajectories_have_no_corner(rng: np.random.Generator) -> None:
    t = np.linspace(0, 2.0, 201)
    a, b = rng.normal(size=(2, 6))
    q = 0.4 * (np.outer(np.sin(t), a) + np.outer(np.cos(1.7 * t), b))
    assert corners(q) == []


def test_standing_still_adds_nothing() -> None:
    q = np.outer(np.linspace(0, 0.5, 51), np.ones(6))
    held = np.vstack([q[:1].repeat(5, 0), q, q[-1:].repeat(7, 0)])
    path = path_of(LOLA, erfd.Trajectory(0.01 * np.arange(len(held)), held))
    assert path.length == pytest.approx(0.5 * np.sqrt(6))
    with pytest.raises(InputError, match="expected points that are apart"):
        path_of(LOLA, erfd.Trajectory(0.01 * np.arange(5), q[:1].repeat(5, 0)))


def test_a_program_stops_and_waits_where_it_says() -> None:
    moves = [
        Move("ptp", (JointTarget((0.4, 0.2)),), line=1, c_ptp=True),
        Move("ptp", (JointTarget((0.8, 0.1)),), line=2),
        Pause(0.3, line=3),
        Move("ptp", (JointTarget((0.0, 0.0)),), line=4),
        Pause(0.1, line=5),
    ]
    path = path_of(LOLA, erfd.plan(LOLA, moves))
    assert len(path.pieces) == 2
    assert path.pauses == pytest.approx((0.0, 0.3, 0.1))


def test_paths_beyond_the_joints_are_refused() -> None:
    with pytest.raises(InputError, match="joint 5 within -120 to 120 deg, found 13"):
        path_of(LOLA, [[0.0] * 6, [0, 0, 0, 0, 2.3, 0]])
    swing = [[0, 0, 0, 0, x, 0] for x in (0.0, 2.09, 2.0, 2.09, 0.0)]
    with pytest.raises(InputError, match="on the spline between two points"):
        path_of(LOLA, swing)
