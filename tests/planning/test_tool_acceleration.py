"""The whole vector of the tool point's acceleration: within `acc` on lines, arcs and in corners.

Measured at the samples of a fine plan by second differences. A second difference is a mean of the
acceleration over two cycles, so that it may not exceed the limit at all; what is allowed on top
is what rounding makes of positions of 1 m, a few 1e-16, divided by dt^2.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

import erfd
from erfd.planning.moves import Move
from erfd.planning.plan import Plan
from erfd.planning.planner import plan
from support.lola_moves import LOLA, READY, circle, lin, pose
from support.path_programs import numbers, random_program

FINE = 5e-4
ROUNDING = 1e-8
"""m/s2 that rounding makes of second differences at steps of FINE."""


def accelerations(made: Plan) -> np.ndarray:
    """The sizes of the tool point's acceleration (N - 2,) by differences, from rest to rest."""
    p = made.poses[:, :3, 3]
    return np.linalg.norm(np.diff(p, 2, axis=0), axis=1) / made.trajectory.dt**2


def allowed(made: Plan, moves: list[Move]) -> np.ndarray:
    """The larger `acc` of the moves that three samples in a row are of (N - 2,)."""
    acc = np.array([move.acc for move in moves])[made.move]
    return np.max([acc[:-2], acc[1:-1], acc[2:]], axis=0)


def one_chain(moves: list[Move]) -> Plan:
    made = plan(LOLA, moves, FINE, q0=READY)
    assume(made.reachable)
    return made


@settings(max_examples=25, deadline=None)
@given(numbers, st.integers(1, 4), st.floats(-4, -0.5).map(lambda x: 10.0**x))
def test_in_rounded_corners_of_every_size(rng, count, distance) -> None:
    """Lines and arcs in any order, zones from 0.1 to 300 mm."""
    _, moves = random_program(rng, count, False, c_cp=distance)
    made = one_chain(moves)
    assert (accelerations(made) <= allowed(made, moves) + ROUNDING).all()


@settings(max_examples=25, deadline=None)
@given(numbers, st.integers(1, 4), st.sampled_from(["even", "smooth"]))
def test_on_smooth_paths(rng, count, turning) -> None:
    """Along one another's tangents, at up to 1.5 m/s through arcs of 1 cm and more."""
    _, moves = random_program(rng, count, True, c_speed=True, turning=turning)
    made = one_chain(moves)
    assert (accelerations(made) <= allowed(made, moves) + ROUNDING).all()


@settings(max_examples=10, deadline=None)
@given(numbers, st.floats(0.3, 2.0))
def test_limits_of_turning_are_kept_as_well(rng, acc_ori) -> None:
    _, moves = random_program(rng, 3, True, c_speed=True, speed_ori=0.5, acc_ori=acc_ori)
    made = one_chain(moves)
    assert (accelerations(made) <= allowed(made, moves) + ROUNDING).all()


def arc_time(radius: float, angle: float, acc: float) -> float:
    """The time of the fastest run of an arc from rest to rest whose whole acceleration is `acc`.

    w = v^2 = (acc radius) sin(2 s / radius) up to 45 degrees of the arc, from there on at most
    acc radius; the time is the integral of ds / v.
    """
    half = angle / 2
    ramp = min(half, math.pi / 4)
    substituted, _ = quad(lambda x: 2 * x / math.sqrt(math.sin(2 * x * x)), 0, math.sqrt(ramp))
    rest = max(half - math.pi / 4, 0.0)
    return 2 * math.sqrt(radius / acc) * (substituted + rest)


@pytest.mark.parametrize("angle", [20.0, 80.0, 200.0, 700.0])
def test_an_arc_takes_the_time_of_its_closed_form(angle) -> None:
    """Half a degree of arc is run with one acceleration, which costs less than 1 %."""
    radius, acc = 0.1, 1.5
    via, end = pose(0.1, 0.1), pose(0.0, 0.2)
    move = circle(via, end, speed=10.0, acc=acc, angle=math.radians(angle))
    made = plan(LOLA, [move], FINE, q0=READY)
    assert made.moves[0].radius == pytest.approx(radius)
    best = arc_time(radius, math.radians(angle), acc)
    assert best <= made.duration < 1.01 * best + FINE
    if angle > 90:
        assert made.moves[0].peak_speed == pytest.approx(math.sqrt(acc * radius), rel=1e-2)


@pytest.mark.parametrize("reach", [1e-4, 1e-3, 0.02])
@pytest.mark.parametrize("corner", [30.0, 90.0, 150.0])
def test_the_speed_through_a_corner_follows_from_its_bend(reach, corner) -> None:
    """The parabola between lines bends most in its middle, by sin(c/2) / (R cos^2(c/2))."""
    half = math.radians(corner) / 2
    ahead = (0.1 * math.cos(2 * half), 0.1 * math.sin(2 * half))
    options = {"speed": 2.0, "acc": 3.0, "c_cp": reach}
    moves = [lin(pose(0.1), 1, **options), lin(pose(0.1 + ahead[0], ahead[1]), 2, **options)]
    made = plan(LOLA, moves, 1e-4, q0=READY)
    p = made.poses[:, :3, 3]
    vertex = np.linalg.norm(p - pose(0.1).position, axis=1).argmin()
    speed = np.linalg.norm(p[vertex + 1] - p[vertex - 1]) / 2e-4
    radius = reach * math.cos(half) ** 2 / math.sin(half)
    assert speed == pytest.approx(math.sqrt(3.0 * radius), rel=0.02)
    assert accelerations(made).max() == pytest.approx(3.0, rel=0.02)


def test_a_small_corner_is_a_step_that_the_cycle_allows() -> None:
    """0.9 degrees at 0.63 m/s are a step of 9.9 mm/s; acc allows 10 in a cycle of 10 ms, 4 in 4."""
    corner = math.radians(0.9)
    ahead = (0.2 * math.cos(corner), 0.2 * math.sin(corner))
    options = {"speed": 1.5, "acc": 1.0, "c_speed": True}
    moves = [lin(pose(-0.3), 1), lin(pose(0.0), 2, **options)]
    moves += [lin(pose(*ahead), 3, **options)]
    free = math.sqrt(2 * 1.0 * 0.2)  # m/s that the shorter line leaves time for
    for cycle in (0.01, 0.004):
        for dt in (0.01, 0.002):
            made = plan(replace(LOLA, cycle_time=cycle), moves, dt, q0=READY)
            (step,) = [note.value for note in made.notes if note.kind == "corner"]
            most = min(2 * free * math.sin(corner / 2), 1.0 * cycle)
            assert most * 0.98 < step <= most * (1 + 1e-9)  # stretched to whole cycles


@settings(max_examples=15, deadline=None)
@given(numbers, st.integers(1, 3), st.booleans(), st.floats(0.3, 2).map(lambda x: 10.0**x))
def test_with_a_jerk_the_vector_is_within_its_limit_as_well(rng, count, smooth, jerk) -> None:
    style = {"c_speed": True} if smooth else {"c_cp": 0.05}
    _, moves = random_program(rng, count, smooth, jerk=jerk, **style)
    made = one_chain(moves)
    assert (accelerations(made) <= allowed(made, moves) + ROUNDING).all()
    free = one_chain([replace(move, jerk=None) for move in moves])
    assert free.duration < made.duration
    assert np.abs(free.poses[-1] - made.poses[-1]).max() < 1e-9


@settings(max_examples=25, deadline=None)
@given(numbers, st.floats(0.0, 2).map(lambda x: 10.0**x))
def test_jerk_along_lines_and_arcs_by_third_differences(rng, jerk) -> None:
    """Of the length, found from the points; 1e-4 m/s3 are rounding at steps of 5 ms."""
    (way,), moves = random_program(rng, 1, True, jerk=jerk)
    made = plan(LOLA, moves, 0.005, q0=READY)
    s, _ = way.found(made.poses[:, :3, 3])
    s = np.concatenate([np.zeros(3), s, np.full(3, s[-1])])  # at rest before and behind
    third = np.abs(np.diff(s, 3)) / 0.005**3
    assert third.max() <= jerk * (1 + 1e-6) + 1e-4


def test_jerk_of_a_line_by_third_differences() -> None:
    """1 m/s2 reached in 0.1 s, on a line, where the chord is the path."""
    made = plan(LOLA, [lin(pose(0.3), speed=0.4, acc=1.0, jerk=10.0)], FINE, q0=READY)
    s = np.linalg.norm(made.poses[:, :3, 3] - made.poses[0, :3, 3], axis=1)
    third = np.diff(s, 3) / FINE**3
    assert np.abs(third).max() <= 10.0 * (1 + 1e-3) + 1e-4
    assert np.abs(np.diff(s, 2)).max() / FINE**2 == pytest.approx(1.0, rel=1e-3)
    assert made.duration == pytest.approx(0.3 / 0.4 + 0.4 / 1.0 + 0.1, abs=2 * FINE)
    assert erfd.forward_kinematics(LOLA, made.trajectory.q[-1]) == pytest.approx(made.poses[-1])
