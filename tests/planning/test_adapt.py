"""Speeds on paths that are fitted to the axes: their limits hold, the path stays, none is faster.

Velocities and accelerations are those of the samples at the controller's cycle, as a verdict takes
them. They may use all of a limit and a thousandth more: the planner keeps 1 % in hand for what lies
between the places that it looks at.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import coo_array, vstack

import erfd
from erfd.errors import InputError
from erfd.planning.moves import JointTarget, Move, PoseTarget
from erfd.planning.plan import Plan
from erfd.planning.planner import plan
from support.lola_moves import HERE, LOLA, READY, TOOL, lin, pose
from support.path_programs import numbers, random_program

SPEED = np.array([joint.velocity_max for joint in LOLA.joints])
ACC = np.array([joint.acceleration_max for joint in LOLA.joints])
ROTOR = np.array([drive.speed_max for drive in LOLA.drives])
GEARS = np.array(LOLA.gear_matrix)


def most(made: Plan) -> float:
    """The largest part of a limit that a plan uses: speeds of joints and rotors, accelerations."""
    qd = np.vstack([made.trajectory.qd, 0 * made.trajectory.qd[:1]])
    qdd = np.diff(qd, axis=0) / made.trajectory.dt
    parts = (np.abs(qd) / SPEED, np.abs(qd @ GEARS.T) / ROTOR, np.abs(qdd) / ACC)
    return max(float(part.max()) for part in parts)


def away(points: np.ndarray, line: np.ndarray) -> float:
    """How far the farthest of the points is from a finely cut line, m."""
    worst = 0.0
    start, step = line[:-1], np.diff(line, axis=0)
    size = np.maximum(np.einsum("ij,ij->i", step, step), 1e-300)
    for point in points:
        near = np.argsort(np.linalg.norm(line[:-1] - point, axis=1))[:4]
        x = np.clip(((point - start[near]) * step[near]).sum(axis=1) / size[near], 0, 1)
        gaps = np.linalg.norm(start[near] + x[:, None] * step[near] - point, axis=1)
        worst = max(worst, float(gaps.min()))
    return worst


styles = st.sampled_from([{"c_speed": True}, {"c_cp": 0.03}, {"c_cp": 0.001}])
turnings = st.sampled_from(["even", "smooth"])


@settings(max_examples=40, deadline=None)
@given(numbers, st.integers(1, 4), styles, turnings, st.sampled_from([None, 20.0]))
def test_no_limit_is_exceeded_and_the_path_stays(rng, count, style, turning, jerk) -> None:
    """Lines, arcs and corners at up to 1.5 m/s, of which up to 90 times the limits are asked."""
    _, moves = random_program(rng, count, "c_speed" in style, jerk=jerk, **style)
    made = plan(LOLA, moves, q0=READY, turning=turning, adapt="axes")
    assume(made.reachable and not any(note.kind == "singularity" for note in made.notes))
    assert most(made) <= 1.001
    assert not any(note.kind == "too fast" for note in made.notes)
    free = plan(LOLA, moves, 5e-4, q0=READY, turning=turning)
    assert made.duration >= free.duration - 1e-9
    # what a chord of half a millisecond cuts off at 1.5 m/s from a bend that it can be run through
    assert away(made.poses[:, :3, 3], free.poses[:, :3, 3]) < 1e-6
    assert np.abs(made.poses[-1] - free.poses[-1]).max() < 1e-9
    reached = erfd.forward_kinematics(LOLA, made.trajectory.q)
    assert np.abs(reached - made.poses).max() < 1e-9
    for move, planned in zip(moves, made.moves, strict=True):
        said = [n for n in made.notes if n.kind == "slowed" and n.line == move.line]
        assert [n.value for n in said] == ([planned.slowed] if planned.slowed < 1 else [])
        assert bool(planned.limit) == (planned.slowed < 1)


@settings(max_examples=15, deadline=None)
@given(numbers, styles)
def test_the_acceleration_of_the_tool_stays_within_its_limit(rng, style) -> None:
    _, moves = random_program(rng, 3, "c_speed" in style, **style)
    made = plan(LOLA, moves, 5e-4, q0=READY, adapt="axes")
    assume(made.reachable)
    steps = np.linalg.norm(np.diff(made.poses[:, :3, 3], 2, axis=0), axis=1) / 2.5e-7
    acc = np.array([move.acc for move in moves])[made.move]
    assert (steps <= np.max([acc[:-2], acc[1:-1], acc[2:]], axis=0) * 1.01 + 1e-8).all()


@settings(max_examples=15, deadline=None)
@given(numbers, st.integers(1, 3))
def test_slow_paths_are_left_alone(rng, count) -> None:
    _, moves = random_program(rng, count, True, c_speed=True)
    moves = [replace(move, speed=0.05, acc=0.2) for move in moves]
    free = plan(LOLA, moves, q0=READY)
    fine = plan(LOLA, moves, 1e-3, q0=READY)
    assume(free.reachable and most(fine) < 0.8)
    made = plan(LOLA, moves, q0=READY, adapt="axes")
    assert (made.trajectory.q == free.trajectory.q).all()
    assert {move.slowed for move in made.moves} == {1.0}


def test_point_to_point_is_as_it_was() -> None:
    """Ramps into a path overlap as far as the axes can do both."""
    there = Move("ptp", (PoseTarget(tuple(TOOL[:3, 3].tolist())),), 1, "there", c_ptp=True)
    away_ = Move("ptp", (JointTarget((0.5, 0.5)),), 3, "away", c_ptp=True)
    back = Move("ptp", (JointTarget((0.0, 0.0)),), 4, "back")
    only = [there, away_, back]
    assert (plan(LOLA, only, adapt="axes").trajectory.q == plan(LOLA, only).trajectory.q).all()
    line = lin(pose(0.0, 0.3), 2, speed=1.0, acc=8.0, c_ptp=True)
    q0 = READY + np.array([0.4, -0.2, 0.3, 0.0, 0.2, 0.0])
    free = plan(LOLA, [there, line, away_, back], q0=q0)
    made = plan(LOLA, [there, line, away_, back], q0=q0, adapt="axes")
    assert made.reachable
    assert most(free) > 1.2
    assert most(made) <= 1.001
    stops = [replace(move, c_ptp=False) for move in (there, line, away_, back)]
    assert made.duration < plan(LOLA, stops, q0=q0, adapt="axes").duration


def fastest_by_lp(q: np.ndarray, step: float) -> float:
    """The time of the fastest run along joint positions (N, n) at even lengths, by one LP.

    The fastest w = v^2 is the largest at every place at once, so also in the sum.
    """
    count = len(q)
    slopes = np.gradient(q, step, axis=0, edge_order=2)
    bents = np.gradient(slopes, step, axis=0, edge_order=2)
    rows = np.arange(count - 1)
    matrices, limits = [], []
    for i in range(q.shape[1]):
        for end in (0, 1):  # of each part, which has one acceleration (w[k+1] - w[k]) / (2 step)
            a = slopes[end : count - 1 + end, i] / (2 * step)
            w = bents[end : count - 1 + end, i]
            places = (np.tile(rows, 2), np.concatenate([rows, rows + 1]))
            values = np.concatenate([-a + (1 - end) * w, a + end * w])
            matrix = coo_array((values, places), (count - 1, count))
            matrices += [matrix, -matrix]
            limits += [np.full(count - 1, ACC[i])] * 2
    with np.errstate(divide="ignore"):
        top = (1 / (np.abs(slopes) / SPEED).max(axis=1)) ** 2
        top = np.minimum(top, (1 / (np.abs(slopes @ GEARS.T) / ROTOR).max(axis=1)) ** 2)
    top[[0, -1]] = 0.0
    found = linprog(
        -np.ones(count), vstack(matrices).tocsr(), np.concatenate(limits),
        bounds=np.column_stack([np.zeros(count), top]), method="highs",
    )  # fmt: skip
    v = np.sqrt(np.maximum(found.x, 0))
    return float((2 * step / np.maximum(v[1:] + v[:-1], 1e-9)).sum())


@pytest.mark.parametrize("ahead", [(0.3, 0.0, 0.0), (0.0, 0.4, 0.1), (-0.2, -0.2, -0.1)])
def test_no_run_is_faster_than_that_of_a_linear_program(ahead) -> None:
    """A line at a speed and acceleration that only the axes limit; 1 % of them is kept in hand."""
    turn = [0.3, -0.4, 0.5]
    made = plan(
        LOLA, [lin(pose(*ahead, turn=turn), speed=50.0, acc=500.0)], 1e-3, q0=READY, adapt="axes"
    )
    assert most(made) <= 1.01
    count = 401
    places = plan(LOLA, [lin(pose(*ahead, turn=turn), speed=0.02, acc=1e3)], 1e-3, q0=READY)
    s = np.linalg.norm(places.poses[:, :3, 3] - HERE, axis=1)
    even = np.linspace(0, s[-1], count)
    q = np.column_stack([np.interp(even, s, places.trajectory.q[:, i]) for i in range(6)])
    best = fastest_by_lp(q, float(s[-1]) / (count - 1))
    assert best * 0.995 < made.duration < best * 1.03
    assert made.moves[0].slowed < 0.2


def test_near_a_singularity_it_is_slow_enough() -> None:
    """A line that passes the wrist singularity at 0.015 degrees."""
    start = np.radians([0.0, 20.0, -20.0, 0.0, -8.0, 0.0])
    frame = erfd.forward_kinematics(LOLA, start)
    end = erfd.forward_kinematics(LOLA, np.radians([4.0, 20.0, -20.0, 0.0, 8.0, 0.0]))
    target = PoseTarget(tuple(end[:3, 3].tolist()), tuple(map(tuple, end[:3, :3].tolist())))
    moves = [Move("lin", (target,), 1, "end", speed=0.3, acc=2.0)]
    free = plan(LOLA, moves, q0=start)
    made = plan(LOLA, moves, q0=start, adapt="axes")
    assert np.abs(frame[:3, 3] - end[:3, 3]).max() > 0.01
    assert free.reachable
    assert most(free) > 5
    assert most(made) <= 1.001
    assert 1e-4 < made.moves[0].slowed < 0.01
    assert [note.kind for note in made.notes].count("too fast") == 0


def test_what_no_speed_can_do_is_said() -> None:
    """An axis whose limit is a millionth of what the path asks for: slowed to 1 / 10,000."""
    weak = replace(
        LOLA, joints=(replace(LOLA.joints[0], velocity_max=1e-7), *LOLA.joints[1:]), drives=()
    )
    made = plan(weak, [lin(pose(0.0, 0.02), speed=0.2, acc=9.0)], q0=READY, adapt="axes")
    (note,) = [note for note in made.notes if note.kind == "too fast"]
    assert note.sentence.startswith("a ten-thousandth of its speed is too fast for the axes still:")
    assert note.sentence.endswith("% of axis 1 speed")
    assert note.value > 10
    assert 1e-4 <= made.moves[0].slowed < 2e-4
    assert math.isfinite(made.duration)


@pytest.mark.parametrize(("word", "value"), [("adapt", "joints"), ("turning", "round")])
def test_words_that_are_none(word, value) -> None:
    with pytest.raises(InputError, match=rf"{word}: expected .*, found '{value}'"):
        plan(LOLA, [], **{word: value})


@pytest.mark.parametrize("length", [1e-3, 1e-5, 1e-6, 1e-8])
def test_a_very_short_line_is_run_all_the_same(length) -> None:
    """Its speed is a millionth of what the axes allow there: finer than they are searched for."""
    move = lin(pose(length, length), 1, speed=0.2, acc=2.0)
    free = plan(LOLA, [move], q0=READY, dt=1e-4)
    made = plan(LOLA, [move], q0=READY, dt=1e-4, adapt="axes")
    assert made.reachable
    gap = made.trajectory.q[-1] - free.trajectory.q[-1]
    assert np.abs(gap).max() < 1e-9
    assert free.duration - 1e-4 <= made.duration <= 1.5 * free.duration + 1e-4
