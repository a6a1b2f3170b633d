"""The passes in machine code beside those over NumPy, and both beside the drives' own equations."""

from dataclasses import replace

import numpy as np
import pytest

import erfd
from erfd.timing.cells import Bounds, cells_of
from erfd.timing.coefficients import PathLoads
from erfd.timing.compiled_passes import PassLoop
from erfd.timing.passes import SCAN, controllable, largest
from erfd.timing.path_points import path_of
from erfd.timing.reserve import Reserve
from erfd.timing.solve import problem_of
from erfd.timing.span import BIG
from support.timed_paths import varied, way_points


def problem(robot, rng, cells=120, accelerations=False, ends=(0.0, 0.0)):
    bounds = Bounds.of(robot, margin=0.0, accelerations=accelerations, tool_speed=np.inf)
    piece = path_of(robot, way_points(robot, rng, 4)).pieces[0]
    s = np.linspace(piece.start, piece.end, cells + 1)
    own = cells_of(bounds, piece, s, PathLoads())
    return own, problem_of(own, Reserve.none(own), *ends)


@pytest.mark.parametrize("accelerations", [False, True])
@pytest.mark.parametrize("name", ["lola15", "two_link"])
def test_both_give_the_same(name: str, accelerations: bool) -> None:
    robot = erfd.load(name)
    for seed in range(2):
        _, one = problem(robot, np.random.default_rng(seed), accelerations=accelerations)
        sets = controllable(one)
        x, node = largest(one, sets)
        found, fast, reached = PassLoop.of(robot, accelerations).solve(one, SCAN)
        assert node == reached == one.count
        assert found[0][0] == pytest.approx(sets[0][0], rel=1e-6, abs=1e-9)
        assert fast == pytest.approx(x, rel=1e-5, abs=1e-9)


def test_moving_ends_and_islands_come_out_the_same() -> None:
    robot = varied(erfd.load("two_link"), np.random.default_rng(5))
    _, one = problem(robot, np.random.default_rng(2), ends=(0.02, 0.01))
    x, node = largest(one, controllable(one))
    _, fast, reached = PassLoop.of(robot, False).solve(one, SCAN)
    assert node == reached == one.count
    assert fast == pytest.approx(x, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("much", [2.0, 10.0])
def test_both_give_the_same_where_torques_depend_much_on_the_speed(much: float) -> None:
    robot = erfd.load("two_link")
    drives = [replace(d, viscous=much * d.torque_max / d.speed_max) for d in robot.drives]
    robot = replace(robot, drives=tuple(drives))
    _, one = problem(robot, np.random.default_rng(0))
    x, node = largest(one, controllable(one))
    _, fast, reached = PassLoop.of(robot, False).solve(one, SCAN)
    assert node == reached == one.count
    assert fast == pytest.approx(x, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_a_span_is_what_the_drives_allow(seed: int) -> None:
    """`span` beside the motor torques of `erfd.rotor_torque` at the left end of cells."""
    rng = np.random.default_rng(seed)
    robot = varied(erfd.load("stanford"), rng)
    robot = replace(robot, joints=tuple(replace(j, damping=0.0) for j in robot.joints))
    drives = [replace(d, voltage_max=np.inf) for d in robot.drives]
    robot = replace(robot, drives=tuple(drives))
    cells, one = problem(robot, rng)
    limit = Bounds.of(robot, margin=0.0, accelerations=False, tool_speed=np.inf).torque_limit
    for k in rng.integers(1, one.count - 1, 12).tolist():
        x = np.array([rng.uniform(0, 4.0)])
        low, high = (float(u[0]) for u in one.span(k, x, -BIG, BIG))
        first, second = cells.start("first")[k], cells.start("second")[k]
        turn = cells.start("turn")[k]
        if (np.sign(turn) != cells.direction[k]).any():
            continue
        piece_q = cells.q[k]

        def lack(u: float, x=x, first=first, second=second, turn=turn, q=piece_q) -> float:
            v = np.sqrt(x[0])
            torque = erfd.rotor_torque(robot, q, first * v, first * u + second * x[0])
            return float((np.abs(torque) - limit(turn * v)).max())

        if low > high:
            continue
        scale = 1e-6 * max(float(np.min([d.torque_max for d in robot.drives])), 1.0)
        assert lack(low) < scale
        assert lack(high) < scale
