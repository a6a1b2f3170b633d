"""Joint positions at targets and along a planned path; failures with the names of targets."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import ReachError
from ..ground.arrays import Array, Mask
from ..ik.config import STAY
from ..ik.inverse_kinematics import Followed, closed_form, follow, inverse_kinematics
from ..ik.unreachable import miss_text
from ..robot.limits import JointLimits, shown_in
from ..robot.model import Robot
from ..robot.pose import Pose
from .moves import Move, PoseTarget
from .path.course import Course
from .plan import Failure, Note
from .targets import target_names, tool_frame

TOO_FAR = 1e-9
"""Joints this far beyond their limits (rad, m) are at them."""
ANOTHER_BRANCH = 1e-6
"""Missed by less than this (m, rad): out of reach on one branch, but not on all."""
JUMP = 1.5
"""A step from sample to sample (rad) that no speed explains: the arm would change its branch."""


def reach(
    robot: Robot,
    move: Move,
    pose: Array,
    near: Array,
    config: int,
    tool: Pose,
    *,
    lost: bool = False,
) -> tuple[Array, Failure | None]:
    """Joint positions at a tool frame; if it is out of reach the nearest ones, and the failure.

    An arm that was `lost` before, out of reach, need not stay on the branch that it is on.
    """
    try:
        return inverse_kinematics(robot, pose, near=near, config=config, tool=tool), None
    except ReachError as error:
        if lost and config == STAY and error.configs:
            codes = list(error.configs)
            ways = inverse_kinematics(robot, pose, near=near, config=codes, tool=tool)
            return np.asarray(ways[np.abs(ways - near).max(axis=1).argmin()]), None
        limits, name = JointLimits.of(robot), target_names(move)[-1]
        q = np.clip(follow(robot, pose[None], near, tool=tool).q[0], limits.lower, limits.upper)
        _, _, reason = str(error).partition(" is out of reach")
        sentence = f"{name} is out of reach{reason}"
        return q, Failure(move.line, "target", name, sentence, error.distance, error.angle)


def limit_failure(robot: Robot, move: Move, q: Array) -> Failure | None:
    """The failure of joint positions q (n,) beyond the limits of an axis, None within them."""
    limits = JointLimits.of(robot)
    over = limits.beyond(q)
    i = int(over.argmax())
    if over[i] <= TOO_FAR:
        return None
    joint, far = robot.joints[i], float(over[i])
    scale, unit = shown_in(joint)
    edge = limits.lower[i] if q[i] < limits.lower[i] else limits.upper[i]
    place = f"{joint.name} at {scale * q[i]:.1f} {unit}"
    sentence = f"{place} is beyond its limit of {scale * edge:.1f} {unit}"
    distance, angle = (0.0, far) if joint.revolute else (far, 0.0)
    return Failure(move.line, "limit", target_names(move)[-1], sentence, distance, angle)


@dataclass(frozen=True, slots=True, eq=False)
class PathSamples:
    """Joint positions (N, n) and tool frames (N, 4, 4) along a path, with notes and failures."""

    q: Array
    poses: Array
    notes: list[Note]
    failures: list[Failure]


@dataclass(frozen=True, slots=True)
class NamedPoint:
    """A point of a course that the program names: target `part` of move `index`, at `s`."""

    index: int
    part: int
    s: float


def joint_path(
    robot: Robot,
    course: Course,
    moves: list[Move],
    lengths: Array,
    q0: Array,
    tool: Pose,
    *,
    lost: bool = False,
    judged: bool = True,
) -> PathSamples:
    """Joint positions and tool frames at the `lengths` (N,) of a course.

    Via points and ends are looked at, too, whether they are among the samples or not. So are the
    targets at rounded corners; these come last, so that the path does not depend on them.

    Once the path is out of reach the branch of the arm is any, and so it is from the start if it
    was `lost` before: then only what no branch reaches is a failure. What is not `judged` has
    neither notes nor failures.
    """
    marks = [
        NamedPoint(i, part, s)
        for i, stretch in enumerate(course.stretches)
        for part, own_s in ((0, stretch.via), (-1, stretch.curve.length))
        if own_s is not None and (s := course.way_of(i, own_s)) is not None
    ]
    merged = np.concatenate([lengths, [mark.s for mark in marks]])
    order = np.argsort(merged, kind="stable")
    back = np.empty(len(order), dtype=np.intp)
    back[order] = np.arange(len(order))
    poses = course.poses(merged[order])
    passed = {mark.index for mark in marks if mark.part == -1}
    corners = [i for i in range(len(moves)) if i not in passed]
    ends = [course.stretches[i].end[None] for i in corners]
    followed = follow(robot, np.concatenate([poses, *ends]), q0, tool=tool)
    samples = back[: len(lengths)]
    if not judged:
        return PathSamples(followed.q[samples], poses[samples], [], [])
    owner = np.searchsorted(course.ends[:-1], merged[order], side="left")
    marked = list(zip(marks, back[len(lengths) :].tolist(), strict=True))
    path = _FollowedPath(robot, moves, followed, owner, marked)
    failures = []
    jump = path.jump()
    bad = followed.missed | (followed.beyond > TOO_FAR)
    breaks = [*([] if jump is None else [jump]), *np.flatnonzero(followed.missed)[:1].tolist()]
    if lost or breaks:  # from there on the branch need not be the one that is meant
        first = 0 if lost else min(breaks) + 1
        bad[first:] = _nowhere(robot, followed, first)
        for k in {k for _, k in marked if k >= first}:
            bad[k] = path.corrected(k, poses[k], tool)
    if bad.any():
        failures = path.failures(bad[: len(poses)], _starts_well(robot, course, q0, tool))
        failures += [
            path.failure("target", i, -1, k)
            for k, i in enumerate(corners, len(poses))
            if bad[k] and followed.missed[k] and closed_form(robot)  # others may be lost there
        ]
    if jump is not None and not lost:
        move = moves[owner[jump + 1]]
        if all(failure.line != move.line for failure in failures):
            failures.append(_jumped(robot, move, followed.q[jump + 1] - followed.q[jump]))
    return PathSamples(followed.q[samples], poses[samples], path.other_branch(), failures)


@dataclass(frozen=True, slots=True, eq=False)
class _FollowedPath:
    """Joints that have followed a course: `owner` (N,) is the move of each sample.

    Each of the `marked` points is at a sample. Behind the samples come targets at rounded corners.
    """

    robot: Robot
    moves: list[Move]
    followed: Followed
    owner: NDArray[np.intp]
    marked: list[tuple[NamedPoint, int]]

    def other_branch(self) -> list[Note]:
        """Notes on ends whose CONFIG is not the one that the path leads to."""
        notes = []
        for mark, k in self.marked:
            move, config = self.moves[mark.index], int(self.followed.config[k])
            target = move.targets[mark.part]
            if mark.part == -1 and isinstance(target, PoseTarget) and config >= 0:
                wanted = target.config
                if wanted not in (STAY, config):
                    name = target_names(move)[-1]
                    sentence = f"{name}: CONFIG {wanted} is asked for, the path leads to {config}"
                    notes.append(Note(move.line, "config", sentence, float(config)))
        return notes

    def jump(self) -> int | None:
        """The sample before the first jump from one branch to another, if there is one."""
        turns = JointLimits.of(self.robot).turns
        steps = np.abs(np.diff(self.followed.q[: len(self.owner)], axis=0)) * turns
        jumps = np.flatnonzero(steps.max(axis=1, initial=0.0) > JUMP)
        return int(jumps[0]) if len(jumps) else None

    def corrected(self, k: int, pose: Array, tool: Pose) -> bool:
        """Whether sample k, of an arm that was lost, is out of reach from anywhere.

        If it is, it is missed by as much as the nearest pose misses it.
        """
        followed = self.followed
        try:
            inverse_kinematics(self.robot, pose, tool=tool)
        except ReachError as error:
            followed.distance[k], followed.angle[k] = error.distance, error.angle
            followed.missed[k] = True
        else:
            followed.missed[k] = False
        return bool(followed.missed[k])

    def failures(self, bad: Mask, starts_well: bool) -> list[Failure]:
        """One failure for each target out of reach; one for a move if only its path is.

        A path that does not start well has its failure where it starts: at the target before.
        """
        result: list[Failure] = []
        followed = self.followed
        worst = np.flatnonzero(bad)
        bounds = np.searchsorted(self.owner[worst], np.arange(len(self.moves) + 1)).tolist()
        marked: list[list[tuple[NamedPoint, int]]] = [[] for _ in self.moves]
        for mark, k in self.marked:
            if bad[k]:
                marked[mark.index].append((mark, k))
        for i, bad_marks in enumerate(marked):
            result += [self.failure("target", i, mark.part, k) for mark, k in bad_marks]
            rows = worst[bounds[i] : bounds[i + 1]]
            if not bad_marks and starts_well and len(rows):
                size = followed.beyond[rows]
                if followed.missed[rows].any():  # that counts more than limits of axes
                    size = followed.distance[rows] + followed.angle[rows]
                result.append(self.failure("path", i, -1, int(rows[size.argmax()])))
            starts_well = not any(mark.part == -1 for mark, _ in bad_marks)
        return result

    def failure(self, kind: str, i: int, part: int, k: int) -> Failure:
        """The failure of target `part` of move i at sample k: out of reach, or beyond a limit."""
        move, followed = self.moves[i], self.followed
        name = target_names(move)[part]
        what = name if kind == "target" else f"the path to {name}"
        distance, angle = float(followed.distance[k]), float(followed.angle[k])
        if followed.missed[k]:
            sentence = f"{what} is out of reach by {miss_text(distance, angle)}"
            if max(distance, angle) < ANOTHER_BRANCH:
                sentence = f"{what} cannot be reached on the branch that the arm is on"
            return Failure(move.line, kind, name, sentence, distance, angle)
        over = limit_failure(self.robot, move, followed.q[k])
        assert over is not None
        return Failure(move.line, kind, name, f"{what}: {over.sentence}", over.distance, over.angle)


def _nowhere(robot: Robot, followed: Followed, first: int) -> Mask:
    """Which samples from `first` on are out of reach of the arm, whatever its branch."""
    missed = followed.missed[first:]
    if closed_form(robot):  # the miss is that of the nearest branch, 0 where one reaches
        return missed & (np.maximum(followed.distance, followed.angle)[first:] >= ANOTHER_BRANCH)
    return missed


def _starts_well(robot: Robot, course: Course, q0: Array, tool: Pose) -> bool:
    """Whether the tool is where the course begins, and the joints within their limits."""
    first = course.stretches[0]
    here = tool_frame(robot, q0, tool)
    gaps = [here[:3, 3] - first.curve.start]
    if robot.n >= 6:  # others reach the position, whatever the orientation
        gaps.append((here[:3, :3] - first.orientation.start).ravel())
    inside = (JointLimits.of(robot).beyond(q0) <= TOO_FAR).all()
    return bool(inside) and float(np.abs(np.concatenate(gaps)).max()) < ANOTHER_BRANCH


def _jumped(robot: Robot, move: Move, step: Array) -> Failure:
    """The failure of a path on which the joints would jump by `step` (n,)."""
    i = int((np.abs(step) * JointLimits.of(robot).turns).argmax())
    name, angle = target_names(move)[-1], abs(float(step[i]))
    by = f"{robot.joints[i].name} would have to jump by {math.degrees(angle):.0f} deg"
    return Failure(move.line, "path", name, f"the path to {name}: {by}", 0.0, angle)
