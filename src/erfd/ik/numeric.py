"""Inverse kinematics of any arm: damped least squares with joint limits and restarts.

What is solved: with six joints or more the whole pose; with fewer the position of the tool point
alone. The residual is (position error / `length`, rotation vector), so that its size has no unit.
All targets of a batch are solved at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..ground.arrays import Array
from ..mechanics.kinematics import link_frames, pose_matrix
from ..robot.model import Robot
from ..robot.pose import Pose
from .arguments import Limits

SOLVED = 1e-11
"""A residual (rad, or m for a metre of reach) below this is a solution."""
ROUNDS = 40
STARTS = 200
"""Restarts from random positions before a target counts as out of reach, whichever is less."""
STEPS = 80
"""Steps of one descent."""
SIDE_BY_SIDE = 64
"""Starts that are tried at once."""
NEAREST_STARTS, FINISHED, LOOKS = 48, 4, 25
"""Random starts for the pose nearest to one out of reach; how many of them are gone on with, and
how many evaluations each gets until the best of them is finished."""


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What to solve for an arm with a tool: residuals and Jacobians of a batch.

    `whole` asks for orientations, too; `length` (m) makes position errors free of a unit.
    """

    robot: Robot
    tool: Array
    limits: Limits
    length: float
    whole: bool

    @classmethod
    def of(cls, robot: Robot, tool: Pose) -> Task:
        """The task of this arm; `length` is about its reach in m."""
        sizes = [float(np.linalg.norm(joint.placement[1])) for joint in robot.joints]
        slides = [
            max(abs(j.position_min), abs(j.position_max)) for j in robot.joints if not j.revolute
        ]
        reach = (
            sum(sizes) + sum(s for s in slides if np.isfinite(s)) + float(np.linalg.norm(tool.xyz))
        )
        return cls(robot, pose_matrix(tool), Limits.of(robot), reach or 1.0, robot.n >= 6)

    def poses(self, q: Array) -> tuple[Array, Array]:
        """Tool poses (B, 4, 4) and geometric Jacobians (B, 6, n) of joint positions (B, n)."""
        frames = link_frames(self.robot, q)
        pose = frames[:, -1] @ self.tool
        axes, origins = frames[:, :-1, :3, 2], frames[:, :-1, :3, 3]
        arms = pose[:, None, :3, 3] - origins
        jacobian = np.zeros((len(q), 6, self.robot.n))
        turning = self.limits.turns
        swept = _cross(axes, arms)
        jacobian[:, :3] = np.where(turning[:, None], swept, axes).transpose(0, 2, 1)
        jacobian[:, 3:] = np.where(turning[:, None], axes, 0.0).transpose(0, 2, 1)
        return pose, jacobian

    def residual(self, pose: Array, target: Array) -> Array:
        """The error of poses to their targets, (B, 6) or (B, 3), without a unit."""
        short = (target[:, :3, 3] - pose[:, :3, 3]) / self.length
        if not self.whole:
            return np.asarray(short)
        turn = rotation_vector(target[:, :3, :3] @ pose[:, :3, :3].transpose(0, 2, 1))
        return np.concatenate([short, turn], axis=1)

    def scaled(self, jacobian: Array) -> Array:
        """The Jacobian in the units and rows of the residual, (B, 6 or 3, n)."""
        part = jacobian if self.whole else jacobian[:, :3]
        result = part.copy()
        result[:, :3] /= self.length
        return np.asarray(result)


def _cross(a: Array, b: Array) -> Array:
    """The vector products of rows of three; NumPy's takes longer than all else for a few rows."""
    x, y, z, u, v, w = (part[..., i] for part in (a, b) for i in range(3))
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1)


def rotation_vector(turn: Array) -> Array:
    """Axis times angle (rad) of rotation matrices (..., 3, 3)."""
    v = 0.5 * np.stack(
        [
            turn[..., 2, 1] - turn[..., 1, 2],
            turn[..., 0, 2] - turn[..., 2, 0],
            turn[..., 1, 0] - turn[..., 0, 1],
        ],
        axis=-1,
    )
    sine = np.linalg.norm(v, axis=-1)
    cosine = 0.5 * (np.trace(turn, axis1=-2, axis2=-1) - 1.0)
    angle = np.arctan2(sine, cosine)
    factor = np.where(sine > 1e-12, angle / np.where(sine > 1e-12, sine, 1.0), 1.0)
    result = v * factor[..., None]
    half = (cosine < 0) & (sine < 1e-6)  # half a turn: the axis is in the symmetric part
    if np.any(half):
        both = turn[half] + np.swapaxes(turn[half], -1, -2) + 2.0 * np.eye(3)
        longest = np.argmax(np.diagonal(both, axis1=-2, axis2=-1), axis=-1)
        axis = np.take_along_axis(both, longest[..., None, None], axis=-1)[..., 0]
        axis /= np.linalg.norm(axis, axis=-1, keepdims=True)
        result[half] = axis * angle[half][..., None]
    return np.asarray(result)


def descend(task: Task, target: Array, q: Array, steps: int = STEPS) -> tuple[Array, Array]:
    """Joint positions (B, n) by descent from `q` to targets (B, 4, 4), and residuals (B,).

    Levenberg and Marquardt: the damping follows the residual, so that the last steps are Newton's;
    it grows when a step fails. A joint at a limit that wants beyond it stands still.
    """
    lower, upper = task.limits.lower, task.limits.upper
    q = np.clip(q, lower, upper)
    result, left = q.copy(), np.full(len(q), np.inf)
    rows = np.arange(len(q))
    damping = np.full(len(q), 1e-2)
    pose, jacobian = task.poses(q)
    missing = task.residual(pose, target)
    cost = np.einsum("bi,bi->b", missing, missing)
    left[:] = np.sqrt(cost)
    if (left <= 0.01 * SOLVED).all():
        return result, left
    stale = np.zeros(len(q), dtype=int)
    for _ in range(steps):
        j = task.scaled(jacobian)
        slope = np.einsum("bij,bi->bj", j, missing)
        stuck = ((q <= lower) & (slope < 0)) | ((q >= upper) & (slope > 0))
        j = np.where(stuck[:, None], 0.0, j)
        step = _damped_step(j, missing, damping * cost)
        room = lower - q, upper - q
        cut = (step < room[0]) | (step > room[1])
        again = np.flatnonzero(cut.any(axis=1))
        if len(again):  # what a limit cuts off, the other joints have to do
            ends = np.clip(step[again], room[0][again], room[1][again])
            ends = np.where(cut[again], ends, 0.0)
            rest = missing[again] - np.einsum("bij,bj->bi", j[again], ends)
            free = np.where(cut[again][:, None], 0.0, j[again])
            step[again] = ends + _damped_step(free, rest, (damping * cost)[again])
        longest = np.abs(step).max(axis=1, keepdims=True)
        step = step / np.maximum(longest, 1.0)  # at most 1 rad or m at once
        trial = np.clip(q + step, lower, upper)
        pose, trial_jacobian = task.poses(trial)
        trial_missing = task.residual(pose, target)
        trial_cost = np.einsum("bi,bi->b", trial_missing, trial_missing)
        better = trial_cost < cost
        stale = np.where(trial_cost < 0.9999 * cost, 0, stale + 1)
        damping = np.where(better, np.maximum(0.2 * damping, 1e-9), 8.0 * damping)
        q = np.where(better[:, None], trial, q)
        missing = np.where(better[:, None], trial_missing, missing)
        jacobian = np.where(better[:, None, None], trial_jacobian, jacobian)
        cost = np.where(better, trial_cost, cost)
        result[rows], left[rows] = q, np.sqrt(cost)
        open_ = (cost > (0.01 * SOLVED) ** 2) & (stale < 8)
        if not open_.all():
            if not open_.any():
                break
            rows, q, missing, jacobian = rows[open_], q[open_], missing[open_], jacobian[open_]
            target, cost = target[open_], cost[open_]
            damping, stale = damping[open_], stale[open_]
    return result, left


def _damped_step(j: Array, missing: Array, damping: Array) -> Array:
    """The steps (B, n) that take away what is `missing` (B, m), with Jacobians j (B, m, n)."""
    normal = j @ j.transpose(0, 2, 1)
    trace = np.trace(normal, axis1=1, axis2=2)
    size = damping + 1e-15 * trace + 1e-300
    normal[:, range(normal.shape[1]), range(normal.shape[1])] += size[:, None]
    solved = np.linalg.solve(normal, missing[..., None])[..., 0]
    return np.asarray(np.einsum("bij,bi->bj", j, solved))


def starts(task: Task, rng: np.random.Generator, count: int) -> Array:
    """Random joint positions within the limits; an endless joint anywhere in one turn."""
    limits = task.limits
    lower = np.where(np.isfinite(limits.lower), limits.lower, -np.pi)
    upper = np.where(np.isfinite(limits.upper), limits.upper, np.pi)
    return np.asarray(rng.uniform(lower, np.maximum(upper, lower + 1e-9), (count, task.robot.n)))


def solve(task: Task, target: Array, near: Array | None) -> tuple[Array, Array]:
    """Joint positions (B, n) for targets (B, 4, 4), and what is left of the residuals (B,).

    Starts at `near`, else in the middle of the joints' ranges, then wherever it has not been.
    """
    first = task.limits.middle if near is None else near
    q, left = descend(task, target, np.broadcast_to(first, (len(target), task.robot.n)))
    rng = np.random.default_rng(15)
    tried = 0
    for _ in range(ROUNDS):
        rows = np.flatnonzero(left > SOLVED)
        if not len(rows) or tried >= STARTS:
            break
        copies = max(1, SIDE_BY_SIDE // len(rows))
        tried += copies
        again = np.repeat(rows, copies)
        q_new, rest = descend(task, target[again], starts(task, rng, len(again)))
        q_new, rest = q_new.reshape(len(rows), copies, -1), rest.reshape(len(rows), copies)
        best = rest.argmin(axis=1)
        rest, q_new = rest[np.arange(len(rows)), best], q_new[np.arange(len(rows)), best]
        better = rest < left[rows]
        q[rows[better]], left[rows[better]] = q_new[better], rest[better]
    return q, left


def miss(task: Task, q: Array, target: Array) -> tuple[Array, Array]:
    """By how much the tool at `q` misses the targets: m, and rad (0 where it is not asked for)."""
    pose, _ = task.poses(q)
    distance = np.linalg.norm(target[:, :3, 3] - pose[:, :3, 3], axis=1)
    if not task.whole:
        return distance, np.zeros_like(distance)
    turn = rotation_vector(target[:, :3, :3] @ pose[:, :3, :3].transpose(0, 2, 1))
    return distance, np.linalg.norm(turn, axis=1)


def nearest_miss(task: Task, target: Array, begin: Array) -> tuple[float, float]:
    """By how much (m, rad) the nearest pose within the limits misses one target (4, 4).

    Nearest in the residual's measure: an angle of 1 rad counts as much as `length`. With limits
    there are many places from which no small step comes nearer, so descents start at `begin` (K, n)
    and at random positions; the best of them, as far as they differ, go on with a method that also
    converges where a residual is left.
    """
    from scipy.optimize import least_squares

    drawn = starts(task, np.random.default_rng(16), NEAREST_STARTS)
    q, left = descend(task, *_aimed(target, np.concatenate([begin, drawn])))
    order = np.argsort(left)
    apart = np.diff(left[order], prepend=-1.0) > 1e-3 * left[order]
    limits = task.limits
    bounds = limits.lower, np.maximum(limits.upper, np.nextafter(limits.lower, np.inf))

    def short(x: Array) -> Array:
        return np.asarray(task.residual(task.poses(x[None])[0], target[None])[0])

    def slope(x: Array) -> Array:
        return np.asarray(-task.scaled(task.poses(x[None])[1])[0])

    def finished(begin: Array, evaluations: int) -> tuple[float, Array]:
        found = least_squares(
            short, np.clip(begin, *bounds), slope, bounds, max_nfev=evaluations,
            xtol=1e-12, ftol=1e-12, gtol=1e-12,
        )  # fmt: skip
        return float(found.cost), np.clip(found.x, *bounds)

    # the best of them after a while is the best in the end, but for those that are nearly as good
    ends = [finished(q[k], LOOKS) for k in order[apart][:FINISHED].tolist()]
    _, best = finished(min(ends, key=lambda end: end[0])[1], 10 * LOOKS)
    distance, angle = miss(task, best[None], target[None])
    return float(distance[0]), float(angle[0])


def _aimed(target: Array, q: Array) -> tuple[Array, Array]:
    """One target (4, 4) for every row of q (B, n), and q."""
    return np.broadcast_to(target, (len(q), 4, 4)), q
