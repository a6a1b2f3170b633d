"""Poses, Jacobians, velocities and accelerations against Pinocchio and differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.errors import InputError
from support.arms import BUNDLED, Witness, arms, random_state

states = st.integers(0, 10_000)
some = settings(max_examples=40, deadline=None)


@some
@given(arms(), states)
def test_tool_pose_and_jacobian_are_pinocchios(robot: erfd.Robot, seed: int) -> None:
    q, *_ = random_state(seed, robot.n)
    witness = Witness(robot)
    assert np.abs(erfd.forward_kinematics(robot, q) - witness.tool_pose(q)).max() < 1e-12
    assert np.abs(erfd.jacobian(robot, q) - witness.jacobian(q)).max() < 1e-12


@some
@given(arms(), states)
def test_link_velocities_and_accelerations_are_differences_of_poses(
    robot: erfd.Robot, seed: int
) -> None:
    q, qd, qdd, _ = random_state(seed, robot.n)
    h = 1e-4
    t = h * np.array([-1.0, 0.0, 1.0])[:, None]
    path, rates = q + qd * t + qdd * t**2 / 2, qd + qdd * t
    frames = erfd.link_frames(robot, path)[:, 1:]
    angular, linear = erfd.link_velocities(robot, path, rates)
    origins = frames[..., :3, 3]
    scale = 1 + np.abs(linear).max() + np.abs(angular).max() ** 3
    assert np.abs((origins[2] - origins[0]) / (2 * h) - linear[1]).max() < 1e-5 * scale
    turning = (frames[2, :, :3, :3] - frames[0, :, :3, :3]) / (2 * h)
    skew = turning @ frames[1, :, :3, :3].transpose(0, 2, 1)  # R' R^T = [w]x
    found = np.stack([skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]], axis=-1)
    assert np.abs(found - angular[1]).max() < 1e-5 * scale
    angular_rate, linear_rate = erfd.link_accelerations(robot, q, qd, qdd)
    size = 1 + np.abs(linear_rate).max() + np.abs(angular).max() ** 4
    assert np.abs((linear[2] - linear[0]) / (2 * h) - linear_rate).max() < 1e-5 * size
    assert np.abs((angular[2] - angular[0]) / (2 * h) - angular_rate).max() < 1e-5 * size


def test_the_jacobian_moves_the_tool() -> None:
    robot = erfd.load("lola15")
    q, qd, *_ = random_state(5, 6)
    h = 1e-6
    ahead, behind = (erfd.forward_kinematics(robot, q + s * h * qd)[:3, 3] for s in (1, -1))
    assert np.allclose((ahead - behind) / (2 * h), (erfd.jacobian(robot, q) @ qd)[:3], atol=1e-8)


@pytest.mark.parametrize("name", BUNDLED)
def test_a_link_by_number_and_by_name(name: str) -> None:
    robot = erfd.load(name)
    q = np.linspace(-0.5, 0.5, robot.n)
    frames = erfd.link_frames(robot, q)
    for i, link in enumerate(robot.links, 1):
        assert np.array_equal(erfd.forward_kinematics(robot, q, i), frames[i])
        assert np.array_equal(erfd.forward_kinematics(robot, q, link.name), frames[i])
    assert np.array_equal(erfd.forward_kinematics(robot, q, 0), frames[0])


@pytest.mark.parametrize("link", [7, -1, "hand", 1.5])
def test_a_link_that_does_not_exist(link: object) -> None:
    with pytest.raises(InputError, match="link: expected"):
        erfd.forward_kinematics(erfd.load("lola15"), [0] * 6, link)
