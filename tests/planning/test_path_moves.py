"""Path moves at their samples: on their curves, within their limits, smooth, the same backwards."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

import erfd
from erfd.planning.moves import JointTarget, Move, PoseTarget
from erfd.planning.plan import Plan
from erfd.planning.planner import plan
from support.lola_moves import LOLA, READY, TOOL
from support.path_programs import Way, as_move, numbers, random_program

cycles = st.sampled_from([0.004, 0.01, 0.0137])


def positions(made: Plan) -> np.ndarray:
    return made.poses[:, :3, 3]


def check_samples(made: Plan, ways: list[Way], moves: list[Move]) -> None:
    """On the curves, within speed and acceleration, rounded corners within their reach."""
    p, dt = positions(made), made.trajectory.dt
    reaches = [0.0, *(m.reach for m in made.moves)]
    fastest = np.array([m.speed for m in moves])[made.move]
    steps = np.linalg.norm(np.diff(p, axis=0), axis=1)
    assert (steps <= np.maximum(fastest[1:], fastest[:-1]) * dt * (1 + 1e-9)).all()
    for k, (way, move) in enumerate(zip(ways, moves, strict=True)):
        own = np.flatnonzero(made.move == k)
        if not len(own):
            continue
        s, off = way.found(p[own])
        on_curve = (s > reaches[k]) & (s < way.length - reaches[k + 1])
        assert off[on_curve].max(initial=0.0) < 1e-9  # 1e-6 mm
        late = s > way.length / 2
        for corner, reach, half in (
            (way.start, reaches[k], ~late),
            (way.point(way.length), reaches[k + 1], late),
        ):
            gap = np.linalg.norm(p[own][half & ~on_curve] - corner, axis=1)
            assert gap.max(initial=0.0) <= reach * (1 + 1e-9) + 1e-12
        rows = np.flatnonzero(on_curve)
        if len(rows) > 2:
            s = s[rows[0] : rows[-1] + 1]
            assert (np.diff(s) > -1e-12).all()
            assert np.abs(np.diff(s, 2)).max() <= move.acc * dt**2 * (1 + 1e-9) + 1e-14


@settings(max_examples=60, deadline=None)
@given(numbers, cycles, st.integers(1, 4), st.sampled_from(["o_var", "o_pvo"]))
def test_smooth_paths_run_through(rng, dt, count, mode) -> None:
    ways, moves = random_program(rng, count, True, c_speed=True, c_ori=mode)
    made = plan(LOLA, moves, dt, q0=READY)
    check_samples(made, ways, moves)
    assert [m.blend for m in made.moves] == ["c_speed"] * (count - 1) + ["stop"]
    p = positions(made)
    assert np.abs(p[-1] - ways[-1].point(ways[-1].length)).max() < 1e-9
    wanted = np.array(moves[-1].targets[-1].rotation)
    assert np.abs(made.poses[-1, :3, :3] - wanted).max() < 1e-9
    for way, move, planned in zip(ways, moves, made.moves, strict=True):
        assert planned.length == pytest.approx(way.length, abs=1e-9)
        assert planned.radius == pytest.approx(way.radius, abs=1e-9)
        assert 0 < planned.peak_speed <= move.speed * (1 + 1e-9)
    if made.reachable:
        reached = erfd.forward_kinematics(LOLA, made.trajectory.q)
        assert np.abs(reached - made.poses).max() < 1e-9
    # never at rest between its ends
    steps = np.linalg.norm(np.diff(p, axis=0), axis=1)
    assert (steps[1:-1] > 0).all()


@settings(max_examples=60, deadline=None)
@given(numbers, cycles, st.integers(2, 4), st.floats(0.0, 0.2))
def test_corners_are_rounded_within_their_distance(rng, dt, count, distance) -> None:
    ways, moves = random_program(rng, count, False, c_cp=distance)
    made = plan(LOLA, moves, dt, q0=READY)
    check_samples(made, ways, moves)
    for k, planned in enumerate(made.moves[:-1]):
        turn = math.acos(np.clip(ways[k].tangent(ways[k].length) @ ways[k + 1].tangent(0.0), -1, 1))
        assert planned.corner == pytest.approx(turn, abs=1e-7)
        if distance <= 1e-9 or turn > math.radians(175):
            assert planned.blend == "stop"
        elif turn > 1e-3:
            assert planned.blend == "c_cp"
            halves = [ways[k].length / 2, ways[k + 1].length / 2]
            assert planned.reach == pytest.approx(min(distance, *halves), abs=1e-9)
            cut = [n for n in made.notes if n.kind == "rounding" and n.line == k + 1]
            assert len(cut) == (distance > min(halves))


@settings(max_examples=30, deadline=None)
@given(numbers, cycles, st.integers(2, 3))
def test_sharp_corners_stop(rng, dt, count) -> None:
    """Without c_cp; and every stop is at a sample."""
    ways, moves = random_program(rng, count, False, c_speed=True)
    made = plan(LOLA, moves, dt, q0=READY)
    check_samples(made, ways, moves)
    p = positions(made)
    for k, planned in enumerate(made.moves[:-1]):
        assume(planned.corner > math.radians(1))
        assert planned.blend == "stop"
        at = round(planned.end / dt)
        assert planned.end == pytest.approx(at * dt, abs=1e-9)
        assert np.abs(p[at] - ways[k].point(ways[k].length)).max() < 1e-9
        assert any(n.kind == "stop" and n.line == k + 1 for n in made.notes)


@settings(max_examples=30, deadline=None)
@given(numbers, cycles, st.integers(1, 4), st.booleans())
def test_backwards_is_the_same_path_backwards(rng, dt, count, smooth) -> None:
    """Lines and arcs, through and around corners; limits belong to the pieces."""
    style = {"c_speed": True} if smooth else {"c_cp": 0.05}
    ways, moves = random_program(rng, count, smooth, **style)
    made = plan(LOLA, moves, dt, q0=READY)
    assume(made.reachable)
    turns = [TOOL[:3, :3], *(np.array(m.targets[-1].rotation) for m in moves)]
    back = []
    for k in range(count - 1, -1, -1):
        way = ways[k]
        ends = [way.point(0.4 * way.length)] if way.radius else []
        rotation = tuple(map(tuple, turns[k].tolist()))
        targets = tuple(PoseTarget(tuple(p.tolist()), rotation) for p in [*ends, way.point(0.0)])
        back.append(replace(moves[k], targets=targets))
    again = plan(LOLA, back, dt, q0=made.trajectory.q[-1])
    assert again.duration == made.duration
    assert np.abs(positions(again) - positions(made)[::-1]).max() < 1e-9
    if smooth:
        assert np.abs(again.poses - made.poses[::-1]).max() < 1e-9


@settings(max_examples=10, deadline=None)
@given(numbers, st.integers(2, 4), st.booleans())
def test_velocities_are_continuous(rng, count, smooth) -> None:
    """A fourth of the cycle, a fourth of the largest step of joint velocity; corners rounded."""
    style = {"c_speed": True} if smooth else {"c_cp": 0.03}
    _, moves = random_program(rng, count, smooth, **style)
    moves.insert(0, Move("ptp", (PoseTarget(tuple(TOOL[:3, 3].tolist())),), 0, "s", c_ptp=True))
    largest = []
    for dt in (0.004, 0.001, 0.00025):
        made = plan(LOLA, moves, dt, q0=READY + 0.3)
        assume(made.reachable and all(m.blend != "stop" for m in made.moves[:-1]))
        largest.append(np.abs(np.diff(made.trajectory.qd, axis=0)).max())
    assume(largest[0] < 0.3)  # 75 rad/s2: too near to a singularity to be told from a step
    assert largest[1] < 0.5 * largest[0] + 1e-4
    assert largest[2] < 0.5 * largest[1] + 1e-4


def test_a_small_corner_is_a_reported_step() -> None:
    """Erratum 21: 0.5 degrees at 0.3 m/s are a step of 2.6 mm/s, at any cycle time."""
    corner = math.radians(0.5)
    first = Way(TOOL[:3, 3], np.eye(3)[0], np.eye(3)[1], 0.0, 0.2)
    ahead = np.array([math.cos(corner), math.sin(corner), 0])
    second = Way(first.point(0.2), ahead, np.eye(3)[2], 0.0, 0.2)
    speeds = {"speed": 0.3, "acc": 1.0, "c_speed": True}
    moves = [as_move(w, None, k, **speeds) for k, w in enumerate((first, second), 1)]
    for dt in (0.01, 0.001, 0.0001):
        made = plan(LOLA, moves, dt, q0=READY)
        (note,) = made.notes
        assert (note.kind, note.line) == ("corner", 1)
        assert note.value == pytest.approx(2 * 0.3 * math.sin(corner / 2), rel=1e-2)
        sideways = np.diff(positions(made)[:, 1]) / dt
        assert sideways.max() == pytest.approx(0.3 * math.sin(corner), rel=1e-2)
        step = np.abs(np.diff(sideways)).max()
        assert note.value / 2 * 0.99 < step <= note.value * 1.01  # in one cycle, or over two


def test_orientations_are_reached_at_c_speed_and_even_between() -> None:
    """At junctions the programmed orientation; halfway the half turn, whatever the neighbours."""
    rng = np.random.default_rng(4)
    ways, moves = random_program(rng, 3, True, c_speed=True)
    dt = 1e-4
    made = plan(LOLA, moves, dt, q0=READY)
    turns = [TOOL[:3, :3], *(np.array(m.targets[-1].rotation) for m in moves)]
    p, r = positions(made), made.poses[:, :3, :3]
    for k, way in enumerate(ways):
        for s, rotation in ((way.length, turns[k + 1]), (way.length / 2, None)):
            at = int(np.linalg.norm(p - way.point(s), axis=1).argmin())
            if rotation is None:
                both = Rotation.from_matrix(turns[k : k + 2])
                rotation = Slerp([0, 1], both)(0.5).as_matrix()
            off = Rotation.from_matrix(r[at] @ rotation.T).magnitude()
            rate = Rotation.from_matrix(r[at] @ r[at - 1].T).magnitude()
            assert off < 2 * rate + 1e-9  # half a sample away at most


@settings(max_examples=40, deadline=None)
@given(numbers, cycles, st.booleans(), st.floats(0.05, 2), st.floats(0.1, 5))
def test_rates_of_turning_are_limited(rng, dt, smooth, speed_ori, acc_ori) -> None:
    style = {"c_speed": True} if smooth else {"c_cp": 0.05}
    _, moves = random_program(rng, 3, smooth, speed_ori=speed_ori, acc_ori=acc_ori, **style)
    made = plan(LOLA, moves, dt, q0=READY)
    r = made.poses[:, :3, :3]
    steps = Rotation.from_matrix(r[1:] @ np.swapaxes(r[:-1], 1, 2)).as_rotvec() / dt
    assert np.linalg.norm(steps, axis=1).max() <= speed_ori * (1 + 1e-9)
    if smooth:  # rounded corners do not keep acc_ori
        gain = np.linalg.norm(np.diff(steps, axis=0), axis=1) / dt
        # a rotation vector is a mean rate up to the square of its angle
        assert gain.max() <= acc_ori + 0.2 * speed_ori**2 + 1e-9
    free = plan(LOLA, [replace(m, speed_ori=None, acc_ori=None) for m in moves], dt, q0=READY)
    assert free.duration <= made.duration
    assert np.abs(made.poses[-1] - free.poses[-1]).max() < 1e-9


@pytest.mark.parametrize("limited", [0, 1])
def test_a_rounded_corner_keeps_the_speed_ori_of_either_move(limited: int) -> None:
    """The other one, which turns, says nothing of its own: in the corner both turn at once."""
    turn = TOOL[:3, :3] @ Rotation.from_rotvec([0, 0, 1.0]).as_matrix()
    first = Way(TOOL[:3, 3], np.eye(3)[2], np.eye(3)[0], 0.0, 0.1)
    second = Way(first.point(0.1), np.eye(3)[1], np.eye(3)[0], 0.0, 0.1)
    turns = (TOOL[:3, :3], turn) if limited == 0 else (turn, turn)
    options = [{"speed_ori": 0.2} if k == limited else {} for k in range(2)]
    moves = [
        as_move(way, r, k, speed=0.5, acc=5.0, c_cp=0.04, **options[k])
        for k, (way, r) in enumerate(zip((first, second), turns, strict=True))
    ]
    made = plan(LOLA, moves, q0=READY)
    r = made.poses[:, :3, :3]
    rates = Rotation.from_matrix(r[1:] @ np.swapaxes(r[:-1], 1, 2)).magnitude() / made.trajectory.dt
    corner = np.linalg.norm(positions(made) - first.point(0.1), axis=1) < 0.039
    assert 0.05 < rates[corner[1:] & corner[:-1]].max() <= 0.2 * (1 + 1e-9)
    assert rates.max() > 1.0  # outside


def test_the_slower_of_way_and_turn_governs() -> None:
    """A turn of 1 rad at 0.5 rad/s over 0.1 m: 2 s and its ramps, not 0.1 s."""
    turn = TOOL[:3, :3] @ Rotation.from_rotvec([0, 0, 1.0]).as_matrix()
    way = Way(TOOL[:3, 3], np.eye(3)[2], np.eye(3)[0], 0.0, 0.1)
    move = as_move(way, turn, 1, speed=1.0, acc=10.0, speed_ori=0.5, acc_ori=2.0)
    made = plan(LOLA, [move], q0=READY)
    assert made.duration == pytest.approx(1 / 0.5 + 0.5 / 2, abs=0.01)
    fast = plan(LOLA, [replace(move, speed_ori=50.0, acc_ori=None)], q0=READY)
    assert fast.duration == pytest.approx(2 * math.sqrt(0.1 / 10.0), abs=0.01)


def test_path_modes_turn_with_the_path() -> None:
    """o_pco without a new orientation keeps the tool as it is to the path; o_var in space."""
    way = Way(TOOL[:3, 3], np.eye(3)[1], np.eye(3)[0], 0.15, 0.15 * math.pi / 2)
    for mode in ("o_pco", "o_pvo"):
        made = plan(LOLA, [as_move(way, None, 1, c_ori=mode)], q0=READY)
        s, _ = way.found(positions(made))
        turned = Rotation.from_rotvec(np.outer(s / 0.15, [0, 0, -1.0])).as_matrix()
        assert np.abs(made.poses[:, :3, :3] - turned @ TOOL[:3, :3]).max() < 1e-9
        assert not made.notes
    made = plan(LOLA, [as_move(way, None, 1)], q0=READY)
    assert np.abs(made.poses[:, :3, :3] - TOOL[:3, :3]).max() < 1e-12
    made = plan(LOLA, [as_move(way, TOOL[:3, :3], 1, c_ori="o_pco")], q0=READY)
    assert np.abs(made.poses[-1, :3, :3] - TOOL[:3, :3]).max() < 1e-12  # always reached
    (note,) = made.notes
    assert note.kind == "orientation"
    assert note.value == pytest.approx(math.pi / 2)


@pytest.mark.parametrize("angle", [10.0, 90.0, 360.0, 800.0])
def test_a_circle_goes_as_far_as_its_angle(angle) -> None:
    way = Way(TOOL[:3, 3], np.eye(3)[1], -np.eye(3)[2], 0.1, 0.1 * math.pi / 2)
    made = plan(LOLA, [as_move(way, None, 1, angle=math.radians(angle))], q0=READY)
    assert made.moves[0].angle == pytest.approx(math.radians(angle))
    s, off = way.found(positions(made))
    assert off.max() < 1e-9
    assert s[-1] == pytest.approx(0.1 * math.radians(angle), abs=1e-9)
    if angle == 360:
        assert np.abs(made.poses[-1] - made.poses[0]).max() < 1e-9


def test_a_ptp_runs_into_a_path_and_out_of_it() -> None:
    """Ramps overlap in joint space; off them the path is exact, and all is one chain."""
    way = Way(TOOL[:3, 3], np.eye(3)[1], np.eye(3)[2], 0.0, 0.3)
    there = Move("ptp", (PoseTarget(tuple(TOOL[:3, 3].tolist())),), 1, "there", c_ptp=True)
    line = as_move(way, None, 2, speed=0.4, acc=1.0, c_ptp=True)
    away = Move("ptp", (JointTarget((0.5, 0.5)),), 3, "away")
    made = plan(LOLA, [there, line, away], q0=READY - 0.4)
    stops = [replace(m, c_ptp=False) for m in (there, line, away)]
    stopped = plan(LOLA, stops, q0=READY - 0.4)
    assert made.duration < stopped.duration - 0.4
    assert [m.blend for m in made.moves] == ["c_ptp", "c_ptp", "stop"]
    own = made.move == 1
    s, off = way.found(positions(made)[own])
    ramp = 0.4**2 / 2
    inside = (s > ramp) & (s < 0.3 - ramp)
    assert inside.sum() > 10
    assert off[inside].max() < 1e-9
    assert off.max() > 1e-4
    reached = erfd.forward_kinematics(LOLA, made.trajectory.q)
    assert np.abs(reached - made.poses).max() < 1e-9
    # c_speed and c_cp mean the same there, and say so
    for options in ({"c_speed": True}, {"c_cp": 0.1}):
        also = plan(LOLA, [there, replace(stops[1], **options), away], q0=READY - 0.4)
        assert np.abs(also.trajectory.q - made.trajectory.q).max() < 1e-12
        assert [n.kind for n in also.notes] == ["blend"]
