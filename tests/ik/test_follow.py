"""Paths: continuous, on the path, on the branch, and what happens at singularities."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erfd
from erfd.errors import InputError
from erfd.ik.closed_form.arm import arm_of
from erfd.ik.closed_form.branches import solve_branch
from erfd.robot.synthetic import general_robot
from support.demonstration import angles, points, rotation
from support.inverse_arms import STRUCTURES, positions, size, spherical_robot

seeds = st.integers(0, 2**32 - 1)


def wave(robot: erfd.Robot, count: int, seed: int, part: float = 0.2) -> np.ndarray:
    """A smooth joint motion (count, n) that begins anywhere."""
    rng = np.random.default_rng(seed)
    start = positions(robot, 1, seed)[0]
    t = np.linspace(0, 1, count)[:, None]
    return start + part * np.sin(rng.uniform(0.5, 2, robot.n) * np.pi * t) * rng.uniform(
        -1, 1, robot.n
    )


def on_path(robot: erfd.Robot, q: np.ndarray, pose: np.ndarray) -> float:
    columns = slice(0, 4) if robot.n >= 6 else slice(3, 4)
    return float(np.abs(erfd.forward_kinematics(robot, q) - pose)[..., :3, columns].max())


@settings(max_examples=40, deadline=None)
@given(seeds, st.sampled_from(STRUCTURES), st.booleans())
def test_a_motion_away_from_singularities_is_found_again(
    seed: int, structure: str, right_angles: bool
) -> None:
    robot = spherical_robot(seed, structure, right_angles)
    q = wave(robot, 100, seed)
    pose = erfd.forward_kinematics(robot, q)
    found = erfd.follow(robot, pose, q[0])
    good = ~found.missed
    assert on_path(robot, found.q[good], pose[good]) < 1e-12 * size(robot)
    # past a stretched arm a motion may go on where the branch does not: then another one does
    assert (found.distance + found.angle == 0).all()
    assert erfd.branches(robot, pose[found.missed]).exist.any(axis=1).all()
    if erfd.singularity(robot, q).closeness.min() > 0.05:
        assert good.all()
        assert np.abs(found.q - q).max() < 1e-9
        assert (found.config == erfd.config_of(robot, q)).all()


@pytest.mark.parametrize("name", ["lola15", "puma560", "stanford"])
def test_through_the_wrist_singularity(name: str) -> None:
    """q5 goes through 0, once between samples, once on one: q4 and q6 do not whip around."""
    robot = erfd.load(name)
    start = np.array([0.3, 0.4, 0.6 if name == "stanford" else -0.5, 0.8, -0.3, -0.4])
    end = start + np.array([0.1, 0.05, 0.05, 0.1, 0.6, 0.1])
    for count in (60, 61):
        q = np.linspace(start, end, count)
        pose = erfd.forward_kinematics(robot, q)
        found = erfd.follow(robot, pose, start)
        assert not found.missed.any()
        assert (
            np.abs(found.q - q).max() < 1e-7
        )  # at the singularity q4 is as even as its neighbours
        assert on_path(robot, found.q, pose) < 1e-10
        assert found.config[0] ^ found.config[-1] == 4


def test_standing_in_the_wrist_singularity() -> None:
    """The wrist stays straight for a while: q4 moves evenly from where it was to where it goes."""
    robot = erfd.load("lola15")
    q = np.zeros((90, 6))
    q[:, 0] = np.linspace(0, 0.5, 90)
    q[:30, 4] = np.linspace(0.4, 0.0, 30)
    q[60:, 4] = np.linspace(0.0, 0.4, 30)
    q[:, 3], q[60:, 3] = 0.2, 0.5
    q[:60, 5] = 0.3
    pose = erfd.forward_kinematics(robot, q)
    found = erfd.follow(robot, pose, q[0])
    assert on_path(robot, found.q, pose) < 1e-10
    assert np.abs(np.diff(found.q, axis=0)).max() < 0.03
    steps = np.diff(found.q[29:61, 3])
    assert np.abs(steps - 0.3 / 32).max() < 1e-3
    whole = erfd.follow(robot, pose[30:60], q[30])  # nothing but the singularity
    assert on_path(robot, whole.q, pose[30:60]) < 1e-10
    assert np.abs(whole.q[:, 3] - 0.2).max() < 1e-12


def rocking(changes: int) -> tuple[erfd.Robot, np.ndarray, np.ndarray]:
    """A tool that goes through the wrist singularity so often: poses, joint positions at first."""
    robot = erfd.load("lola15")
    t = np.linspace(0, changes, 25 * changes + 1)  # none is at 0.5
    wide = 0.1 + 0.05 * np.sin(0.7 * t)
    q = np.stack([0.2 * np.sin(t / 9), 0.3 + 0 * t, -0.3 + 0 * t, 0.4 * np.sin(t / 5),
                  wide * np.cos(np.pi * t), 0.2 * np.sin(t / 7)], axis=1)  # fmt: skip
    poses = erfd.forward_kinematics(robot, q)
    return robot, poses, q[0]


def test_many_changes_of_branch_cost_no_more_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Samples behind a change are not all solved again; whether they are changes nothing."""
    solved: list[int] = []

    def counted(robot, poses, *rest):
        solved.append(len(poses))
        return solve_branch(robot, poses, *rest)

    monkeypatch.setattr("erfd.ik.follow.solve_branch", counted)
    counts = []
    for changes in (40, 160):
        robot, poses, q0 = rocking(changes)
        solved.clear()
        found = erfd.follow(robot, poses, q0)
        counts.append(sum(solved))
    assert (np.diff(found.config) != 0).sum() > 100
    assert counts[1] < 5 * counts[0]
    monkeypatch.setattr("erfd.ik.follow.AFTER_CHANGE", len(poses))
    whole = erfd.follow(robot, poses, q0)
    assert sum(solved) > 3 * counts[1]
    assert np.abs(whole.q - found.q).max() < 1e-12
    assert (whole.config == found.config).all()


def test_overhead_of_axis_1() -> None:
    """The wrist centre crosses axis 1: the arm goes on over the top, and axis 1 stands still."""
    robot = erfd.load("lola15")
    q = np.linspace([0.4, 0.2, 0.5, 0.1, 0.7, 0.2], [0.4, 1.3, 0.5, 0.1, 0.7, 0.2], 201)
    front = arm_of(robot).signs(q)[0]
    assert front[0] * front[-1] < 0
    pose = erfd.forward_kinematics(robot, q)
    found = erfd.follow(robot, pose, q[0])
    assert np.abs(found.q - q).max() < 1e-7
    assert on_path(robot, found.q, pose) < 1e-10


@pytest.mark.parametrize("name", ["lola15", "puma560"])
def test_turns_are_counted(name: str) -> None:
    """Axis 6 turns twice; from q0 one turn further on, so does the result."""
    robot = erfd.load(name)
    q = np.linspace([0.3, 0.4, -0.5, 0.8, -0.5, 0], [0.3, 0.4, -0.5, 0.8, -0.5, 4 * np.pi], 200)
    found = erfd.follow(robot, erfd.forward_kinematics(robot, q), q[0] + [0, 0, 0, 0, 0, 2 * np.pi])
    assert np.abs(found.q - q - [0, 0, 0, 0, 0, 2 * np.pi]).max() < 1e-10
    most = robot.joints[5].position_max
    assert found.beyond == pytest.approx(np.maximum(q[:, 5] + 2 * np.pi - most, 0))


def test_samples_out_of_reach() -> None:
    """The bare flange of Lola 15 along s5-s6-s7: where it is missed, and by how much at s6."""
    robot = erfd.load("lola15")
    known, oriented = points(s9_lowered=False), angles()
    way = np.linspace(0, 1, 101)[:, None]
    line = np.concatenate([known["s5"] + way * (known["s6"] - known["s5"]),
                           known["s6"] + way[1:] * (known["s7"] - known["s6"])]) / 1000  # fmt: skip
    pose = np.broadcast_to(np.eye(4), (201, 4, 4)).copy()
    pose[:, :3, :3], pose[:, :3, 3] = rotation(oriented["s5"]), line
    q0 = erfd.inverse_kinematics(robot, pose[0], config=4, tool=erfd.Pose())
    found = erfd.follow(robot, pose, q0, tool=erfd.Pose())
    reach = 0.6 + np.hypot(0.115, 0.825)
    over = np.hypot(np.hypot(line[:, 0], line[:, 1]) - 0.2, line[:, 2]) - reach
    assert (found.missed == (over > 1e-10)).all()
    assert found.distance == pytest.approx(np.maximum(over, 0), abs=1e-9)
    assert 1000 * found.distance[100] == pytest.approx(3.5, abs=0.05)
    assert (found.angle == 0).all()
    assert np.isfinite(found.q).all()
    # near the stretched arm q3 goes with the square root of what is left, but it does not jump
    assert np.abs(np.diff(found.q, axis=0)).max() < 0.1
    bare = erfd.forward_kinematics(robot, found.q, 6)
    assert np.linalg.norm(bare[:, :3, 3] - line, axis=1) == pytest.approx(found.distance, abs=1e-9)


@pytest.mark.parametrize("name", ["sdt4", "centrifuge3", "two_link"])
def test_other_bundled_arms(name: str) -> None:
    robot = erfd.load(name)
    q = wave(robot, 150, 3, 0.4)
    lower = np.array([joint.position_min for joint in robot.joints])
    upper = np.array([joint.position_max for joint in robot.joints])
    q = np.clip(q, lower, upper)
    pose = erfd.forward_kinematics(robot, q)
    found = erfd.follow(robot, pose, q[0])
    assert not found.missed.any()
    assert on_path(robot, found.q, pose) < 1e-10
    assert ((found.q >= lower) & (found.q <= upper)).all()
    # least squares takes the shorter way, so no step is much longer than those of the motion
    assert np.abs(np.diff(found.q, axis=0)).max() < 5 * np.abs(np.diff(q, axis=0)).max()


@pytest.mark.parametrize("n", [6, 7])
def test_arms_without_special_geometry(n: int) -> None:
    robot = general_robot(n)
    q = wave(robot, 150, 5)
    pose = erfd.forward_kinematics(robot, q)
    found = erfd.follow(robot, pose, q[0])
    assert not found.missed.any()
    assert on_path(robot, found.q, pose) < 1e-10
    if n == 6:
        assert np.abs(found.q - q).max() < 1e-8
    assert np.abs(np.diff(found.q, axis=0)).max() < 3 * np.abs(np.diff(q, axis=0)).max()


def test_a_redundant_arm_stands_still_when_its_tool_does() -> None:
    robot = general_robot(7)
    q = positions(robot, 1, 1)[0]
    pose = np.broadcast_to(erfd.forward_kinematics(robot, q), (50, 4, 4))
    assert np.abs(erfd.follow(robot, pose, q).q - q).max() < 1e-12


def test_no_samples_and_wrong_ones() -> None:
    for robot in (erfd.load("lola15"), erfd.load("sdt4")):
        none = erfd.follow(robot, np.zeros((0, 4, 4)), np.zeros(robot.n))
        assert none.q.shape == (0, robot.n)
        with pytest.raises(InputError, match=r"poses: expected shape \(N, 4, 4\)"):
            erfd.follow(robot, np.eye(4), np.zeros(robot.n))
        with pytest.raises(InputError, match="q0: expected shape"):
            erfd.follow(robot, np.eye(4)[None], np.zeros((2, robot.n)))
