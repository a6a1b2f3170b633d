"""Joint positions along a path of poses: continuous, on one branch, through singularities.

A sample where the joints would jump is taken on the branch that is nearest to the sample before: a
path that crosses a wrist singularity goes on with the other wrist, and q4 does not whip around.
Where a joint is free (axes 4 and 6 aligned) it moves evenly between its neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..ground.arrays import Array, Mask, require_shape
from ..mechanics.state import checked
from ..robot.library import RobotLike, robot_of
from ..robot.model import Robot
from ..robot.pose import Pose
from .arguments import Limits, checked_poses, tool_of
from .closed_form.arm import arm_of
from .closed_form.branches import (
    FIELDS,
    BranchSolution,
    Codes,
    codes_of,
    required_arm,
    solve_branch,
    solve_branches,
)

JUMP = 0.5
"""A step of a joint (rad) from which on other branches are looked at."""
PART, AFTER_CHANGE = 1000, 32
"""Samples that are looked at together at first, and behind a change of branch."""


@dataclass(frozen=True, slots=True, eq=False)
class Followed:
    """Joint positions q (N, n) along a path.

    `missed` (N,) are samples out of reach, by `distance` (N,) m and `angle` (N,) rad (both 0 if
    only this branch cannot, and another one would); q is then as near as the branch gets.
    `beyond` (N,): by how much (rad, m) a joint is beyond its limits. `config` (N,): CONFIG codes,
    -1 for arms without.
    """

    q: Array
    missed: Mask
    distance: Array
    angle: Array
    beyond: Array
    config: Codes

    def __repr__(self) -> str:
        return f"Followed({len(self.q)} samples, {int(self.missed.sum())} out of reach)"


def follow(
    robot: RobotLike, poses: ArrayLike, q0: ArrayLike, *, tool: Pose | None = None
) -> Followed:
    """Joint positions along a path of tool poses, going on from joint positions `q0`.

    Args:
        robot: The robot.
        poses: Poses of the tool frame in the robot's base, lengths in m, (N, 4, 4).
        q0: Joint positions before the first pose in rad (m), (n,).
        tool: Replaces the robot's tool frame.

    Returns:
        Joint positions, samples out of reach and by how much, CONFIG codes.

    Raises:
        InputError: A wrong shape, or a pose that is no rotation and translation.

    >>> import erfd
    >>> robot = erfd.load("lola15")
    >>> q = [[0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0.2, 0.2, 0.3, 0.4, 0.5, 3.6]]
    >>> erfd.follow(robot, erfd.forward_kinematics(robot, q), q[0]).q[1].round(6)
    array([0.2, 0.2, 0.3, 0.4, 0.5, 3.6])
    """
    robot = robot_of(robot)
    frames = require_shape("poses", checked_poses(poses), ("N", 4, 4))
    start = require_shape("q0", checked("q0", q0, robot), (robot.n,))
    tool_pose = tool_of(robot, tool)
    if arm_of(robot) is None:
        return _numerically(robot, frames, start, tool_pose)
    path = _Path(robot, frames, tool_pose, start)
    q, missed = path.joints(), ~path.solved.reached
    distance, angle = np.zeros(len(frames)), np.zeros(len(frames))
    if missed.any():
        from .numeric import Task
        from .unreachable import least_miss

        task = Task.of(robot, tool_pose)
        distance[missed], angle[missed] = least_miss(task, frames[missed], tool_pose)
    return Followed(q, missed, distance, angle, _beyond(robot, q), path.codes)


def _beyond(robot: Robot, q: Array) -> Array:
    """By how much (rad, m) the worst joint of q (N, n) is beyond its limits, (N,)."""
    limits = Limits.of(robot)
    over = np.maximum(limits.lower - q, q - limits.upper)
    return np.asarray(np.maximum(over.max(axis=1, initial=0.0), 0.0))


def _steps(q: Array, turns: Mask) -> Array:
    """Differences of joint positions, angles by the shorter way round."""
    return np.asarray(q - (2 * np.pi) * np.rint(q * (turns / (2 * np.pi))))


class _Path:
    """A path that is being solved: joint positions by branch, and where the branch changes."""

    def __init__(self, robot: Robot, poses: Array, tool: Pose, q0: Array):
        self.robot, self.poses, self.tool, self.q0 = robot, poses, tool, q0
        self.turns = Limits.of(robot).turns
        self.codes: Codes = np.full(len(poses), self._first_branch() if len(poses) else 0)
        solved = solve_branch(robot, poses, tool, self.codes, q0)
        self.solved = BranchSolution(*(np.array(getattr(solved, name)) for name in FIELDS))
        free = self.solved.free1 | self.solved.free4
        self.free, self.fixed = np.flatnonzero(free), np.flatnonzero(~free)
        self._change_branches()
        if len(self.free):
            self._move_free_joints()

    def joints(self) -> Array:
        """Joint positions (N, n), every turn counted from q0."""
        moved = _steps(np.diff(self.solved.q, axis=0, prepend=self.q0[None]), self.turns)
        return np.asarray(self.q0 + np.cumsum(moved, axis=0))

    def _first_branch(self) -> int:
        """The branch of q0; if that is singular, the one whose joint positions are nearest."""
        code, open_ = (int(x) for x in codes_of(required_arm(self.robot), self.q0))
        if not open_:
            return code
        solved = solve_branches(self.robot, self.poses[:1], self.tool, self.q0)
        allowed = [c for c in range(8) if not (c ^ code) & ~open_]
        far = np.linalg.norm(_steps(solved.q[allowed, 0] - self.q0, self.turns), axis=-1)
        return allowed[int(np.where(solved.reached[allowed, 0], far, far + 100.0).argmin())]

    def _solve(self, rows: NDArray[np.int64], near: Array) -> None:
        """Solve some samples again, on the branch that they have now."""
        part = solve_branch(self.robot, self.poses[rows], self.tool, self.codes[rows], near)
        for name in FIELDS:
            getattr(self.solved, name)[rows] = getattr(part, name)

    def _change_branches(self) -> None:
        """Go over to another branch where the path jumps on the present one, or leaves it.

        Where the present branch is still reached, to the nearest; where it is not, only to one
        that begins where it ends (at a singularity), else the samples are out of reach.

        Looked at in parts, which grow until there is a change: what comes behind a change is solved
        again, and a path of many changes would be solved as often.
        """
        rows, k, size = self.fixed, 1, PART
        codes = self.codes.copy()  # the branches that samples were solved on

        def solve_again(part: NDArray[np.int64]) -> None:
            late = part[self.codes[part] != codes[part]]
            if len(late):
                self._solve(late, self.q0)
                codes[late] = self.codes[late]

        while k < len(rows):
            part = rows[k - 1 : k + size]
            solve_again(part)
            change = self._first_change(part)
            if change is None:
                k, size = k + size, 2 * size
            else:
                k, size = k + change[0], AFTER_CHANGE
                self.codes[rows[k] :] = change[1]
                k += 1
        solve_again(rows[k - 1 :])

    def _first_change(self, rows: NDArray[np.int64]) -> tuple[int, int] | None:
        """The first of the samples after the first that changes its branch, and to which."""
        before, here = self.solved.q[rows[:-1]], self.solved.q[rows[1:]]
        reached = self.solved.reached[rows[1:]]
        odd = (np.abs(_steps(here - before, self.turns)).max(axis=1, initial=0.0) > JUMP) | ~reached
        look = np.flatnonzero(odd)
        if not len(look):
            return None
        every = solve_branches(self.robot, self.poses[rows[1:][look]], self.tool, self.q0)
        step = _steps(every.q - before[look], self.turns)
        far = np.where(every.reached, np.linalg.norm(step, axis=-1), np.inf)
        best, each = far.argmin(axis=0), np.arange(len(look))
        present = np.linalg.norm(_steps(here - before, self.turns)[look], axis=1)
        nearer = far[best, each] < present - 1e-9
        beside = np.abs(step[best, each]).max(axis=1) < JUMP
        change = np.where(reached[look], nearer, beside & np.isfinite(far[best, each]))
        change &= best != self.codes[rows[1:][look]]
        if not change.any():
            return None
        first = int(change.argmax())
        return int(look[first]), int(best[first])

    def _move_free_joints(self) -> None:
        """Free joints move evenly between the samples (or q0) that determine them."""
        determined = np.concatenate([self.q0[None], self.solved.q[self.fixed]])
        steps = _steps(np.diff(determined, axis=0), self.turns)
        determined[1:] = determined[0] + np.cumsum(steps, axis=0)
        places = np.concatenate([[-1], self.fixed])
        near = np.stack([np.interp(self.free, places, determined[:, i]) for i in range(6)], axis=1)
        self._solve(self.free, near)


def _numerically(robot: Robot, poses: Array, q0: Array, tool: Pose) -> Followed:
    """The path for an arm without a closed form."""
    from .follow_numeric import follow_numerically
    from .numeric import SOLVED, Task, miss

    task = Task.of(robot, tool)
    q, left = follow_numerically(task, poses, q0)
    missed = left > SOLVED
    distance, angle = miss(task, q, poses)
    distance, angle = np.where(missed, distance, 0.0), np.where(missed, angle, 0.0)
    return Followed(q, missed, distance, angle, _beyond(robot, q), np.full(len(poses), -1))
