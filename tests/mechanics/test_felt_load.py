"""The load that a body in the arm feels."""

from dataclasses import replace

import numpy as np
import pytest

import erfd
from erfd.errors import InputError
from erfd.mechanics.felt_load import G, felt_load

LOLA = erfd.load("lola15")


def test_at_rest_it_is_one_g_upwards() -> None:
    robot = erfd.load("lola15")
    q = np.random.default_rng(1).uniform(-1, 1, (20, 6))
    still = np.zeros(6)
    for link in (None, 1, 4):
        load = erfd.felt_load(robot, q, still, still, link=link)
        frame = erfd.forward_kinematics(robot, q, link)
        up = np.einsum("kij,kj->ki", frame[:, :3, :3], load)
        assert np.allclose(up, [0, 0, 1], atol=1e-12)


def test_a_point_on_a_turning_arm_feels_its_acceleration() -> None:
    """Against the second difference of where the point is."""
    robot = erfd.load("lola15")
    rng = np.random.default_rng(2)
    q, qd, qdd = rng.normal(size=(3, 6))
    point, h = np.array([0.1, -0.2, 0.3]), 1e-4
    for link in (2, 5):

        def place(t: float, link: int = link) -> np.ndarray:
            frame = erfd.forward_kinematics(robot, q + qd * t + qdd * t**2 / 2, link)
            return frame[:3, :3] @ point + frame[:3, 3]

        a = (place(h) - 2 * place(0) + place(-h)) / h**2
        turn = erfd.forward_kinematics(robot, q, link)[:3, :3]
        expected = turn.T @ np.add(a, [0, 0, 9.81]) / 9.81
        assert np.allclose(erfd.felt_load(robot, q, qd, qdd, link=link, point=point), expected,
                           atol=1e-5)  # fmt: skip


def test_a_run_keeps_it(compiled: None) -> None:
    robot = erfd.load("centrifuge3")
    t = 0.01 * np.arange(200)
    run = erfd.achievable(robot, erfd.Trajectory(t, np.outer(0.2 * t**2, [1, 0, 0])))
    tool = erfd.felt_load(robot, run["q"][:-1], run["qd"][:-1], run["qdd"][1:])
    assert np.allclose(run["load"][1:], tool, atol=1e-12)
    assert np.allclose(run.load_at(3, robot.tool.xyz)[1:] @ np.array(robot.tool.rotation),
                       tool, atol=1e-12)  # fmt: skip


def test_wrong_places() -> None:
    robot = erfd.load("two_link")
    with pytest.raises(InputError, match="link: expected 1 to 2 or None, found 3"):
        erfd.felt_load(robot, [0, 0], [0, 0], [0, 0], link=3)
    with pytest.raises(InputError, match="point: expected three finite numbers"):
        erfd.felt_load(robot, [0, 0], [0, 0], [0, 0], point=[1])
    with pytest.raises(InputError, match="point: expected numbers, found 'head'"):
        erfd.felt_load(robot, [0, 0], [0, 0], [0, 0], point="head")


def test_at_rest_the_tool_feels_gravity_and_a_fall_takes_it_away():
    rng = np.random.default_rng(4)
    q, zero = rng.uniform(-2, 2, (20, 6)), np.zeros((20, 6))
    load = felt_load(LOLA, q, zero, zero)
    turn = erfd.forward_kinematics(LOLA, q)[:, :3, :3]
    np.testing.assert_allclose(np.einsum("kij,kj->ki", turn, load), [[0, 0, 1]] * 20, atol=1e-12)
    falling = replace(LOLA, gravity=(0.0, 0.0, 0.0))
    np.testing.assert_allclose(felt_load(falling, q, zero, zero), 0, atol=1e-12)


def test_the_load_is_the_second_derivative_of_the_tool():
    """Against differences of the tool's position; their error is of the order of h^2."""
    rng = np.random.default_rng(5)
    q, qd, qdd = rng.uniform(-1, 1, (3, 6))
    h = 1e-4
    at = [erfd.forward_kinematics(LOLA, q + s * qd + s * s / 2 * qdd) for s in (-h, 0.0, h)]
    a = (at[0][:3, 3] - 2 * at[1][:3, 3] + at[2][:3, 3]) / h**2
    expected = at[1][:3, :3].T @ (a - LOLA.gravity) / G
    np.testing.assert_allclose(felt_load(LOLA, q, qd, qdd), expected, atol=1e-5)
