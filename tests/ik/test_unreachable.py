"""Poses out of reach: by how much, against a search that knows nothing of our formulas."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import least_squares, minimize
from scipy.spatial.transform import Rotation

import erfd
from erfd.errors import ReachError
from erfd.ik.closed_form.arm import arm_of
from erfd.ik.closed_form.reach import nearest_distance
from erfd.robot.synthetic import general_robot
from support.inverse_arms import STRUCTURES, positions, size, spherical_robot

seeds = st.integers(0, 2**32 - 1)


def wrist_robot(robot: erfd.Robot) -> erfd.Robot:
    """The same arm with its tool frame at the wrist centre."""
    return replace(robot, tool=erfd.Pose(arm_of(robot).center), base=erfd.Pose())


def searched(robot: erfd.Robot, center: np.ndarray) -> float:
    """The distance (m) of a point from the wrist centres that the arm reaches: grid, then descent.

    Joint 1 turns everything about the base's z axis, so two joints and a half-plane are enough.
    """
    bare = wrist_robot(robot)
    slides = not robot.joints[2].revolute
    span = 2 * size(robot) + float(np.abs(center).sum()) if slides else np.pi
    second, third = (
        np.linspace(-np.pi, np.pi, 91),
        np.linspace(-span, span, 151 if slides else 91),
    )
    wanted = np.array([np.hypot(center[0], center[1]), center[2]])

    def gap(q: np.ndarray) -> np.ndarray:
        joints = np.zeros((*np.shape(q)[:-1], 6))
        joints[..., 1:3] = q
        place = erfd.forward_kinematics(bare, joints)[..., :3, 3]
        seen = np.stack([np.hypot(place[..., 0], place[..., 1]), place[..., 2]], axis=-1)
        return np.linalg.norm(seen - wanted, axis=-1)

    grid = np.stack(np.meshgrid(second, third, indexing="ij"), axis=-1).reshape(-1, 2)
    found = gap(grid)
    best = np.inf
    for k in np.argsort(found)[:: max(1, len(grid) // 2000)][:3]:
        options = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 2000}
        best = min(best, minimize(gap, grid[k], method="Nelder-Mead", options=options).fun)
    return float(best)


@settings(max_examples=10, deadline=None)
@given(seeds, st.sampled_from(STRUCTURES))
def test_the_distance_of_random_arms(seed: int, structure: str) -> None:
    robot = spherical_robot(seed, structure, right_angles=True)
    arm = arm_of(robot)
    rng = np.random.default_rng(seed)
    center = rng.uniform(-1, 1, 3) * size(robot) * rng.uniform(0, 2)
    found = float(nearest_distance(arm.front.geometry, center[None])[0])
    # Nelder and Mead stop within 1e-9 of a minimum; a squared distance hides half the digits of 0
    assert found == pytest.approx(searched(robot, center), abs=2e-7)


@pytest.mark.parametrize("name", ["lola15", "puma560", "stanford"])
def test_branches_exist_where_the_distance_is_zero(name: str) -> None:
    """Points all over the place: no branch if and only if the wrist centre is out of reach."""
    robot = replace(wrist_robot(erfd.load(name)), name="bare")
    arm = arm_of(robot)
    rng = np.random.default_rng(2)
    pose = np.broadcast_to(np.eye(4), (1500, 4, 4)).copy()
    pose[:, :3, 3] = rng.uniform(-2.2, 2.2, (1500, 3))
    exist = erfd.branches(robot, pose).exist.any(axis=1)
    distance = nearest_distance(arm.front.geometry, pose[:, :3, 3])
    assert 0 < exist.sum() < 1500
    assert distance[exist].max() < 1e-6
    assert distance[~exist].min() > 1e-6


def test_the_sentence_and_its_numbers() -> None:
    robot = erfd.load("puma560")
    pose = erfd.forward_kinematics(robot, [0.3, 0.4, -0.2, 0.5, 0.6, 0.7])
    pose[:3, 3] *= 2
    with pytest.raises(ReachError, match=r"is out of reach by [\d.]+ mm$") as caught:
        erfd.inverse_kinematics(robot, pose)
    center = pose[:3, :3] @ [0, 0, -0.05625] + pose[:3, 3]
    assert caught.value.distance == pytest.approx(searched(robot, center), abs=2e-7)
    several = np.stack([erfd.forward_kinematics(robot, np.zeros(6) + 0.3), pose])
    with pytest.raises(ReachError, match="pose 1 at") as caught:
        erfd.inverse_kinematics(robot, several)
    assert caught.value.index == 1


def test_limits_are_named() -> None:
    """Axis 1 of Lola 15 goes to 170 degrees: the nearest pose within is named, and the joint."""
    robot = erfd.load("lola15")
    pose = erfd.forward_kinematics(robot, [3.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    with pytest.raises(
        ReachError, match=r"axis 1 would be at 177.6 deg, its limit is 170.0 deg"
    ) as e:
        erfd.inverse_kinematics(robot, pose)
    assert 0 < e.value.distance < 0.2

    said = float(np.hypot(e.value.distance / size_of(robot), e.value.angle))
    assert said == pytest.approx(searched_miss(robot, pose), rel=1e-4)


def size_of(robot: erfd.Robot) -> float:
    """The length (m) that counts as much as an angle of 1 rad: about the reach."""
    slides = sum(max(abs(j.position_min), abs(j.position_max)) for j in robot.joints
                 if not j.revolute)  # fmt: skip
    steps = sum(float(np.linalg.norm(joint.placement[1])) for joint in robot.joints)
    return slides + steps + float(np.linalg.norm(robot.tool.xyz))


def searched_miss(robot: erfd.Robot, pose: np.ndarray) -> float:
    """The least miss within the joint limits: many random positions, the best of them descended.

    In the measure of `nearest_miss`: (distance / length, angle) as one vector.
    """
    bounds = np.array([(j.position_min, j.position_max) for j in robot.joints]).T

    def missed(q: np.ndarray) -> np.ndarray:
        here = erfd.forward_kinematics(robot, q)
        turn = pose[:3, :3] @ np.swapaxes(here[..., :3, :3], -1, -2)
        angles = Rotation.from_matrix(turn).as_rotvec()
        return np.concatenate([(pose[:3, 3] - here[..., :3, 3]) / size_of(robot), angles], axis=-1)

    def slopes(q: np.ndarray) -> np.ndarray:  # of the angles but for second order
        return -erfd.jacobian(robot, q) / np.repeat([size_of(robot), 1.0], 3)[:, None]

    q = np.random.default_rng(1).uniform(*bounds, (3000, robot.n))
    best = np.argsort(np.linalg.norm(missed(q), axis=1))[:16]
    ends = [least_squares(missed, q[k], slopes, bounds, ftol=1e-9, max_nfev=60) for k in best]
    return float(np.sqrt(2 * min(end.cost for end in ends)))


HARD = (
    (-3.21, -0.33, 1.93, -6.96, 2.57, 0.55), (1.65, -0.38, 0.3, -4.15, -2.51, 2.7),
    (0.52, 0.13, -2.5, 5.8, -1.17, 0.71), (-0.04, 0.03, -2.51, 6.83, 0.2, -5.41),
)  # fmt: skip
"""Joints of Lola 15 beyond their limits, whose pose has a nearer one than where limits cut them."""


@pytest.mark.parametrize("name", ["lola15", "puma560", "stanford"])
def test_no_pose_within_the_limits_is_nearer_than_said(name: str) -> None:
    """Poses that joints would have to leave their limits for: there are many local minima."""
    robot = erfd.load(name)
    bounds = np.array([(j.position_min, j.position_max) for j in robot.joints]).T
    rng, found = np.random.default_rng(3), 0
    drawn = bounds.mean(axis=0) + 0.625 * np.diff(bounds, axis=0) * rng.uniform(-1, 1, (40, 6))
    for q in [*(HARD if name == "lola15" else ()), *drawn]:
        pose = erfd.forward_kinematics(robot, q)
        try:
            erfd.inverse_kinematics(robot, pose)
        except ReachError as error:
            if "within the joint limits" in str(error):
                said = float(np.hypot(error.distance / size_of(robot), error.angle))
                assert said <= searched_miss(robot, pose) * (1 + 1e-4)
                found += 1
        if found == (4 if name == "lola15" else 2):
            break
    assert found > 1


def test_another_config_is_named() -> None:
    """Lola 15 leans back 0.4 m less than forward: shoulder back is out of reach there."""
    robot = erfd.load("lola15")
    q = positions(robot, 100, 4)
    pose = erfd.forward_kinematics(robot, q)
    exist = erfd.branches(robot, pose).exist
    k = int(np.flatnonzero(exist[:, 0] & ~exist[:, 1])[0])
    with pytest.raises(
        ReachError, match=r"out of reach by [\d.]+ mm with CONFIG 1; CONFIG"
    ) as caught:
        erfd.inverse_kinematics(robot, pose[k], config=1)
    assert int(erfd.config_of(robot, q[k])) in caught.value.configs
    for code in caught.value.configs:
        assert erfd.config_of(robot, erfd.inverse_kinematics(robot, pose[k], config=code)) == code
    center = pose[k] @ [*-np.array(robot.tool.xyz), 1.0]
    behind = np.hypot(center[0], center[1]) + robot.joints[0].a  # of axis 2, which is at the back
    reach = robot.joints[1].a + np.hypot(0.115, 0.825)
    assert caught.value.distance == pytest.approx(np.hypot(behind, center[2]) - reach, abs=1e-9)


@settings(max_examples=20, deadline=None)
@given(seeds, st.sampled_from(STRUCTURES))
def test_orientations_that_a_slanted_wrist_cannot_take(seed: int, structure: str) -> None:
    """The angle is the least by which axis 6 misses its direction on any branch of the arm."""
    robot = spherical_robot(seed, structure, right_angles=False)
    arm = arm_of(robot)
    q = positions(robot, 40, seed)
    pose = erfd.forward_kinematics(robot, q)
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(40, 3, 3)))[0]
    turn *= np.linalg.det(turn)[:, None, None]
    center = np.array(arm.center)
    tool = robot.tool
    hand = np.array(tool.rotation).T @ (center - tool.xyz)  # the wrist centre in the tool frame
    at = pose[:, :3, :3] @ hand + pose[:, :3, 3]
    pose[:, :3, :3] = turn
    pose[:, :3, 3] = at - turn @ hand  # other orientations of the tool about the same wrist centre
    exist = erfd.branches(robot, pose).exist.any(axis=1)
    joints = np.zeros((4001, 6))
    joints[:, 4] = np.linspace(-np.pi, np.pi, 4001)
    frames = erfd.link_frames(robot, joints)
    reach = np.arccos(np.clip(np.sum(frames[:, 3, :3, 2] * frames[:, 5, :3, 2], axis=1), -1, 1))
    for k in np.flatnonzero(~exist)[:5]:
        with pytest.raises(ReachError) as caught:
            erfd.inverse_kinematics(robot, pose[k])
        flange = pose[k, :3, :3] @ np.array(tool.rotation).T
        last = flange @ np.array(robot.joints[5].placement[0]).T[:, 2]
        fronts = erfd.branches(robot, erfd.forward_kinematics(robot, q[k])).q
        fourth = erfd.link_frames(robot, fronts[~np.isnan(fronts[:, 0])])[:, 3, :3, 2]
        between = np.arccos(np.clip(fourth @ last, -1, 1))
        least = np.maximum(reach.min() - between, between - reach.max()).min()
        # the grid's extremes are 2e-7 off; other branches of the arm may do better than those of q
        assert 0 < caught.value.angle < least + 1e-6
        if len(fourth) == 8:
            assert caught.value.angle == pytest.approx(least, abs=1e-6)


def test_arms_without_a_closed_form() -> None:
    """Two links reach 0.9 m in their plane; a general arm against a plain search."""
    two = erfd.load("two_link")
    pose = np.eye(4)
    reach = sum(abs(joint.a) for joint in two.joints)
    tip = erfd.forward_kinematics(two, [0.0, 0.0])[:3, 3]
    pose[:3, 3] = tip + 0.25 * tip / np.linalg.norm(tip)
    with pytest.raises(ReachError, match=r"out of reach by 250.0 mm") as caught:
        erfd.inverse_kinematics(two, pose)
    assert caught.value.distance == pytest.approx(0.25, abs=1e-9)
    assert np.linalg.norm(tip) == pytest.approx(reach, abs=1e-9)
    robot = general_robot(4)
    pose[:3, 3] = (9.0, -7.0, 8.0)
    with pytest.raises(ReachError) as caught:
        erfd.inverse_kinematics(robot, pose)

    def gap(q: np.ndarray) -> float:
        return float(np.linalg.norm(erfd.forward_kinematics(robot, q)[:3, 3] - pose[:3, 3]))

    rng = np.random.default_rng(0)
    best = min(minimize(gap, rng.uniform(-3, 3, 4), method="BFGS").fun for _ in range(12))
    assert caught.value.distance == pytest.approx(best, abs=1e-6)
