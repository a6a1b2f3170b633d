"""Poses, Jacobians, velocities and accelerations against Pinocchio and differences."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.errors import InputError, RobotError
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


@some
@given(arms(), states)
def test_named_frames_are_fixed_to_their_links(robot: erfd.Robot, seed: int) -> None:
    """The tool again under another name, at every link; its Jacobian by differences of poses."""
    q, *_ = random_state(seed, robot.n)
    pose = erfd.Pose((0.1, -0.2, 0.3), (0.4, -0.5, 0.6))
    named = tuple(erfd.NamedFrame(f"at {i}", i, pose) for i in range(robot.n + 1))
    robot = replace(robot, frames=(*named, erfd.NamedFrame("tip", robot.n, robot.tool)))
    tool = erfd.forward_kinematics(robot, q)
    assert np.abs(erfd.forward_kinematics(robot, q, "tip") - tool).max() < 1e-12
    assert np.abs(erfd.jacobian(robot, q, "tip") - erfd.jacobian(robot, q)).max() < 1e-12
    step = 1e-6
    for i, frame in enumerate(named):
        columns = erfd.jacobian(robot, q, frame.name)
        assert not columns[:, i:].any()
        at = erfd.forward_kinematics(robot, q, frame.name)
        for k in range(robot.n):
            shift = np.eye(robot.n)[k] * step
            ahead, behind = (
                erfd.forward_kinematics(robot, q + s, frame.name) for s in (shift, -shift)
            )
            rate = (ahead - behind) / (2 * step)
            spin = rate[:3, :3] @ at[:3, :3].T
            turning = [spin[2, 1], spin[0, 2], spin[1, 0]]
            assert np.abs(columns[:, k] - [*rate[:3, 3], *turning]).max() < 1e-7


def test_mistakes_in_frames_are_said() -> None:
    robot = erfd.load("two_link")
    with pytest.raises(InputError, match="expected one of"):
        erfd.jacobian(robot, [0, 0], "nose")
    with pytest.raises(InputError, match="expected 0 to 2 or the name of a frame, found 3"):
        erfd.forward_kinematics(robot, [0, 0], 3)
    two = erfd.NamedFrame("camera", 1), erfd.NamedFrame("camera", 2)
    with pytest.raises(RobotError, match=r"\[\[frame\]\] 2: name: expected a name of its own"):
        replace(robot, frames=two)
    with pytest.raises(
        RobotError, match=r"\[\[frame\]\] 1: link: expected a frame 0 to 2, found 5"
    ):
        replace(robot, frames=(erfd.NamedFrame("camera", 5),))
