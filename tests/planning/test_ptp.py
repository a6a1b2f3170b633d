"""Point to point: within the limits of joints, rotors, accelerations and jerks; never slower."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.planning.moves import JointIncrement, JointTarget, Move
from erfd.planning.plan import Plan
from erfd.planning.planner import plan

LOLA = erfd.load("lola15")
numbers = st.integers(0, 2**32 - 1).map(np.random.default_rng)
parts = st.floats(0.05, 1.0)
cycles = st.sampled_from([0.001, 0.004, 0.01, 0.0137])


def random_arm(rng: np.random.Generator, jerk: bool = False) -> erfd.Robot:
    """Lola 15 with other limits and gears; some axes without limit of speed."""
    joints, drives = [], []
    for i, (joint, drive) in enumerate(zip(LOLA.joints, LOLA.drives, strict=True)):
        speed, acc, hard = 10.0 ** rng.uniform([-0.5, 0, 0.5], [1, 1.5, 2.5])
        joints.append(
            replace(
                joint,
                velocity_max=speed if rng.random() < 0.8 else math.inf,
                acceleration_max=acc,
                jerk_max=hard if jerk and rng.random() < 0.8 else math.inf,
            )
        )
        row = rng.normal(scale=30, size=6) * (rng.random(6) < 0.3)
        row[i] = 0.0
        gear = float(rng.uniform(60, 200))
        limit = float(gear * rng.uniform(0.5, 5))
        drives.append(replace(drive, ratio=gear, coupling=tuple(row.tolist()), speed_max=limit))
    return replace(LOLA, joints=tuple(joints), drives=tuple(drives))


def go(q: np.ndarray, line: int = 1, **options: object) -> Move:
    return Move("ptp", (JointTarget(tuple(q.tolist())),), line, f"p{line}", **options)


def rates(made: Plan, order: int) -> np.ndarray:
    """Differences of joint positions by time, from rest to rest: 1 velocity, 2, 3."""
    q, dt = made.trajectory.q, made.trajectory.dt
    still = np.vstack([np.repeat(q[:1], order, 0), q, np.repeat(q[-1:], order, 0)])
    return np.diff(still, order, axis=0) / dt**order


def limits(robot: erfd.Robot) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    columns = [(j.velocity_max, j.acceleration_max, j.jerk_max) for j in robot.joints]
    return tuple(np.array(columns).T)


def rotors(robot: erfd.Robot) -> np.ndarray:
    return np.array([d.speed_max for d in robot.drives])


@settings(max_examples=80, deadline=None)
@given(numbers, parts, parts, cycles)
def test_one_move(rng, speed, acc, dt) -> None:
    robot = random_arm(rng)
    start, end = rng.uniform(-1, 1, (2, 6)) * (rng.random(6) < 0.8)
    end[0] += 0.5
    made = plan(robot, [go(end, speed_ptp=speed, acc_ptp=acc)], dt, q0=start)
    q = made.trajectory.q
    assert (q[0] == start).all()
    assert (q[-1] == end).all()
    velocity, acceleration, _ = limits(robot)
    slack = 1e-15 / dt**2 * 10  # rounding of q, seen through the differences
    assert (np.abs(rates(made, 1)) <= speed * velocity * (1 + 1e-9)).all()
    gears = np.array(robot.gear_matrix)
    assert (np.abs(rates(made, 1) @ gears.T) <= speed * rotors(robot) * (1 + 1e-9)).all()
    assert (np.abs(rates(made, 2)) <= acc * acceleration * (1 + 1e-9) + slack).all()
    # straight in joint space, one law for all, the same backwards
    way = end - start
    law = (q - start) @ way / (way @ way)
    assert np.abs(q - start - np.outer(law, way)).max() < 1e-14
    assert np.abs(law + law[::-1] - 1).max() < 1e-12
    assert (np.diff(law) > -1e-15).all()
    # no faster trapezoid, but for the last cycle
    with np.errstate(divide="ignore"):
        top = speed * min((velocity / abs(way)).min(), (rotors(robot) / abs(gears @ way)).min())
        ramp = acc * (acceleration / abs(way)).min()
    best = 1 / top + top / ramp if top**2 <= ramp else 2 / math.sqrt(ramp)
    assert best - 1e-9 <= made.duration < best + dt * (1 + 1e-9)


@settings(max_examples=80, deadline=None)
@given(numbers, st.booleans(), cycles, st.integers(2, 5))
def test_moves_that_run_into_each_other(rng, jerky, dt, count) -> None:
    robot = random_arm(rng, jerky)
    points = rng.uniform(-1, 1, (count, 6)) * (rng.random((count, 6)) < 0.7)
    share = rng.uniform(0.2, 1.0, count)
    moves = [go(q, i, acc_ptp=a, c_ptp=True) for i, (q, a) in enumerate(zip(points, share), 1)]  # noqa: B905
    made = plan(robot, moves, dt, q0=np.full(6, 0.3))
    velocity, acceleration, jerk = limits(robot)
    assert (np.abs(rates(made, 1)) <= velocity * (1 + 1e-9)).all()
    gears = np.array(robot.gear_matrix)
    assert (np.abs(rates(made, 1) @ gears.T) <= rotors(robot) * (1 + 1e-9)).all()
    rounding = 1e-15 / dt**2 * 10
    assert (np.abs(rates(made, 2)) <= share.max() * acceleration * (1 + 1e-9) + rounding).all()
    assert (np.abs(rates(made, 3)) <= jerk * (1 + 1e-9) + 4 * rounding / dt).all()
    assert np.abs(made.trajectory.q[-1] - points[-1]).max() < 1e-14
    # two ramps at a time, at most: each move begins before the one before it is over, and the
    # chain is no longer than the moves one by one with ramps as gentle as reversals need them
    stopped = plan(robot, [replace(m, c_ptp=False) for m in moves], dt, q0=np.full(6, 0.3))
    assert made.duration <= math.sqrt(2) * stopped.duration + dt
    assert [m.blend for m in made.moves[:-1]] == ["c_ptp"] * (count - 1)
    assert made.moves[-1].blend == "stop"
    starts = [m.start for m in made.moves]
    assert starts == sorted(starts)


def test_running_on_saves_time_and_does_not_slow_down() -> None:
    """Two moves in one direction that reach their speed: no braking between them."""
    half, whole, slow = np.full(6, 0.5), np.full(6, 1.0), {"speed_ptp": 0.3}
    made = plan(LOLA, [go(half, 1, c_ptp=True, **slow), go(whole, 2, **slow)], q0=np.zeros(6))
    once = plan(LOLA, [go(whole, **slow)], q0=np.zeros(6))
    assert made.duration == once.duration
    assert np.abs(made.trajectory.q - once.trajectory.q).max() < 1e-12
    stopped = plan(LOLA, [go(half, 1, **slow), go(whole, 2, **slow)], q0=np.zeros(6))
    assert made.duration < stopped.duration - 0.2


def test_going_back_overlaps_within_the_limits() -> None:
    """Both ramps of an axis that turns back push in one direction: they are half as steep."""
    there, back = np.array([1.0, 0, 0, 0, 0, 0]), np.zeros(6)
    made = plan(LOLA, [go(there, 1, c_ptp=True), go(back, 2)], 0.001, q0=np.zeros(6))
    acceleration = rates(made, 2)[:, 0]
    assert np.abs(acceleration).max() == pytest.approx(3.75, rel=1e-2)
    q = made.trajectory.q[:, 0]
    assert 0.5 < q.max() < 1.0  # cut short, as a blended point is
    stopped = plan(LOLA, [go(there, 1), go(back, 2)], 0.001, q0=np.zeros(6))
    assert made.duration < stopped.duration


@settings(max_examples=60, deadline=None)
@given(numbers, cycles)
def test_jerk_limits(rng, dt) -> None:
    robot = random_arm(rng, jerk=True)
    start, end = rng.uniform(-1, 1, (2, 6))
    made = plan(robot, [go(end)], dt, q0=start)
    for order, limit in enumerate(limits(robot), 1):
        rounding = 1e-15 / dt**order * 10
        assert (np.abs(rates(made, order)) <= limit * (1 + 1e-9) + rounding).all()
    loose = replace(robot, joints=tuple(replace(j, jerk_max=math.inf) for j in robot.joints))
    assert made.duration >= plan(loose, [go(end)], dt, q0=start).duration
    assert (made.trajectory.q[-1] == end).all()


def test_which_limit_binds() -> None:
    """Erratum 18: motor 2 of Lola 15 turns more slowly than its joint might."""
    far = np.array([0, -1.7, 0, 0, 0, 0])
    made = plan(LOLA, [go(far, speed_ptp=0.5)], q0=np.zeros(6))
    assert made.moves[0].limit == "motor 2 speed"
    assert np.abs(rates(made, 1)[:, 1]).max() == pytest.approx(0.5 * 2.464, rel=1e-2)
    assert plan(LOLA, [go(far)], q0=np.zeros(6)).moves[0].limit == "axis 2 acceleration"


NO_SPEED = "no axis that moves has a speed limit: the fastest goes at "
NO_ACC = "no axis that moves has an acceleration limit: full speed takes "


@pytest.mark.parametrize(
    ("joint", "options", "notes", "speed", "ramp"),
    [
        ({}, {}, [NO_SPEED + "1 rad/s", NO_ACC + "0.5 s"], 1.0, 0.5),
        ({}, {"speed_ptp": 0.5}, [NO_SPEED + "0.5 rad/s", NO_ACC + "0.25 s"], 0.5, 0.25),
        ({"kind": "prismatic"}, {}, [NO_SPEED + "1 m/s", NO_ACC + "0.5 s"], 1.0, 0.5),
        ({"velocity_max": 0.8}, {"acc_ptp": 0.5}, [NO_ACC + "1 s"], 0.8, 1.0),
        ({"acceleration_max": 4.0}, {}, [NO_SPEED + "1 rad/s"], 1.0, 0.25),
        ({"acceleration_max": 4.0, "velocity_max": 0.8}, {}, [], 0.8, 0.2),
    ],
)
def test_limits_that_are_missing_are_noted_as_they_are_taken(
    joint, options, notes, speed, ramp
) -> None:
    """What the notes say is what the axes do; of limits that are there nothing is said."""
    joints = tuple(erfd.Joint(j.name, a=0.5, **joint) for j in LOLA.joints[:2])
    robot = erfd.Robot("bare", joints, LOLA.links[:2])
    made = plan(robot, [go(np.array([2.0, 0.5]), **options)], q0=np.zeros(2), dt=1e-3)
    assert [(note.kind, note.sentence) for note in made.notes] == [("limits", x) for x in notes]
    fast = np.abs(rates(made, 1)[:, 0])
    assert fast.max() == pytest.approx(speed, rel=1e-2)
    rising = (fast > 0.02 * speed) & (fast < 0.98 * speed)
    assert rising.sum() * 1e-3 / 2 == pytest.approx(0.96 * ramp, abs=0.01)
    assert made.moves[0].limit == ("" if "velocity_max" not in joint else "axis 1 speed")


def test_axes_that_are_left_out_and_increments() -> None:
    q0 = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    moves = [
        Move("ptp", (JointTarget((1.0, 0.5)),), 1),
        Move("ptp", (JointIncrement((0.0, 0.1, 0.2)),), 2),
    ]
    made = plan(LOLA, moves, q0=q0)
    assert made.trajectory.q[-1] == pytest.approx([1.0, 0.6, 0.5, 0.4, 0.5, 0.6])


def test_beyond_a_joint_limit() -> None:
    made = plan(LOLA, [go(np.radians([0, 85.0, 0, 0, 0, 0]), 7)], q0=np.zeros(6))
    (failure,) = made.failures
    assert (failure.line, failure.kind, failure.name) == (7, "limit", "p7")
    assert math.degrees(failure.angle) == pytest.approx(5.0)
    assert failure.sentence == "axis 2 at 85.0 deg is beyond its limit of 80.0 deg"
