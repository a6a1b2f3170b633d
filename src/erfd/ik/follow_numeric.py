"""Joint positions along poses for an arm without a closed form.

Nodes a few samples apart are solved one after the other, each from the one before. The samples
between them start on a smooth curve through the nodes, all in one batch.

A redundant arm drifts towards the middle of its joints' ranges, in proportion to the path length:
so where it is depends on the path alone, and its joints move as smoothly as the tool.
"""

from __future__ import annotations

import numpy as np

from ..ground.arrays import Array
from .numeric import SOLVED, Task, Truth, descend

STRIDE = 8
"""Samples from node to node."""
JUMP = 0.3
"""A node further away (rad, m) than this is reached sample by sample."""
STEPS = 30
"""Steps of a descent from a neighbour."""
DAMPING = 1e-2
"""Where the Jacobian (per length of the arm) is smaller than this the arm hardly drifts."""


def redundant(task: Task) -> bool:
    """Whether the arm has more joints than the task asks for."""
    return task.robot.n > (6 if task.whole else 3)


def follow_numerically(task: Task, poses: Array, q0: Array) -> tuple[Array, Array]:
    """Joint positions (N, n) along poses (N, 4, 4) from `q0` on, and residuals (N,)."""
    count = len(poses)
    q, left = np.empty((count, task.robot.n)), np.empty(count)
    if not count:
        return q, left
    done = np.zeros(count, dtype=bool)
    path = _path_lengths(task, poses, q0)
    here, before = q0, -1
    for k in sorted({*range(0, count, STRIDE), count - 1}):
        q_node, rest = _step_to(task, poses[k], here, path[k + 1] - path[before + 1])
        if rest > SOLVED or np.abs(q_node - here).max() > JUMP:
            q_node = here
            for i in range(before + 1, k + 1):
                q_node, rest = _step_to(task, poses[i], q_node, path[i + 1] - path[i])
                q[i], left[i], done[i] = q_node, rest, True
        q[k], left[k], done[k] = q_node, rest, True
        here, before = q_node, k
    if not done.all():
        _between(task, poses, q0, q, left, done, path)
    return q, left


def _path_lengths(task: Task, poses: Array, q0: Array) -> Array:
    """Path length up to each pose, (N + 1,) from `q0` on, in the measure of the residual."""
    start, _ = task.poses(q0[None])
    steps = task.residual(np.concatenate([start, poses[:-1]]), poses)
    return np.concatenate([[0.0], np.cumsum(np.linalg.norm(steps, axis=1))])


def _step_to(task: Task, pose: Array, start: Array, step: float) -> tuple[Array, float]:
    """Joint positions at one pose from a neighbour `step` of path before it, and the residual."""
    if step > 0 and redundant(task):
        start = start + step * _drift(task, start)
    q, rest = descend(task, pose[None], start[None], STEPS)
    return q[0], float(rest[0])


def _drift(task: Task, q: Array) -> Array:
    """The motion towards the middle of the joints' ranges that leaves the tool where it is."""
    pull = (task.limits.middle - q) / task.limits.half
    _, jacobian = task.poses(q[None])
    j = task.scaled(jacobian)[0]
    normal = j @ j.T + DAMPING**2 * np.eye(len(j))
    return np.asarray(pull - j.T @ np.linalg.solve(normal, j @ pull))


def _between(
    task: Task, poses: Array, q0: Array, q: Array, left: Array, done: Truth, path: Array
) -> None:
    """Solve the samples between those that are done, into `q`, `left` and `done`."""
    rows = np.flatnonzero(~done)
    nodes = np.flatnonzero(done)
    guess = _curve(
        np.concatenate([[0.0], path[1:][nodes]]),
        np.concatenate([q0[None], q[nodes]]),
        path[1:][rows],
    )
    q[rows], left[rows] = descend(task, poses[rows], guess, STEPS)
    done[rows] = (left[rows] <= SOLVED) & (np.abs(q[rows] - guess).max(axis=1) <= JUMP)
    astray = np.flatnonzero(~done)
    for k in np.unique(np.searchsorted(nodes, astray)).tolist():  # sample by sample from the node
        first, last = nodes[k - 1], nodes[k]
        here = q[first]
        for i in range(first + 1, last):
            here, left[i] = _step_to(task, poses[i], here, path[i + 1] - path[i])
            q[i], done[i] = here, True


def _curve(x: Array, y: Array, at: Array) -> Array:
    """The smooth cubic curve through y (m, n) at x (m,), evaluated at the places `at`."""
    x, first = np.unique(x, return_index=True)
    y = y[first]
    if len(x) == 1:
        return np.broadcast_to(y, (len(at), y.shape[1]))
    slope = np.gradient(y, x, axis=0)
    k = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(x) - 2)
    width = (x[k + 1] - x[k])[:, None]
    u = ((at - x[k])[:, None]) / width
    rise = y[k + 1] - y[k]
    bend = (1 - u) * (width * slope[k] - rise) - u * (width * slope[k + 1] - rise)
    return np.asarray(y[k] + u * rise + u * (1 - u) * bend)
