"""The `ReachError` of a pose that cannot be taken: why, and by how much."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..errors import ReachError
from ..ground.arrays import Array
from ..robot.limits import shown_in
from ..robot.model import Robot
from ..robot.pose import Pose
from .arguments import Limits
from .closed_form.branches import REACHED, BranchSolution, required_arm, solve_branches
from .closed_form.reach import nearest_distance
from .closed_form.three_parallel_arm import ThreeParallelArm
from .numeric import Task, miss, nearest_miss


def miss_text(distance: float, angle: float) -> str:
    """A miss as text: 3.5 mm, 2.1 deg, or both; `distance` in m, `angle` in rad."""
    parts = []
    if distance > REACHED or angle <= REACHED:
        parts.append(f"{_short(1000 * distance)} mm")
    if angle > REACHED:
        parts.append(f"{_short(math.degrees(angle))} deg")
    return " and ".join(parts)


def _short(x: float) -> str:
    """A number with one decimal, or two digits if it is small."""
    return f"{x:.1f}" if x >= 0.05 else f"{x:.2g}"


def _out_of_reach(
    robot: Robot,
    pose: Array,
    index: int | None,
    missed: tuple[float, float],
    rest: str = "",
    configs: tuple[int, ...] = (),
) -> ReachError:
    """The error for a pose that is `missed` by (m, rad); `rest` ends the sentence."""
    x, y, z = (1000 * float(v) for v in pose[:3, 3])
    which = "the pose" if index is None else f"pose {index}"
    place = f"robot {robot.name!r}: {which} at ({x:.1f}, {y:.1f}, {z:.1f}) mm"
    sentence = f"{place} is out of reach by {miss_text(*missed)}{rest}"
    return ReachError(sentence, distance=missed[0], angle=missed[1], configs=configs, index=index)


def least_miss(task: Task, poses: Array, tool: Pose) -> tuple[Array, Array]:
    """By how much poses (N, 4, 4) out of reach are missed at least: (N,) m and (N,) rad.

    The orientation is kept where the wrist can take it, and the wrist centre is what is out of
    reach. Else it is the miss of the branch that turns the tool furthest, its wrist centre kept if
    it can be.
    """
    solved = solve_branches(task.robot, poses, tool, np.zeros(6))
    arm = required_arm(task.robot)
    if isinstance(arm, ThreeParallelArm):
        return _stretched_miss(task, solved, poses)
    target = arm.target(poses, tool)
    centers = np.stack(np.broadcast_arrays(*target.center), axis=-1).reshape(-1, 3)
    near = solved.short <= solved.short.min(axis=0) + REACHED
    best = np.where(near, solved.turned, np.inf).argmin(axis=0)
    rows = np.arange(len(poses))
    reached = solved.reached.any(axis=0)
    oriented = (solved.turned[best, rows] <= REACHED) & ~reached
    turned_away = ~oriented & ~reached
    distance, angle = np.zeros(len(poses)), np.zeros(len(poses))
    if oriented.any():
        distance[oriented] = nearest_distance(arm.front.geometry, centers[oriented])
    if turned_away.any():
        distance[turned_away], angle[turned_away] = miss(
            task, solved.q[best, rows][turned_away], poses[turned_away]
        )
    return distance, angle


def _stretched_miss(task: Task, solved: BranchSolution, poses: Array) -> tuple[Array, Array]:
    """By how much the branch that comes nearest misses poses (N, 4, 4), stretched towards them."""
    found = [miss(task, q, poses) for q in solved.q]
    distance, angle = (np.stack(parts) for parts in zip(*found, strict=True))
    best, rows = (distance + task.length * angle).argmin(axis=0), np.arange(len(poses))
    reached = solved.reached.any(axis=0)
    short, turned = distance[best, rows], angle[best, rows]
    turned = np.where(turned < 1e-9, 0.0, turned)  # a stretched arm keeps the orientation
    return np.where(reached, 0.0, short), np.where(reached, 0.0, turned)


def reach_error(
    robot: Robot,
    pose: Array,
    tool: Pose,
    near: Array | None,
    allowed: Sequence[int],
    index: int | None,
) -> ReachError:
    """The error for a pose that no allowed branch takes within the limits."""
    limits = Limits.of(robot)
    task = Task.of(robot, tool)
    solved = solve_branches(robot, pose[None], tool, np.zeros(6))
    reached = solved.reached[:, 0]
    q, over = limits.turned(solved.q[:, 0], near)
    within = reached & ~over.any(axis=1)
    others = tuple(int(c) for c in np.flatnonzero(within))
    hint = f"; CONFIG {', '.join(map(str, others))} can" if others else ""
    branch = f" with CONFIG {allowed[0]}" if len(allowed) == 1 else ""
    if not reached.any():
        short, turned = least_miss(task, pose[None], tool)
        return _out_of_reach(robot, pose, index, (float(short[0]), float(turned[0])))
    candidates = [c for c in allowed if reached[c]]
    if not candidates:
        tried = solved.q[list(allowed), 0]
        far, off = miss(task, tried, np.broadcast_to(pose, (len(tried), 4, 4)))
        k = int((far / task.length + off).argmin())
        nearest = (float(far[k]), float(off[k]))
        return _out_of_reach(robot, pose, index, nearest, branch + hint, others)
    best = candidates[int(over[candidates].max(axis=1).argmin())]
    i = int(over[best].argmax())
    joint = robot.joints[i]
    scale, unit = shown_in(joint)
    place = f"{joint.name} would be at {scale * q[best, i]:.1f} {unit}"
    edge = joint.position_min if q[best, i] < joint.position_min else joint.position_max
    limit = f"its limit is {scale * edge:.1f} {unit}"
    nearest = nearest_miss(task, pose, np.clip(q[reached], limits.lower, limits.upper))
    rest = f" within the joint limits{branch}: {place}, {limit}{hint}"
    return _out_of_reach(robot, pose, index, nearest, rest, others)


def numeric_reach_error(task: Task, pose: Array, q: Array, index: int | None) -> ReachError:
    """The error for a pose that no start led to."""
    return _out_of_reach(task.robot, pose, index, nearest_miss(task, pose, q[None]))
