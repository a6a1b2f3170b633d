"""Inverse kinematics of arms without a closed form: what is found is right, and it is found."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.ik.inverse_kinematics import closed_form
from erfd.ik.numeric import Task, descend, rotation_vector
from erfd.robot.synthetic import general_robot
from support.arms import random_robot
from support.inverse_arms import COUNT, positions, size


def missing(robot: erfd.Robot, q: np.ndarray, pose: np.ndarray) -> float:
    """The largest error of what is asked for: the pose, or with fewer than six joints the point."""
    columns = slice(0, 4) if robot.n >= 6 else slice(3, 4)
    return float(np.abs(erfd.forward_kinematics(robot, q) - pose)[..., :3, columns].max())


@pytest.mark.parametrize("name", ["sdt4", "centrifuge3", "two_link"])
def test_bundled_robots(name: str) -> None:
    robot = erfd.load(name)
    assert not closed_form(robot)
    for k in range(0, COUNT, 10_000):
        pose = erfd.forward_kinematics(robot, positions(robot, min(10_000, COUNT - k), k))
        q = erfd.inverse_kinematics(robot, pose)
        assert missing(robot, q, pose) < 1e-10
        lower = [joint.position_min for joint in robot.joints]
        upper = [joint.position_max for joint in robot.joints]
        assert ((q >= lower) & (q <= upper)).all()


@pytest.mark.parametrize("n", [3, 5, 6, 7, 8])
def test_arms_without_special_geometry(n: int) -> None:
    robot = general_robot(n)
    pose = erfd.forward_kinematics(robot, positions(robot, 200, n))
    assert missing(robot, erfd.inverse_kinematics(robot, pose), pose) < 1e-10


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1), st.text("RRRP", min_size=2, max_size=8))
def test_random_arms(seed: int, kinds: str) -> None:
    """Prismatic joints, odd frames, degenerate arms: the pose comes from a position, so it exists.

    The tolerance is that of a solution, times the arm's size; a doubly singular pose is approached
    with half its digits.
    """
    robot = random_robot(seed, kinds)
    pose = erfd.forward_kinematics(robot, positions(robot, 5, seed))
    q = erfd.inverse_kinematics(robot, pose)
    assert missing(robot, q, pose) < 1e-10 * size(robot)


@pytest.mark.parametrize("name", ["lola15", "stanford"])
def test_both_ways_agree(name: str) -> None:
    """From a position nearby, damped least squares ends on the closed form's branch."""
    robot = erfd.load(name)
    q = positions(robot, 300, 1)
    q = q[erfd.singularity(robot, q).closeness > 0.2]
    pose = erfd.forward_kinematics(robot, q)
    start = q + np.random.default_rng(0).uniform(-0.02, 0.02, q.shape)
    found, left = descend(Task.of(robot, robot.tool), pose, start)
    lower = np.array([joint.position_min for joint in robot.joints])
    upper = np.array([joint.position_max for joint in robot.joints])
    inside = ((q > lower + 0.05) & (q < upper - 0.05)).all(axis=1)
    assert inside.sum() > 30
    assert left[inside].max() < 1e-12
    exact = erfd.inverse_kinematics(robot, pose, near=q)
    assert np.abs(found - exact)[inside].max() < 1e-9


def test_near_is_where_the_search_begins() -> None:
    """A redundant arm stays near: the step is not longer than the way back needs."""
    robot = general_robot(7)
    q = positions(robot, 50, 2)
    moved = q + np.random.default_rng(3).uniform(-0.01, 0.01, q.shape)
    found = erfd.inverse_kinematics(robot, erfd.forward_kinematics(robot, moved), near=q)
    assert np.linalg.norm(found - q, axis=1).max() < 2 * np.linalg.norm(moved - q, axis=1).max()


def test_all_solutions_of_two_links() -> None:
    robot = erfd.load("two_link")
    pose = erfd.forward_kinematics(robot, [0.4, 0.9])
    found = erfd.all_solutions(robot, pose)
    assert len(found) == 2
    assert sorted(np.sign(found.q[:, 1])) == [-1, 1]
    assert found.config.tolist() == [-1, -1]
    assert missing(robot, found.q, pose) < 1e-10


def test_rotation_vectors_at_half_a_turn_and_next_to_it() -> None:
    rng = np.random.default_rng(0)
    axis = rng.normal(size=(200, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    for angle in (0.0, 1e-9, 1.0, np.pi - 1e-3, np.pi - 1e-8, np.pi):
        c, s = np.cos(angle), np.sin(angle)
        cross = np.cross(axis[:, None], np.eye(3)[None]).transpose(0, 2, 1)
        turn = c * np.eye(3) + s * cross + (1 - c) * axis[:, :, None] * axis[:, None, :]
        found = rotation_vector(turn)
        assert np.linalg.norm(found, axis=1) == pytest.approx(angle, abs=1e-7)
        if 0 < angle < np.pi - 1e-6:
            assert np.abs(found - angle * axis).max() < 1e-7
        elif angle:
            assert np.abs(np.abs(np.sum(found * axis, axis=1)) - angle).max() < 1e-7
