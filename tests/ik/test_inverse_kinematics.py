"""Inverse kinematics in closed form: every branch, and only those."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.errors import InputError, ReachError
from erfd.ik.closed_form import kernel as inverse_kernel
from erfd.ik.closed_form.arm import arm_of
from erfd.ik.closed_form.crossing_arm import CrossingArm
from erfd.ik.closed_form.elbow_arm import ElbowArm
from erfd.ik.closed_form.parallel_arm import ParallelArm
from erfd.ik.closed_form.scalars import NUMPY
from erfd.ik.inverse_kinematics import closed_form
from support.demonstration import angles, points, rotation
from support.inverse_arms import COUNT, STRUCTURES, apart, positions, size, spherical_robot

SPHERICAL = ("lola15", "puma560", "stanford")
KINDS = {
    "elbow": ElbowArm,
    "crossing": CrossingArm,
    "sliding": CrossingArm,
    "parallel": ParallelArm,
}
seeds = st.integers(0, 2**32 - 1)
robots = st.builds(spherical_robot, seeds, st.sampled_from(STRUCTURES), st.booleans())
some = settings(max_examples=60, deadline=None)


def check_branches(robot: erfd.Robot, q: np.ndarray) -> None:
    """Each branch reproduces the pose, and q is the one that its code says."""
    pose = erfd.forward_kinematics(robot, q)
    found = erfd.branches(robot, pose)
    assert found.q.shape == (len(q), 8, 6)
    reached = erfd.forward_kinematics(robot, np.nan_to_num(found.q))
    error = np.abs(reached - pose[:, None]).max(axis=(-1, -2))
    # rounding of some 1e-16 m, times the products that it goes through
    assert error[found.exist].max() < 1e-12 * size(robot)
    angles_only = found.q[..., [i for i in range(6) if robot.joints[i].revolute]]
    inside = (angles_only > -np.pi) & (angles_only <= np.pi)
    assert inside[found.exist].all()
    mine = found.q[np.arange(len(q)), erfd.config_of(robot, q)]
    # near a singularity an angle is as uncertain as the pose, divided by the distance to it
    left = np.minimum(erfd.singularity(robot, q).closeness, erfd.singularity(robot, q).measure)
    sure = left > 1e-7
    assert sure.mean() > 0.9
    assert (apart(robot, mine, q) * left)[sure].max() < 1e-12 * size(robot)


@pytest.mark.parametrize("name", SPHERICAL)
def test_every_branch_of_the_bundled_robots(name: str) -> None:
    robot = erfd.load(name)
    for k in range(0, COUNT, 10_000):
        check_branches(robot, positions(robot, min(10_000, COUNT - k), k))


@some
@given(seeds, st.sampled_from(STRUCTURES), st.booleans())
def test_every_branch_of_random_arms(seed: int, structure: str, right_angles: bool) -> None:
    robot = spherical_robot(seed, structure, right_angles)
    assert isinstance(arm_of(robot).front, KINDS[structure])
    check_branches(robot, positions(robot, 50, seed))


def differences(robot: erfd.Robot, a: np.ndarray, b: np.ndarray) -> float:
    """The largest difference of joint positions, times how far they are from a singularity."""
    assert (np.isnan(a) == np.isnan(b)).all()
    there = ~np.isnan(a[..., 0])
    a, b = a[there], b[there]
    return float((apart(robot, a, b) * erfd.singularity(robot, a).measure).max())


COMPILED = {
    "lola15": lambda: erfd.load("lola15"),
    "stanford": lambda: erfd.load("stanford"),
    "parallel": lambda: spherical_robot(5, "parallel", right_angles=False),
}


@pytest.mark.parametrize("name", COMPILED)
def test_machine_code_and_numpy_agree(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few poses by the kernel of one branch, many by those of all branches."""
    monkeypatch.setattr(inverse_kernel, "LARGE", 1000)
    robot = COMPILED[name]()
    q = positions(robot, 2000, 5)
    pose = erfd.forward_kinematics(robot, q)
    plain = erfd.branches(robot, pose).q
    best, near = erfd.inverse_kinematics(robot, pose), erfd.inverse_kinematics(robot, pose, near=q)
    path = erfd.follow(robot, pose[:50], q[0])
    with erfd.backend("compiled"):
        many, few = erfd.branches(robot, pose).q, erfd.branches(robot, pose[:999]).q
        many_best, few_best = (erfd.inverse_kinematics(robot, p) for p in (pose, pose[:999]))
        many_near = erfd.inverse_kinematics(robot, pose, near=q)
        other = erfd.branches(robot, pose[:99] @ lift(0.1), tool=lifted(robot, 0.1)).q
        fast_path = erfd.follow(robot, pose[:50], q[0])
    assert differences(robot, plain, many) < 1e-13
    assert differences(robot, plain[:999], few) < 1e-13
    assert differences(robot, plain[:99], other) < 1e-13
    # two branches that are equally far from the limits may change places
    for found, count in ((many_best, 2000), (few_best, 999)):
        assert room(robot, found) == pytest.approx(room(robot, best[:count]), abs=1e-6)
        assert np.abs(erfd.forward_kinematics(robot, found) - pose[:count]).max() < 1e-12
    assert differences(robot, near, many_near) < 1e-13
    assert (fast_path.config == path.config).all()
    assert differences(robot, path.q, fast_path.q) < 1e-12


def lift(z: float) -> np.ndarray:
    result = np.eye(4)
    result[2, 3] = z
    return result


def lifted(robot: erfd.Robot, z: float) -> erfd.Pose:
    """The robot's tool, moved along its own z."""
    return robot.tool @ erfd.Pose((0.0, 0.0, z))


def room(robot: erfd.Robot, q: np.ndarray) -> np.ndarray:
    """The least part of half a range that is left to a limit; 1 for joints without limits."""
    result = np.ones(len(q))
    for i, joint in enumerate(robot.joints):
        middle = (joint.position_max + joint.position_min) / 2
        if np.isfinite(middle):
            half = (joint.position_max - joint.position_min) / 2
            result = np.minimum(result, 1 - np.abs(q[:, i] - middle) / half)
    return result


def test_other_arms_have_no_branches() -> None:
    for name in ("sdt4", "centrifuge3", "two_link"):
        robot = erfd.load(name)
        assert not closed_form(robot)
        with pytest.raises(InputError, match="last three axes meet in a point"):
            erfd.branches(robot, np.eye(4))


@pytest.mark.parametrize("name", ["lola15", "puma560"])
def test_codes_say_what_erratum_24_says(name: str) -> None:
    """From the frames alone: where the wrist centre is, and where joint 3 is beside its line."""
    robot = erfd.load(name)
    q = positions(robot, 2000, 3)
    frames = erfd.link_frames(robot, q)[..., :3, 3]
    wrist = frames[:, 3] if name == "lola15" else frames[:, 4]
    outward = np.stack([np.cos(q[:, 0]), np.sin(q[:, 0]), np.zeros(len(q))], axis=1)
    back = np.sum(wrist * outward, axis=1) < 0
    line, upper = wrist - frames[:, 1], frames[:, 2] - frames[:, 1]
    along, lift = (np.sum(v * outward, axis=1) for v in (line, upper))
    above = along * upper[:, 2] - line[:, 2] * lift > 0
    down = above == back  # behind the robot the line points the other way
    code = 1 * back + 2 * down + 4 * (q[:, 4] < 0)
    assert (erfd.config_of(robot, q) == code).all()


@pytest.mark.parametrize("name", SPHERICAL)
def test_near_keeps_branch_and_turns(name: str) -> None:
    """The solution near q of the pose at q is q itself, also beyond half a turn."""
    robot = erfd.load(name)
    q = positions(robot, 2000, 7)
    found = erfd.inverse_kinematics(robot, erfd.forward_kinematics(robot, q), near=q)
    left = erfd.singularity(robot, q).measure
    assert (np.abs(found - q).max(axis=1) * left).max() < 1e-12


@pytest.mark.parametrize("name", SPHERICAL)
def test_the_best_solution_is_within_limits(name: str) -> None:
    robot = erfd.load(name)
    lower = [joint.position_min for joint in robot.joints]
    upper = [joint.position_max for joint in robot.joints]
    for k in range(0, COUNT, 10_000):
        pose = erfd.forward_kinematics(robot, positions(robot, min(10_000, COUNT - k), k + 9))
        q = erfd.inverse_kinematics(robot, pose)
        assert ((q >= lower) & (q <= upper)).all()
        assert np.abs(erfd.forward_kinematics(robot, q) - pose).max() < 1e-12


def test_all_solutions_are_all_turns_within_limits() -> None:
    robot = erfd.load("lola15")
    q = np.array([0.3, 0.2, -0.4, 2.0, -0.9, -1.5])
    pose = erfd.forward_kinematics(robot, q)
    found = erfd.all_solutions(robot, pose, near=q, turns=True)
    assert found.q[0] == pytest.approx(q, abs=1e-12)  # nearest first
    assert np.abs(erfd.forward_kinematics(robot, found.q) - pose).max() < 1e-12
    # axes 4 and 6 go +-350 degrees: both have another turn on each branch within the limits
    lower = np.array([joint.position_min for joint in robot.joints])
    upper = np.array([joint.position_max for joint in robot.joints])
    assert ((found.q >= lower) & (found.q <= upper)).all()
    wanted = set()
    for code, one in enumerate(erfd.branches(robot, pose).q):
        if not np.isnan(one[0]):
            turns = [
                [x + 2 * np.pi * k for k in (-1, 0, 1) if low <= x + 2 * np.pi * k <= high]
                for x, low, high in zip(one, lower, upper, strict=True)
            ]
            wanted |= {(code, int(np.prod([len(t) for t in turns])))}
    counted = {(code, int((found.config == code).sum())) for code, _ in wanted}
    assert counted == wanted
    assert len(found) == sum(count for _, count in wanted)
    alone = erfd.all_solutions(robot, pose, near=q)
    assert sorted(alone.config) == sorted(code for code, n in wanted if n)  # no copies
    assert alone.q[0] == pytest.approx(q, abs=1e-12)


def test_one_limit_and_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Axis 6 endless in one direction, axis 4 in both: few poses, many poses, one answer."""
    monkeypatch.setattr(inverse_kernel, "LARGE", 10)
    robot = erfd.load("lola15")
    joints = list(robot.joints)
    joints[5] = replace(joints[5], position_min=1.0, position_max=math.inf)
    joints[3] = replace(joints[3], position_min=-math.inf, position_max=math.inf)
    robot = replace(robot, joints=tuple(joints))
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.2])
    pose = erfd.forward_kinematics(robot, q)
    wanted = q + np.array([0, 0, 0, 0, 0, 2 * np.pi])
    for backend in ("numpy", "compiled"):
        with erfd.backend(backend):
            found = erfd.inverse_kinematics(robot, np.broadcast_to(pose, (20, 4, 4)))
            assert np.abs(found - wanted).max() < 1e-12
            assert erfd.inverse_kinematics(robot, pose) == pytest.approx(wanted, abs=1e-12)
    every = erfd.all_solutions(robot, pose).q
    assert (every[:, 5] >= 1.0).all()
    assert len(every) == 2  # both wrists; an endless joint has one turn


def test_config_and_tool_are_taken() -> None:
    robot = erfd.load("lola15")
    q = np.array([0.3, 0.2, -0.4, 1.0, -0.9, -1.5])
    pose = erfd.forward_kinematics(robot, q)
    assert erfd.inverse_kinematics(robot, pose, config=4) == pytest.approx(q, abs=1e-12)
    flipped = erfd.inverse_kinematics(robot, pose, config=0)
    assert erfd.config_of(robot, flipped) == 0
    codes = erfd.inverse_kinematics(robot, pose, config=[0, 4, 0])
    assert erfd.config_of(robot, codes).tolist() == [0, 4, 0]
    bare = erfd.forward_kinematics(robot, q, 6)
    again = erfd.inverse_kinematics(robot, bare, tool=erfd.Pose(), near=q)
    assert again == pytest.approx(q, abs=1e-12)
    assert erfd.inverse_kinematics(robot, pose, near=q, config=8) == pytest.approx(q, abs=1e-12)


def test_near_config_and_poses_broadcast() -> None:
    """Each row is what the same arguments give one by one, whatever has the leading axis."""
    robot = erfd.load("lola15")
    q = np.array([0.3, 0.2, -0.4, 1.0, -0.9, 0.6 - 2 * np.pi])
    pose = erfd.forward_kinematics(robot, q)
    codes = [8, 0, 4, 8, 0, 4]
    one_by_one = [erfd.inverse_kinematics(robot, pose, near=q, config=code) for code in codes]
    assert one_by_one[0] == pytest.approx(q, abs=1e-12)
    rows = erfd.inverse_kinematics(robot, pose, near=q, config=codes)
    assert rows == pytest.approx(np.array(one_by_one), abs=1e-12)
    assert erfd.inverse_kinematics(robot, pose, near=q, config=[0, 0]).shape == (2, 6)
    nears = np.stack([q, np.zeros(6)])
    table = erfd.inverse_kinematics(robot, pose, near=nears[:, None], config=codes)
    assert table.shape == (2, 6, 6)
    assert table[0] == pytest.approx(rows, abs=1e-12)
    with pytest.raises(InputError, match=r"near: expected joint positions of shape \(6,\)"):
        erfd.all_solutions(robot, pose, near=nears)


def test_a_position_at_a_singularity_belongs_to_both_branches() -> None:
    """From home (q5 = 0) the flipped wrist is taken if it is nearer."""
    robot = erfd.load("lola15")
    home = np.zeros(6)
    q = np.array([0.1, 0.1, 0.1, 0.2, -0.3, 0.1])
    found = erfd.inverse_kinematics(robot, erfd.forward_kinematics(robot, q), near=home)
    assert found == pytest.approx(q, abs=1e-12)


def test_free_joints_stay_where_they_are() -> None:
    """Axes 4 and 6 aligned: q4 is taken from `near`. Wrist centre on axis 1: q1 is."""
    robot = erfd.load("lola15")
    q = np.array([0.4, 0.2, -0.3, 0.7, 0.0, 0.5])
    found = erfd.inverse_kinematics(robot, erfd.forward_kinematics(robot, q), near=q)
    assert found == pytest.approx(q, abs=1e-10)
    arm = arm_of(robot)
    # the arm bends back until the wrist centre is above axis 1
    overhead = np.array([0.4, 0.9, 0.0, 0.7, 0.6, 0.5])
    for _ in range(60):
        here = [arm.front.signs(NUMPY, [0.0, x, 0.0])[0] for x in overhead[1] + np.array([0, 1e-6])]
        overhead[1] -= here[0] * 1e-6 / (here[1] - here[0])
    pose = erfd.forward_kinematics(robot, overhead)
    found = erfd.inverse_kinematics(robot, pose, near=overhead)
    assert np.abs(erfd.forward_kinematics(robot, found) - pose).max() < 1e-10
    assert found[0] == pytest.approx(0.4, abs=1e-9)


@some
@given(robots, seeds)
def test_a_shifted_base_or_tool_is_another_pose(robot: erfd.Robot, seed: int) -> None:
    """`tool` replaces the robot's: the branches are those of the flange's pose."""
    q = positions(robot, 5, seed)
    bare = replace(robot, tool=erfd.Pose())
    flange = erfd.forward_kinematics(bare, q)
    direct = erfd.branches(bare, flange).q
    through = erfd.branches(robot, flange, tool=erfd.Pose()).q
    assert np.array_equal(direct, through, equal_nan=True)


def test_erratum_22_without_the_tool() -> None:
    """s6 and s10 are out of reach by 3.5 and 10.3 mm when the tool is taken off."""
    robot = erfd.load("lola15")
    known, oriented = points(s9_lowered=False), angles()
    for name, wanted in (("s6", 3.5), ("s10", 10.3)):
        pose = np.eye(4)
        pose[:3, :3] = rotation(oriented.get(name, oriented["s9"]))
        pose[:3, 3] = known[name] / 1000
        with pytest.raises(ReachError, match=f"out of reach by {wanted} mm") as caught:
            erfd.inverse_kinematics(robot, pose, tool=erfd.Pose())
        assert 1000 * caught.value.distance == pytest.approx(wanted, abs=0.05)
        assert caught.value.angle == 0
    for name, abc in oriented.items():  # with the tool all are reached, as the listing says
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = rotation(abc), known[name] / 1000
        q = erfd.inverse_kinematics(robot, pose, config=4)
        assert -106 < np.degrees(q[4]) < -42
        assert abs(np.degrees(q[3])) < 96


def test_what_is_wrong_is_said() -> None:
    robot = erfd.load("lola15")
    pose = erfd.forward_kinematics(robot, [0.3, 0.2, -0.4, 1.0, -0.9, -1.5])
    mirrored = pose.copy()
    mirrored[:3, 0] *= -1
    for wrong, sentence in (
        (np.eye(3), r"pose: expected shape \(..., 4, 4\), found \(3, 3\)"),
        (2 * pose, "pose: expected a rotation matrix, found one that is off by 3"),
        (mirrored, "a mirrored one"),
        (np.full((4, 4), np.nan), "pose: expected finite numbers"),
        ("here", "pose: expected numbers"),
    ):
        with pytest.raises(InputError, match=sentence):
            erfd.inverse_kinematics(robot, wrong)
    for options, sentence in (
        ({"config": 9}, "config: expected whole numbers 0 to 8"),
        ({"config": 0.5}, "config: expected whole numbers 0 to 8"),
        ({"config": 8}, "needs joint positions `near`"),
        ({"near": [0, 0]}, "near: expected shape"),
        ({"tool": pose}, "tool: expected an erfd.Pose"),
    ):
        with pytest.raises(InputError, match=sentence):
            erfd.inverse_kinematics(robot, pose, **options)
    low = pose.copy()
    low[3] = (0, 0, 0, 2)
    with pytest.raises(InputError, match="last row"):
        erfd.branches(robot, low)
    sdt4 = erfd.load("sdt4")
    with pytest.raises(InputError, match="no CONFIG branches"):
        erfd.inverse_kinematics(sdt4, erfd.forward_kinematics(sdt4, np.zeros(4)), config=1)
