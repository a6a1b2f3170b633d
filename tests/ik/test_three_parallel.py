"""Arms with three parallel axes (Universal Robots): every branch, singular poses, paths, misses."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.ik.closed_form.arm import arm_of
from erfd.ik.closed_form.three_parallel_arm import ThreeParallelArm
from erfd.ik.numeric import SOLVED, Task, descend, nearest_miss, starts
from erfd.planning.moves import Move, PoseTarget
from support.inverse_arms import apart, positions, size, three_parallel_robot, ur5

UR5 = ur5()
seeds = st.integers(0, 2**32 - 1)


def check(robot: erfd.Robot, q: np.ndarray) -> np.ndarray:
    """Each branch reproduces the pose, and q is the one that its code says; how far apart."""
    pose = erfd.forward_kinematics(robot, q)
    found = erfd.branches(robot, pose)
    reached = erfd.forward_kinematics(robot, np.nan_to_num(found.q))
    error = np.abs(reached - pose[:, None]).max(axis=(-1, -2))
    assert error[found.exist].max() < 1e-12 * size(robot)
    codes = erfd.config_of(robot, np.nan_to_num(found.q))
    sure = erfd.singularity(robot, np.nan_to_num(found.q)).closeness > 1e-6
    assert (codes == np.arange(8))[found.exist & sure].all()
    mine = found.q[np.arange(len(q)), erfd.config_of(robot, q)]
    return apart(robot, mine, q)


@given(seed=seeds, right_angles=st.booleans())
@settings(max_examples=40, deadline=None)
def test_every_branch_of_random_arms(seed: int, right_angles: bool) -> None:
    robot = three_parallel_robot(seed, right_angles)
    assert isinstance(arm_of(robot), ThreeParallelArm)
    q = positions(robot, 50, seed)
    left = np.minimum(erfd.singularity(robot, q).closeness, erfd.singularity(robot, q).measure)
    sure = left > 1e-5
    assert (check(robot, q) * left)[sure].max() < 1e-11 * size(robot)


@pytest.mark.parametrize("backend", ["numpy", "compiled"])
def test_a_ur5(backend: str) -> None:
    with erfd.backend(backend):
        q = positions(UR5, 3000)
        check(UR5, q)
        assert erfd.branches(UR5, erfd.forward_kinematics(UR5, q)).exist.sum(axis=1).mean() > 6
        near = erfd.inverse_kinematics(UR5, erfd.forward_kinematics(UR5, q), near=q)
        assert np.abs(near - q).max() < 1e-6


def test_no_other_solutions() -> None:
    """Descents from random positions find the same ones, and none beside them."""
    q = positions(UR5, 6, 4)
    for pose in erfd.forward_kinematics(UR5, q):
        known = erfd.all_solutions(UR5, pose).q
        task = Task.of(UR5, UR5.tool)
        begin = starts(task, np.random.default_rng(1), 60)
        found, left = descend(task, np.broadcast_to(pose, (60, 4, 4)), begin)
        for one in found[left <= SOLVED]:
            assert apart(UR5, known, one).min() < 1e-6


def test_copies_of_a_full_turn_are_no_solutions() -> None:
    """All joints go +-360 degrees: 64 copies of each of the eight."""
    q = np.array([0.4, -1.1, 1.3, -0.7, 0.9, 0.2])
    pose = erfd.forward_kinematics(UR5, q)
    found = erfd.all_solutions(UR5, pose)
    assert len(found) == 8
    assert sorted(found.config) == list(range(8))
    copies = erfd.all_solutions(UR5, pose, turns=True).q
    assert len(copies) == 8 * 64
    assert np.abs(erfd.forward_kinematics(UR5, copies) - pose).max() < 1e-12


SINGULAR = {
    "wrist": [0.4, -1.1, 1.3, -0.7, 0.0, 0.2],
    "wrist, turned over": [0.4, -1.1, 1.3, -0.7, np.pi, 0.2],
    "elbow": [0.4, -1.1, 0.0, -0.7, 0.9, 0.2],
    "all zero": [0.0] * 6,
}


@pytest.mark.parametrize("name", SINGULAR)
def test_singular_poses(name: str) -> None:
    """Where a joint is free it stays where `near` has it; every solution reproduces the pose."""
    q = np.array(SINGULAR[name])
    pose = erfd.forward_kinematics(UR5, q)
    assert np.abs(erfd.inverse_kinematics(UR5, pose, near=q) - q).max() < 1e-7
    for one in erfd.all_solutions(UR5, pose).q:
        assert np.abs(erfd.forward_kinematics(UR5, one) - pose).max() < 1e-12
    here = erfd.singularity(UR5, q)
    assert here.closeness < 1e-12
    assert here.measure < 1e-12  # the Jacobian, which knows nothing of the closed form


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_what_counts_as_singular_is_singular(seed: int) -> None:
    """The product of the three numbers is the determinant of the Jacobian, but for a constant."""
    q = positions(UR5, 40, seed)
    arm = arm_of(UR5)
    assert isinstance(arm, ThreeParallelArm)
    product = np.prod([np.abs(x) for x in arm.signs(q)], axis=0)
    determinant = np.abs(np.linalg.det(erfd.jacobian(UR5, q)))
    np.testing.assert_allclose(determinant, 0.425 * 0.39225 * product, rtol=1e-6, atol=1e-12)


def test_along_a_line_through_a_wrist_singularity() -> None:
    q = np.linspace([0.4, -1.1, 1.3, -0.7, -0.4, 0.2], [0.4, -1.1, 1.3, -0.7, 0.4, 0.2], 201)
    found = erfd.follow(UR5, erfd.forward_kinematics(UR5, q), q[0])
    assert not found.missed.any()
    assert np.abs(found.q - q).max() < 1e-6
    assert set(found.config.tolist()) == {*erfd.config_of(UR5, q[[0, -1]]).tolist()}


@given(seeds)
@settings(max_examples=6, deadline=None)
def test_out_of_reach(seed: int) -> None:
    """The orientation is kept, and the miss is no smaller than the least that a search finds."""
    rng = np.random.default_rng(seed)
    q = positions(UR5, 1, seed)
    pose = erfd.forward_kinematics(UR5, q[0])
    way = rng.normal(size=3)
    pose[:3, 3] += 2.5 * way / np.linalg.norm(way)
    with pytest.raises(erfd.errors.ReachError) as found:
        erfd.inverse_kinematics(UR5, pose)
    distance = found.value.distance
    assert found.value.angle == 0
    task = Task.of(UR5, UR5.tool)
    least = np.hypot(*np.divide(nearest_miss(task, pose, q), (task.length, 1.0)))
    assert least <= distance / task.length + 1e-9
    assert distance < 2.5


def test_every_branch_runs_a_line() -> None:
    """As a program says it: CONFIG at the target, then a line on that branch."""
    start = np.array([0.4, -1.1, 1.3, -0.7, 0.9, 0.2])
    pose = erfd.forward_kinematics(UR5, start)
    rotation = tuple(map(tuple, pose[:3, :3].tolist()))
    ends = [tuple((pose[:3, 3] + [0.0, dy, 0.0]).tolist()) for dy in (0.0, 0.05)]
    for config in range(8):
        moves = [
            Move("ptp", (PoseTarget(ends[0], rotation, config),), 1),
            Move("lin", (PoseTarget(ends[1], rotation),), 2),
        ]
        made = erfd.plan(UR5, moves)
        assert not made.failures
        assert erfd.config_of(UR5, made.trajectory.q[-1]) == config
        reached = erfd.forward_kinematics(UR5, made.trajectory.q)
        on_line = made.move == 1
        assert np.abs(reached[on_line, :3, 3] - made.poses[on_line, :3, 3]).max() < 1e-9
        assert np.abs(reached[on_line, 0, 3] - pose[0, 3]).max() < 1e-9
