"""Inverse kinematics: joint positions for poses of the tool frame in the robot's base.

In closed form for arms with a spherical wrist (`branches`), numerically for all others. CONFIG
codes are those of erratum 24: 1 shoulder back, 2 elbow down, 4 wrist flipped.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError
from ..ground.arguments import flag_of
from ..ground.arrays import Array
from ..mechanics.state import checked
from ..robot.library import RobotLike, robot_of
from ..robot.model import Robot
from ..robot.pose import Pose
from .arguments import Limits, checked_poses, tool_of
from .closed_form.arm import Arm, arm_of
from .closed_form.branches import (
    REACHED,
    Codes,
    codes_of,
    required_arm,
    solve_branch,
    solve_branches,
)
from .closed_form.kernel import best_kernel, branches_kernel, is_large
from .config import STAY
from .follow import Followed, follow
from .singularity import Passage, Singularity, passages, singularity
from .unreachable import reach_error

__all__ = [
    "Branches",
    "Followed",
    "Passage",
    "Singularity",
    "Solutions",
    "all_solutions",
    "branches",
    "closed_form",
    "config_of",
    "follow",
    "inverse_kinematics",
    "passages",
    "singularity",
]


@dataclass(frozen=True, slots=True, eq=False)
class Branches:
    """All branches of poses: q (..., 8, n) by CONFIG code, NaN where a branch does not exist."""

    q: Array

    @property
    def exist(self) -> NDArray[np.bool_]:
        """Which branches there are, (..., 8)."""
        return np.asarray(~np.isnan(self.q[..., 0]))

    def __repr__(self) -> str:
        return f"Branches({int(self.exist.sum())} of shape {self.exist.shape})"


@dataclass(frozen=True, slots=True, eq=False)
class Solutions:
    """Solutions of one pose: q (K, n), the best first, and CONFIG codes (K,), -1 without one."""

    q: Array
    config: Codes

    def __len__(self) -> int:
        return len(self.q)


def closed_form(robot: Robot) -> bool:
    """Whether the robot has a spherical wrist, or three parallel axes, that can be solved."""
    return arm_of(robot) is not None


def branches(robot: RobotLike, poses: ArrayLike | Pose, *, tool: Pose | None = None) -> Branches:
    """All eight branches of tool poses in closed form, limits left aside.

    Args:
        robot: A robot with a spherical wrist behind three axes that can be solved.
        poses: Poses of the tool frame in the robot's base, lengths in m, (..., 4, 4).
        tool: Replaces the robot's tool frame.

    Returns:
        Joint positions (..., 8, n) by CONFIG code, angles in (-pi, pi] rad; NaN where a branch does
        not exist.

    Raises:
        InputError: The robot has no closed form, or a pose is no rotation and translation.

    >>> import erfd
    >>> robot = erfd.load("lola15")
    >>> pose = erfd.forward_kinematics(robot, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    >>> erfd.branches(robot, pose).q[0].round(6)
    array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    """
    robot = robot_of(robot)
    required_arm(robot)
    frames = checked_poses(poses)
    flat, tool_pose = frames.reshape(-1, 4, 4), tool_of(robot, tool)
    if is_large(len(flat)):
        q, missing = branches_kernel(robot, flat, tool_pose, np.zeros(2))
        q[missing > REACHED] = np.nan
    else:
        solved = solve_branches(robot, flat, tool_pose, np.zeros(6))
        q = np.moveaxis(np.where(solved.reached[..., None], solved.q, np.nan), 0, 1)
    return Branches(q.reshape(*frames.shape[:-2], 8, 6))


def config_of(robot: RobotLike, q: ArrayLike) -> Codes:
    """The CONFIG codes of joint positions: 1 shoulder back, 2 elbow down, 4 wrist flipped.

    Args:
        robot: A robot with a spherical wrist behind three axes that can be solved.
        q: Joint positions in rad (m), (..., n).

    Returns:
        Codes 0 to 7, sums of the three bits, (...).

    Raises:
        InputError: The robot has no closed form.

    >>> import erfd
    >>> int(erfd.config_of(erfd.load("lola15"), [0.1, 0.2, 0.3, 0.4, -0.5, 0.6]))
    4
    """
    robot = robot_of(robot)
    return codes_of(required_arm(robot), checked("q", q, robot))[0]


def inverse_kinematics(
    robot: RobotLike,
    pose: ArrayLike | Pose,
    *,
    near: ArrayLike | None = None,
    config: ArrayLike | None = None,
    tool: Pose | None = None,
) -> Array:
    """Joint positions that bring the tool frame to a pose, within the joint limits.

    The branch is `config`, else that of the joint positions `near`, else the one that keeps
    furthest from the limits; in the turns nearest to `near`. Arms of fewer than six joints reach
    the position, whatever the orientation.

    Args:
        robot: The robot.
        pose: Poses of the tool frame in the robot's base, lengths in m, (..., 4, 4), or a `Pose`.
        near: Joint positions in rad (m) to stay near to, (..., n).
        config: CONFIG codes 0 to 7 (bits: 1 shoulder back, 2 elbow down, 4 wrist flipped), or 8 to
            stay on the branch of `near`, (...).
        tool: Replaces the robot's tool frame.

    Returns:
        Joint positions in rad (m), (..., n); the leading axes of all arguments broadcast.

    Raises:
        ReachError: A pose that cannot be taken; it says by how much.
        InputError: A wrong argument, or `config` for an arm without a closed form.

    >>> import erfd
    >>> robot = erfd.load("lola15")
    >>> pose = erfd.forward_kinematics(robot, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    >>> erfd.inverse_kinematics(robot, pose, config=0).round(6)
    array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    """
    robot = robot_of(robot)
    frames = checked_poses(pose)
    shape = frames.shape[:-2]
    tool_pose = tool_of(robot, tool)
    start = None if near is None else checked("near", near, robot)
    code = None if config is None else _checked_codes(config, start)
    if start is not None:
        shape = _broadcast_shape(shape, start.shape[:-1])
    if code is not None:
        shape = _broadcast_shape(shape, code.shape)
        code = np.broadcast_to(code, shape).reshape(-1)
    if start is not None:
        start = np.broadcast_to(start, (*shape, robot.n)).reshape(-1, robot.n)
    flat = np.broadcast_to(frames, (*shape, 4, 4)).reshape(-1, 4, 4)
    arm = arm_of(robot)
    if arm is None:
        if code is not None and (code != STAY).any():
            required_arm(robot)
        result = _solve_numeric(robot, flat, tool_pose, start)
    else:
        result = _solve_closed(arm, robot, flat, tool_pose, start, code)
    return np.asarray(result.reshape(*shape, robot.n))


def _broadcast_shape(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that both broadcast to, or an error of ours."""
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        raise InputError(f"shapes that do not broadcast: {a} and {b}") from None


def _checked_codes(config: ArrayLike, near: Array | None) -> Codes:
    """CONFIG codes 0 to `STAY`, which needs `near`."""
    try:
        codes = np.asarray(config)
    except ValueError:  # rows of several lengths
        codes = np.array(None)
    good = codes.dtype.kind in "iu" and bool(((codes >= 0) & (codes <= STAY)).all())
    if not good:
        raise InputError(f"config: expected whole numbers 0 to {STAY}, found {config!r:.60}")
    if near is None and (codes == STAY).any():
        raise InputError(f"config: {STAY} (stay on the branch) needs joint positions `near`")
    return codes.astype(np.int64)


def _solve_closed(
    arm: Arm,
    robot: Robot,
    poses: Array,
    tool: Pose,
    near: Array | None,
    code: Codes | None,
) -> Array:
    """Joint positions (N, 6) for poses (N, 4, 4) in closed form, or a `ReachError`."""
    fixed, open_ = (np.zeros(len(poses), dtype=np.int64), np.full(len(poses), 7))
    if near is not None:
        fixed, open_ = codes_of(arm, near)
    if code is not None:
        fixed_by_code = code != STAY
        fixed, open_ = np.where(fixed_by_code, code, fixed), np.where(fixed_by_code, 0, open_)
    sure = open_ == 0
    if near is None and code is None and is_large(len(poses)) and Limits.of(robot).even:
        q, good = best_kernel(robot, poses, tool)
    elif sure.all():
        q, good = _on_branch(robot, poses, tool, near, fixed)
    elif not sure.any():
        q, good = _best_branch(robot, poses, tool, near, fixed, open_)
    else:  # some of `near` are at a singularity, and only they have a choice
        q, good = np.empty((len(poses), 6)), np.empty(len(poses), dtype=bool)
        some = ~sure
        near_sure, near_some = (None if near is None else near[rows] for rows in (sure, some))
        q[sure], good[sure] = _on_branch(robot, poses[sure], tool, near_sure, fixed[sure])
        q[some], good[some] = _best_branch(
            robot, poses[some], tool, near_some, fixed[some], open_[some]
        )
    if not good.all():
        k = int(np.flatnonzero(~good)[0])
        start = None if near is None else near[k]
        allowed = [c for c in range(8) if not (c ^ int(fixed[k])) & ~int(open_[k])]
        index = k if len(poses) > 1 else None
        raise reach_error(robot, poses[k], tool, start, allowed, index)
    return q


def _on_branch(
    robot: Robot, poses: Array, tool: Pose, near: Array | None, codes: Codes
) -> tuple[Array, NDArray[np.bool_]]:
    """The branch of the code, in the turns nearest to `near`, and whether it is within limits."""
    limits = Limits.of(robot)
    hint = limits.middle if near is None else near
    solved = solve_branch(robot, poses, tool, codes, hint)
    q, over = limits.turned(solved.q, near)
    return q, solved.reached & ~over.any(axis=-1)


def _best_branch(
    robot: Robot, poses: Array, tool: Pose, near: Array | None, fixed: Codes, open_: Codes
) -> tuple[Array, NDArray[np.bool_]]:
    """Of all branches whose bits fit: nearest to `near`, or furthest from the limits."""
    limits = Limits.of(robot)
    solved = solve_branches(robot, poses, tool, limits.middle if near is None else near)
    q, over = limits.turned(solved.q, near)
    worth = limits.margin(q) if near is None else -np.linalg.norm(q - near, axis=-1)
    codes = np.arange(8)[:, None]
    good = solved.reached & ~over.any(axis=-1) & (((codes ^ fixed) & ~open_) == 0)
    best = np.where(good, worth, -np.inf).argmax(axis=0)
    rows = np.arange(q.shape[1])
    return q[best, rows], good[best, rows]


def _solve_numeric(robot: Robot, poses: Array, tool: Pose, near: Array | None) -> Array:
    """Joint positions (N, n) for poses (N, 4, 4) by descent, or a `ReachError`."""
    from .numeric import SOLVED, Task, solve
    from .unreachable import numeric_reach_error

    task = Task.of(robot, tool)
    q, left = solve(task, poses, near)
    if (left > SOLVED).any():
        k = int(np.flatnonzero(left > SOLVED)[0])
        raise numeric_reach_error(task, poses[k], q[k], k if len(poses) > 1 else None)
    return task.limits.turned(q, near)[0]


def all_solutions(
    robot: RobotLike,
    pose: ArrayLike | Pose,
    *,
    near: ArrayLike | None = None,
    tool: Pose | None = None,
    turns: bool = False,
) -> Solutions:
    """All solutions of one pose within the limits: every branch, in the turn that fits best.

    A full turn of a joint more or less is no other solution, unless `turns` asks for them: an arm
    whose six joints go +-360 degrees has 64 such copies of each. Arms without a closed
    form: what 200 random starts find; an arm with more joints than needed has infinitely many
    solutions, and these are some of them.

    Args:
        robot: The robot.
        pose: A pose of the tool frame in the robot's base, lengths in m, (4, 4), or a `Pose`.
        near: Joint positions in rad (m), (n,); the solutions nearest to them come first. None:
            those that keep furthest from the limits.
        tool: Replaces the robot's tool frame.
        turns: List each solution in all turns within the limits; a joint without limits has one.

    Returns:
        Joint positions (K, n) in rad (m) and CONFIG codes (K,); none if the pose is out of reach.

    >>> import erfd
    >>> robot = erfd.load("two_link")
    >>> solutions = erfd.all_solutions(robot, erfd.forward_kinematics(robot, [0.4, 0.9]))
    >>> sorted(solutions.q.round(6).tolist())
    [[0.4, 0.9], [1.192757, -0.9]]
    """
    robot = robot_of(robot)
    frame = checked_poses(pose)
    if frame.ndim != 2:
        raise InputError(f"pose: expected one pose of shape (4, 4), found {frame.shape}")
    tool_pose = tool_of(robot, tool)
    start = None if near is None else checked("near", near, robot)
    if start is not None and start.ndim != 1:
        raise InputError(
            f"near: expected joint positions of shape ({robot.n},), found {start.shape}"
        )
    limits = Limits.of(robot)
    arm = arm_of(robot)
    if arm is None:
        solutions = _random_solutions(robot, frame, tool_pose)
    else:
        hint = limits.middle if start is None else start
        solved = solve_branches(robot, frame[None], tool_pose, hint)
        solutions = solved.q[:, 0][solved.reached[:, 0]]
    q, over = limits.turned(solutions, start)
    q = _distinct(q[~over.any(axis=1)])
    if flag_of("turns", turns):
        q = _turns(limits, q)
    if start is None:
        order = np.argsort(-limits.margin(q), kind="stable")
    else:
        order = np.argsort(np.linalg.norm(q - start, axis=-1), kind="stable")
    q = q[order]
    codes = codes_of(arm, q)[0] if arm is not None else np.full(len(q), -1)
    return Solutions(q, codes)


def _random_solutions(robot: Robot, pose: Array, tool: Pose) -> Array:
    """The solutions (K, n) that descents from 200 random starts find."""
    from .numeric import SOLVED, Task, descend, starts

    task = Task.of(robot, tool)
    begin = starts(task, np.random.default_rng(15), 200)
    q, left = descend(task, np.broadcast_to(pose, (len(begin), 4, 4)), begin)
    return q[left <= SOLVED]


def _turns(limits: Limits, q: Array) -> Array:
    """Every turn of the solutions (K, n) that is within the limits."""
    n, result = q.shape[1], q
    for i in range(n):
        if limits.turns[i] and np.isfinite(limits.half[i]):
            turns = int(2 * limits.half[i] / (2 * np.pi)) + 1
            moved = [result]
            for k in (k for k in range(-turns, turns + 1) if k):
                other = result.copy()
                other[:, i] += 2 * np.pi * k
                inside = (other[:, i] >= limits.lower[i]) & (other[:, i] <= limits.upper[i])
                moved.append(other[inside])
            result = np.concatenate(moved)
    return result


def _distinct(q: Array) -> Array:
    """The solutions (K, n) that differ by more than 1e-7: at a singularity branches coincide."""
    distinct: list[Array] = []
    for solution in q:
        if all(np.abs(solution - other).max() > 1e-7 for other in distinct):
            distinct.append(solution)
    return np.array(distinct).reshape(-1, q.shape[1])
