"""Laws of `erfd.fastest` over random robots and paths."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

import erfd
from erfd.errors import InputError
from erfd.timing import fastest as module
from erfd.timing import rounds
from erfd.timing.cells import Bounds, cells_of
from erfd.timing.reserve import Reserve
from erfd.timing.solve import fastest_profile
from support.timed_paths import fastest_or_none, varied, way_points

NAMES = ("lola15", "stanford", "two_link")
seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)
robots = st.sampled_from([erfd.load(name) for name in NAMES])


@pytest.fixture(autouse=True, scope="module")
def compiled() -> Iterator[None]:
    """The passes in machine code; `test_compiled_passes` compares them with those over NumPy."""
    with erfd.backend("compiled"):
        yield


def failures(run: erfd.Run) -> list[erfd.Event]:
    """What bent or saturated; accelerations of joints were no limits."""
    return [e for e in run.events if e.kind != "joint acceleration limit"]


@given(robots, seeds, st.sampled_from([0.01, 0.004, 0.001]))
@settings(max_examples=25)
def test_algorithm_1_takes_nothing_away(
    robot: erfd.Robot, rng: np.random.Generator, dt: float
) -> None:
    points = way_points(robot, rng, int(rng.integers(2, 7)))
    loads = {}
    if robot.name == "lola15" and rng.random() < 0.6:
        loads["wrench"] = rng.normal(size=6) * [20, 20, 20, 3, 3, 3]
        loads["payload"] = erfd.Payload(float(rng.uniform(0.1, 2.0)))
    timing = fastest_or_none(robot, points, dt=dt, **loads)
    if timing is None:
        return
    run = erfd.achievable(robot, timing.trajectory, **loads)
    assert not failures(run)
    assert run["q"][-1] == pytest.approx(points[-1], abs=1e-9)
    assert not run["qd"][-1].any()
    assert timing.seconds <= 1.01 * timing.ideal_seconds + 2 * dt


@given(seeds)
@settings(max_examples=5)
def test_so_it_is_with_other_drives(rng: np.random.Generator) -> None:
    robot = varied(erfd.load("two_link"), rng)
    timing = fastest_or_none(robot, way_points(robot, rng, 4))
    if timing is not None:
        assert not failures(timing.run)


@given(robots, seeds)
@settings(max_examples=15)
def test_it_keeps_to_the_spline(robot: erfd.Robot, rng: np.random.Generator) -> None:
    points = way_points(robot, rng, 4)
    timing = fastest_or_none(robot, points)
    if timing is None:
        return
    knots = np.concatenate([[0], np.linalg.norm(np.diff(points, axis=0), axis=1).cumsum()])
    dense = CubicSpline(knots, points)(np.linspace(0, knots[-1], 100_001))
    for q in timing.trajectory.q[:: max(len(timing.trajectory) // 20, 1)]:
        k = int(np.linalg.norm(dense - q, axis=1).argmin())
        ends = dense[max(k - 1, 0)], dense[min(k + 1, len(dense) - 1)]
        along = ends[1] - ends[0]
        foot = ends[0] + along * ((q - ends[0]) @ along / (along @ along))
        assert np.linalg.norm(q - foot) < 1e-6


@given(robots, seeds, st.floats(0.5, 0.95))
@settings(max_examples=15)
def test_less_is_never_faster(robot: erfd.Robot, rng: np.random.Generator, part: float) -> None:
    """The limits are those of `Bounds.raised`, so that nothing has to be compiled."""
    full = fastest_or_none(robot, way_points(robot, rng, 4))
    if full is None:
        return
    i = int(rng.integers(robot.n)) + 1
    name = str(rng.choice([f"motor {i} torque", f"motor {i} speed", f"joint {i} speed"]))
    assert seconds_with(full, full.bounds.raised(name, part)) >= full.ideal_seconds * (1 - 1e-6)


def seconds_with(timing: erfd.Timing, bounds: Bounds) -> float:
    """The time of the same path within other bounds, s; infinite if it cannot be done."""
    total = 0.0
    for piece in timing.pieces:
        cells = cells_of(bounds, piece.piece, piece.cells.s, timing.loads)
        try:
            total += fastest_profile(cells, Reserve.none(cells), 0.0, 0.0).seconds
        except InputError:
            return np.inf
    return total


@given(robots, seeds)
@settings(max_examples=10)
def test_margins_speeds_and_accelerations_only_slow_down(
    robot: erfd.Robot, rng: np.random.Generator
) -> None:
    points = way_points(robot, rng, 3)
    full = fastest_or_none(robot, points)
    if full is None:
        return
    for options in ({"margin": 0.05}, {"speed_max": 0.5}, {"accelerations": "joints"}):
        less = fastest_or_none(robot, points, **options)
        if less is not None:
            assert less.ideal_seconds >= full.ideal_seconds * (1 - 1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_a_finer_grid_converges(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    robot = erfd.load(name)
    points = way_points(robot, np.random.default_rng(3), 4)
    seconds = []
    for cells in (250, 1000, 4000):
        monkeypatch.setattr(module, "POINTS", cells)
        monkeypatch.setattr(module, "COARSEST", np.inf)
        seconds.append(erfd.fastest(robot, points).ideal_seconds)
    assert abs(seconds[2] - seconds[1]) < 0.6 * abs(seconds[1] - seconds[0]) + 1e-4 * seconds[2]
    assert seconds[1] == pytest.approx(seconds[2], rel=2e-3)


@given(robots, seeds)
@settings(max_examples=10)
def test_some_limit_is_active_but_at_isolated_places(
    robot: erfd.Robot, rng: np.random.Generator
) -> None:
    timing = fastest_or_none(robot, way_points(robot, rng, 4))
    if timing is not None:
        assert timing.shares.get("", 0.0) < 0.03


def test_it_starts_and_ends_in_motion() -> None:
    robot = erfd.load("lola15")
    points = way_points(robot, np.random.default_rng(1), 4)
    timing = erfd.fastest(robot, points, start_speed=0.8, end_speed=0.5, dt=0.001)
    qd = timing.trajectory.qd
    assert np.linalg.norm(qd[0]) == pytest.approx(0.8, rel=1e-9)
    assert np.linalg.norm(qd[-1]) == pytest.approx(0.5, rel=0.05)  # the mean of the last cycle
    assert timing.trajectory.q[-1] == pytest.approx(points[-1], abs=1e-9)
    assert timing.seconds < erfd.fastest(robot, points).seconds
    assert not failures(timing.run)


def test_the_tool_keeps_to_its_speed() -> None:
    robot = erfd.load("lola15")
    points = way_points(robot, np.random.default_rng(2), 4)
    timing = erfd.fastest(robot, points, speed_max=0.4)
    steps = np.diff(erfd.forward_kinematics(robot, timing.trajectory.q)[:, :3, 3], axis=0)
    speeds = np.linalg.norm(steps, axis=1) / 0.01
    assert speeds.max() == pytest.approx(0.4, rel=1e-3)
    assert speeds.max() <= 0.4 * (1 + 1e-6)
    assert timing.shares["tool speed"] > 0.5


def test_a_margin_stays_in_reserve() -> None:
    robot = erfd.load("lola15")
    timing = erfd.fastest(robot, way_points(robot, np.random.default_rng(2), 4), margin=0.2)
    use = np.abs(timing.run["u_a"]) / [d.torque_max for d in robot.drives]
    use = use[np.abs(timing.run["qd_a"]) > 1e-6]  # friction helps a rotor at rest
    assert 0.79 < use.max() <= 0.8 + 1e-9


def test_a_path_that_turns_back_is_done() -> None:
    robot = erfd.load("lola15")
    there, back = np.zeros(6), np.array([0.8, 0.4, -0.3, 0.5, 0.6, 0.7])
    timing = erfd.fastest(robot, [there, back, there], dt=0.004)
    assert not failures(timing.run)
    dense = there + np.outer(0.5 - 0.5 * np.cos(np.linspace(0, 2 * np.pi, 401)), back)
    timing = erfd.fastest(robot, erfd.Trajectory(0.01 * np.arange(401), dense))
    assert len(timing.pieces) == 2
    assert not failures(timing.run)


def test_what_cannot_be_held_is_named() -> None:
    robot = erfd.load("lola15")
    drives = list(robot.drives)
    drives[1] = replace(drives[1], torque_max=3.0)
    weak = replace(robot, drives=tuple(drives))
    said = r"point 2 of 2: no speed .* motor 2 needs [\d.]+ N m to hold the arm and may give 3"
    with pytest.raises(InputError, match=said):
        erfd.fastest(weak, [[0] * 6, [1.0, 0.0, 0.0, 0, 0, 0]])


def test_without_any_limit_no_speed_is_the_fastest() -> None:
    robot = erfd.load("two_link")
    none = {"torque_max": np.inf, "speed_max": np.inf, "voltage_max": np.inf}
    drives = [replace(d, **none) for d in robot.drives]
    joints = [replace(j, velocity_max=np.inf) for j in robot.joints]
    free = replace(robot, drives=tuple(drives), joints=tuple(joints))
    said = "robot: expected limits of torque or speed where joints 1, 2 move, found none"
    with pytest.raises(InputError, match=said):
        erfd.fastest(free, [[0, 0], [1.0, 0.5]])
    one = replace(free, joints=(replace(joints[0], velocity_max=1.0), joints[1]))
    assert erfd.fastest(one, [[0, 0], [1.0, 0.5]]).seconds == pytest.approx(1.0, abs=0.03)


STIFF = ("viscous", "curve", "voltage")


def stiff(robot: erfd.Robot, kind: str, much: float) -> erfd.Robot:
    """The robot with motors whose torque depends much on their speed, far below their limit."""
    drives = []
    for d in robot.drives:
        d = replace(d, voltage_max=np.inf)
        if kind == "viscous":  # as much as the torque limit at a part of the speed
            drives.append(replace(d, viscous=much * d.torque_max / d.speed_max))
        elif kind == "curve":
            knee = 0.4 * d.speed_max
            curve = ((0.0, d.torque_max), (knee, d.torque_max), (knee * (1 + 1 / much), 0.0))
            drives.append(replace(d, curve=curve))
        else:  # no-load speed at a part of the speed, reached within milliseconds
            constant = 0.2 * much
            volts = 0.3 * constant * d.speed_max
            resistance = constant * volts / (2 * d.torque_max)
            electric = {"torque_constant": constant, "resistance": resistance}
            drives.append(replace(d, voltage_max=volts, **electric))
    return replace(robot, drives=tuple(drives))


@pytest.mark.parametrize("kind", STIFF)
@pytest.mark.parametrize("much", [3.0, 30.0])
def test_it_holds_where_torques_depend_much_on_the_speed(kind: str, much: float) -> None:
    robot = stiff(erfd.load("two_link"), kind, much)
    points = way_points(robot, np.random.default_rng(8), 3)
    for dt in (0.01, 0.001):
        timing = erfd.fastest(robot, points, dt=dt)
        assert not failures(timing.run)
        assert timing.seconds <= 1.01 * timing.ideal_seconds + 2 * dt
    assert timing.shares.get("", 0.0) < 0.03
    u = timing.pieces[0].ideal.acceleration
    turns = (np.diff(u)[1:] * np.diff(u)[:-1] < 0) & (np.abs(np.diff(u)[1:]) > 0.02 * np.ptp(u))
    assert turns.sum() < 25  # it does not swing from cell to cell


@pytest.mark.parametrize(
    ("path", "options", "sentence"),
    [
        ([[0] * 6], {}, "path: expected at least two points, found 1"),
        ([[0] * 5] * 2, {}, "path: expected 6 joints for robot 'lola15', found 5"),
        ([[0] * 6] * 3, {}, "path: expected points that are apart"),
        ([[0] * 6, [9, 0, 0, 0, 0, 0]], {}, "path: expected joint 1 within -170 to 170 deg"),
        (None, {"margin": 1.0}, "margin: expected a part below 1, found 1"),
        (None, {"margin": -0.1}, "margin: expected a number >= 0, found -0.1"),
        (None, {"dt": 0}, "dt: expected a number > 0, found 0"),
        (None, {"speed_max": 0.0}, "speed_max: expected a number > 0"),
        (
            None,
            {"accelerations": "all"},
            "accelerations: expected one of motors, joints, found 'all'",
        ),
        (None, {"wrench": [1, 2]}, "wrench: expected shape"),
        (None, {"payload": [None]}, "payload: expected one or 2, one a point, found 1"),
        (None, {"payload": "ten"}, "payload: expected an erfd.Payload or a mass in kg"),
        (None, {"payload": [1.0, True]}, "payload: expected an erfd.Payload or a mass in kg"),
        (None, {"dt": 1e-9}, "dt: expected at most 500000 cycles of 1e-09 s, found a motion of"),
        (None, {"speed_max": 1e-9}, "dt: expected at most 500000 cycles of 0.01 s, found a motion"),
        (None, {"start_speed": 99.0}, "start_speed: expected at most"),
        (None, {"end_speed": float("nan")}, "end_speed: expected a number >= 0"),
    ],
)
def test_mistakes_get_a_sentence(path: list, options: dict, sentence: str) -> None:
    points = [[0] * 6, [1, 0.5, 0.5, 0, 1, 0]] if path is None else path
    with pytest.raises(InputError, match=sentence.replace("(", r"\(")):
        erfd.fastest(erfd.load("lola15"), points, **options)


def test_loads_may_change_on_the_way() -> None:
    robot = erfd.load("lola15")
    points = way_points(robot, np.random.default_rng(4), 4)
    heavy, light = erfd.Payload(10.0), None
    mixed = erfd.fastest(robot, points, payload=[light, light, heavy, heavy])
    both = [erfd.fastest(robot, points, payload=p).seconds for p in (light, 10)]
    assert both[0] < mixed.seconds < both[1]
    assert not failures(mixed.run)


def test_a_path_of_many_bends_gets_more_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "ROUNDS", 4)  # as many as a thousand bends need, scaled down
    points = np.random.default_rng(0).uniform(-0.5, 0.5, (200, 2))
    assert erfd.fastest(erfd.load("two_link"), points).run.feasible


def test_the_tool_keeps_to_its_speed_in_coarse_cycles() -> None:
    robot = erfd.load("lola15")
    points = [[0] * 6, [0.02, 0.01, 0.01, 0, 0.02, 0]]
    timing = erfd.fastest(robot, points, speed_max=0.25, dt=0.05)
    tool = erfd.forward_kinematics(robot, timing.trajectory.q)[:, :3, 3]
    assert np.linalg.norm(np.diff(tool, axis=0), axis=1).max() / 0.05 <= 0.25 * (1 + 1e-6)
