"""The URDF importer against Pinocchio, an independent reader and an independent dynamics.

Both read the same text, so torques, mass matrix and tool pose may differ by rounding only. Data
with full digits agrees to 1e-14; 1e-9 leaves room for entries that Pose snaps to 0 and 1 (1e-12).
"""

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from erfd.dynamics import fast
from erfd.dynamics.chain import chain_of, frames, motions
from erfd.mechanics.kinematics import forward_kinematics, jacobian
from erfd.robot.library import load
from erfd.robot.model import Robot
from erfd.robot.pose import Pose
from support.pinocchio_or_skip import pin
from support.urdf_files import ARM, END, SMALL, Writer, quiet

TOLERANCE = 1e-9


def homogeneous(pose: Pose) -> np.ndarray:
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = pose.rotation, pose.xyz
    return result


class Pinocchio:
    """The same chain by Pinocchio: all other joints locked, gravity along -z of the base link."""

    def __init__(self, text: str, robot: Robot, base: str, tip: str, locked: Mapping[str, float]):
        full = pin.buildModelFromXML(text)
        names = [joint.name for joint in robot.joints]
        others = [name for name in list(full.names)[1:] if name not in names]
        at = np.zeros(full.nv)
        for name, value in locked.items():
            at[full.joints[full.getJointId(name)].idx_v] = value
        rest = pin.integrate(full, pin.neutral(full), at)
        self.model = pin.buildReducedModel(full, [full.getJointId(x) for x in others], rest)
        assert self.model.nv == robot.n
        self.data = self.model.createData()
        self.base, self.tip = (self.model.getFrameId(x, pin.BODY) for x in (base, tip))
        self.order = [self.model.joints[self.model.getJointId(x)].idx_v for x in names]
        self.tool([0.0] * robot.n)
        down = self.data.oMf[self.base].rotation @ [0.0, 0.0, -9.81]
        self.model.gravity.linear = down

    def q(self, q):  # continuous joints are (cos, sin) there
        return pin.integrate(self.model, pin.neutral(self.model), self.v(q))

    def v(self, v):
        result = np.zeros(self.model.nv)
        result[self.order] = v
        return result

    def torques(self, q, qd, qdd):
        full = pin.rnea(self.model, self.data, self.q(q), self.v(qd), self.v(qdd))
        return full[self.order]

    def mass_matrix(self, q):
        upper = np.triu(pin.crba(self.model, self.data, self.q(q)))
        return (upper + np.triu(upper, 1).T)[np.ix_(self.order, self.order)]

    def tool(self, q):
        pin.framesForwardKinematics(self.model, self.data, self.q(q))
        return (self.data.oMf[self.base].inverse() * self.data.oMf[self.tip]).homogeneous

    def frame(self, name):
        """The pose of a link of the file in the base link, at the pose of the last `tool`."""
        at = self.model.getFrameId(name, pin.BODY)
        return (self.data.oMf[self.base].inverse() * self.data.oMf[at]).homogeneous

    def jacobian(self, q, name):
        at = self.model.getFrameId(name, pin.BODY)
        world = pin.LOCAL_WORLD_ALIGNED
        found = pin.computeFrameJacobian(self.model, self.data, self.q(q), at, world).reshape(6, -1)
        turn = self.data.oMf[self.base].rotation.T
        return np.vstack([turn @ found[:3], turn @ found[3:]])[:, self.order]


def assert_agrees(
    path: Path, robot: Robot, base: str, tip: str, locked: Mapping[str, float], states: int = 4
) -> None:
    """Inverse dynamics, mass matrix and tool pose of both, at random states."""
    other = Pinocchio(path.read_text(), robot, base, tip, locked)
    chain, rng = chain_of(robot), np.random.default_rng(7)
    for _ in range(states):
        q, qd, qdd = rng.uniform(-2, 2, (3, robot.n))
        pose = motions(chain, q, math.cos, math.sin)
        ours, theirs = fast.inverse_dynamics(chain, pose, qd, qdd), other.torques(q, qd, qdd)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=TOLERANCE * abs(theirs).max())
        ours, theirs = np.array(fast.mass_matrix(chain, pose)), other.mass_matrix(q)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=TOLERANCE * abs(theirs).max())
        rotation, origin = frames(chain, pose)[-1]
        last = np.eye(4)
        last[:3, :3], last[:3, 3] = rotation, origin
        tool = homogeneous(robot.base) @ last @ homogeneous(robot.tool)
        np.testing.assert_allclose(tool, other.tool(q), rtol=0, atol=TOLERANCE)
        for frame in robot.frames:  # a name is the file's frame
            here = forward_kinematics(robot, q, frame.name)
            np.testing.assert_allclose(here, other.frame(frame.name), rtol=0, atol=TOLERANCE)
            ours, theirs = jacobian(robot, q, frame.name), other.jacobian(q, frame.name)
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("seed", range(42))
def test_random_robots_agree_with_pinocchio(tmp_path, seed):
    n = 1 + seed % 7
    writer = Writer(seed, n)
    path = writer.save(tmp_path)
    robot = load(path, tip=writer.tip, locked=writer.locked)
    assert robot.n == n
    assert_agrees(path, robot, writer.base, writer.tip, writer.locked)


@pytest.mark.parametrize("seed", range(4))
def test_a_base_in_the_middle_drops_what_is_above_it(tmp_path, seed):
    writer = Writer(seed, 5)
    path = writer.save(tmp_path)
    whole = load(path, tip=writer.tip)
    base = whole.links[1].name
    robot = load(path, base=base, tip=writer.tip)
    assert [joint.name for joint in robot.joints] == [joint.name for joint in whole.joints[2:]]
    assert_agrees(path, robot, base, writer.tip, {})


@pytest.mark.parametrize("base", ["world", "pedestal", "turret"])
@pytest.mark.parametrize("tip", ["tool0", "hand", "left_finger", "boom", "mast"])
def test_the_written_arm_agrees_with_pinocchio(base, tip):
    robot = quiet(ARM, base=base, tip=tip)
    assert_agrees(ARM, robot, base, tip, {"grip_mirror": -0.002})  # the offset of its mimic tag


def test_locked_joints_stay_where_they_are_told_and_mimics_follow():
    at = {"grip": 0.03, "camera_tilt": -0.4}
    robot = quiet(ARM, tip="tool0", locked=at)
    assert_agrees(ARM, robot, "world", "tool0", at | {"grip_mirror": -0.03 - 0.002})
    apart = at | {"grip_mirror": 0.01}
    assert_agrees(ARM, quiet(ARM, tip="tool0", locked=apart), "world", "tool0", apart)


def test_only_the_last_of_an_unbranched_chain_needs_no_name():
    assert load(SMALL) == load(SMALL, base="base", tip="lower")
    assert_agrees(SMALL, load(SMALL), "base", "lower", {})


def test_turns_that_add_up_to_almost_a_right_angle_keep_their_digits(tmp_path):
    bracket = (
        '<link name="bracket"/><joint name="bend" type="fixed"><parent link="upper"/>'
        '<child link="bracket"/><origin rpy="0 0.4 0.7"/></joint>'
    )
    text = SMALL.read_text().replace('<parent link="upper"/>', '<parent link="bracket"/>')
    text = text.replace('xyz="0 0 0.4"/>', 'xyz="0 0 0.4" rpy="0.3 1.170796325 0"/>')
    path = tmp_path / "digits.urdf"
    path.write_text(text.replace(END, bracket + END))
    assert_agrees(path, load(path), "base", "lower", {})


@pytest.mark.parametrize("axis", [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
@pytest.mark.parametrize("sign", [1, -1])
def test_aligned_axes_turn_by_signed_permutations(tmp_path, axis, sign):
    axis = sign * np.array(axis)
    path = tmp_path / "aligned.urdf"
    text = SMALL.read_text().replace('"0 1 0"', f'"{axis[0]} {axis[1]} {axis[2]}"', 1)
    path.write_text(text)
    robot = load(path)
    rotation = np.array(robot.base.rotation)
    assert set(abs(rotation).ravel()) == {0.0, 1.0}
    assert rotation[:, 2].tolist() == axis.tolist()
    assert np.linalg.det(rotation) == 1.0
    assert set(abs(np.array(robot.joints[0].placement[0])).ravel()) == {0.0, 1.0}


def test_parallel_axes_need_no_turn_and_a_single_link_keeps_its_numbers():
    robot = load(SMALL)
    assert robot.joints[0].after.rpy == (0.0, 0.0, 0.0)
    assert robot.joints[1].after.is_identity
    assert (robot.joints[0].theta, robot.joints[0].d, robot.joints[0].a) == (0.0, 0.0, 0.0)
    lower = robot.links[1]
    assert (lower.name, lower.mass) == ("lower", 2.0)
    assert sorted(np.diag(lower.inertia)) == [0.01, 0.02, 0.02]
    assert sorted(lower.center) == [0.0, 0.0, 0.1]


def test_an_almost_unit_axis_is_made_one(tmp_path):
    path = tmp_path / "axis.urdf"
    path.write_text(SMALL.read_text().replace('"0 1 0"', '"0.7071 0 0.7071"'))
    rotation = np.array(load(path).base.rotation)
    np.testing.assert_allclose(rotation[:, 2], [0.5**0.5, 0, 0.5**0.5], atol=1e-15)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-15)
