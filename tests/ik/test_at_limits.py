"""Arms with more joints than they need go on along a limit of one of them: a witness by SciPy."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import least_squares

import erfd
from erfd.ik.follow_numeric import follow_numerically
from erfd.ik.numeric import SOLVED, Task
from erfd.robot.synthetic import general_robot

pytestmark = pytest.mark.usefixtures("compiled")
SAMPLES = 40


def narrow(n: int, rng: np.random.Generator) -> tuple[erfd.Robot, np.ndarray]:
    """An arm and where it stands, most of its joints near one of their limits."""
    robot = general_robot(n)
    q = rng.uniform(-1.0, 1.0, n)
    room = rng.choice([0.004, 0.03, 1.0], (2, n))
    joints = tuple(
        replace(joint, position_min=float(q[i] - room[0, i]), position_max=float(q[i] + room[1, i]))
        for i, joint in enumerate(robot.joints)
    )
    return replace(robot, joints=joints), q


def reachable(task: Task, pose: np.ndarray, near: np.ndarray) -> bool:
    """Whether SciPy finds joint positions at a pose, within the limits, from those beside it."""
    bounds = task.limits.lower, task.limits.upper
    found = least_squares(
        lambda q: task.residual(task.poses(q[None])[0], pose[None])[0],
        np.clip(near, *bounds), lambda q: -task.scaled(task.poses(q[None])[1])[0], bounds,
        xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=100,
    )  # fmt: skip
    return bool(np.abs(found.fun).max() < 1e-9 and np.abs(found.x - near).max() < 0.3)


@pytest.mark.parametrize("n", [7, 8])
def test_a_line_ends_where_no_joint_can_help(n: int) -> None:
    """The first sample that is missed is one that SciPy cannot reach from the one before."""
    rng, slid, missed = np.random.default_rng(n), 0, 0
    for _ in range(12):
        robot, start = narrow(n, rng)
        task = Task.of(robot, robot.tool)
        poses = np.tile(task.poses(start[None])[0], (SAMPLES, 1, 1))
        poses[:, :3, 3] += np.linspace(0, 1, SAMPLES)[:, None] * rng.uniform(-0.06, 0.06, 3)
        q, left = follow_numerically(task, poses, start)
        at = (np.abs(q - task.limits.lower) < 1e-9) | (np.abs(q - task.limits.upper) < 1e-9)
        first = int((left > SOLVED).argmax()) if (left > SOLVED).any() else SAMPLES
        slid += int(at[1:first].any())
        missed += int(first < SAMPLES)
        if 0 < first < SAMPLES:
            assert not reachable(task, poses[first], q[first - 1])
    assert slid > 2
    assert missed > 2
