"""Joint positions along poses for an arm without a closed form.

Nodes a few samples apart are solved one after the other, each from the one before. The samples
between them start on a smooth curve through the nodes, all in one batch.

Where the path is out of reach the arm goes as near as it can from node to node, and the work stays
bounded: few steps, nodes ever further apart, and no search at the samples between two of them.

A redundant arm drifts towards the middle of its joints' ranges, in proportion to the path length:
so where it is depends on the path alone, and its joints move as smoothly as the tool.
"""

from __future__ import annotations

import numpy as np

from ..ground.arrays import Array
from .numeric import SOLVED, Task, descend

STRIDE = 8
"""Samples from node to node."""
JUMP = 0.3
"""A node further away (rad, m) than this is reached sample by sample."""
STEPS = 30
"""Steps of a descent from a neighbour."""
LOST_STEPS, LOST_STRIDE = 8, 64
"""Where the path is out of reach: steps of a descent, and samples from node to node at most."""
DAMPING = 1e-2
"""Where the Jacobian (per length of the arm) is smaller than this the arm hardly drifts."""


def redundant(task: Task) -> bool:
    """Whether the arm has more joints than the task asks for."""
    return task.robot.n > (6 if task.whole else 3)


def follow_numerically(task: Task, poses: Array, q0: Array) -> tuple[Array, Array]:
    """Joint positions (N, n) along poses (N, 4, 4) from `q0` on, and residuals (N,)."""
    samples = _Samples(task, poses, q0)
    if len(poses):
        samples.solve_nodes()
        samples.solve_between()
    return samples.q, samples.left


class _Samples:
    """The samples of a path while they are solved: joint positions `q`, residuals `left`."""

    def __init__(self, task: Task, poses: Array, q0: Array):
        self.task, self.poses, self.q0 = task, poses, q0
        self.q, self.left = np.empty((len(poses), task.robot.n)), np.empty(len(poses))
        self.done = np.zeros(len(poses), dtype=bool)
        self.lengths = _path_lengths(task, poses, q0) if len(poses) else np.zeros(1)

    def solve_nodes(self) -> None:
        """Solve the nodes, one after the other; sample by sample where a node is far away."""
        last, here, before, stride, k = len(self.poses) - 1, self.q0, -1, STRIDE, 0
        while before < last:
            lost = before >= 0 and self.left[before] > SOLVED
            q, rest = self._step_to(k, here, before, LOST_STEPS if lost else STEPS)
            if lost and rest <= 0.01:  # nearly there: it may only have been too few steps
                q, rest = self._step_to(k, q, k - 1)
            walked = not lost and (rest > SOLVED or np.abs(q - here).max() > JUMP)
            if walked:
                here = self._walk(here, before + 1, k + 1)
            else:
                here = self.q[k] = q
                self.left[k], self.done[k] = rest, True
            # out of reach the samples between two nodes need not be known well
            stride = min(2 * stride, LOST_STRIDE) if lost and rest > SOLVED else STRIDE
            before, k = k, min(k + stride, last)

    def solve_between(self) -> None:
        """Solve the samples between those that are done."""
        rows, nodes = np.flatnonzero(~self.done), np.flatnonzero(self.done)
        if not len(rows):
            return
        lengths = self.lengths[1:]
        guess = _curve(
            np.concatenate([[0.0], lengths[nodes]]),
            np.concatenate([self.q0[None], self.q[nodes]]),
            lengths[rows],
        )
        after = np.searchsorted(nodes, rows)
        ends = np.stack([nodes[after - 1], nodes[np.minimum(after, len(nodes) - 1)]])
        lost = self.left[ends] > SOLVED
        away = lost.all(axis=0)
        self.q[rows[away]] = np.clip(guess[away], self.task.limits.lower, self.task.limits.upper)
        reached, _ = self.task.poses(self.q[rows[away]])
        missing = self.task.residual(reached, self.poses[rows[away]])
        self.left[rows[away]] = np.linalg.norm(missing, axis=1)
        near = rows[~away]
        self.q[near], self.left[near] = descend(self.task, self.poses[near], guess[~away], STEPS)
        beside = np.abs(self.q[rows] - guess).max(axis=1) <= JUMP
        self.done[rows] = ((self.left[rows] <= SOLVED) & beside) | lost.any(axis=0)
        astray = np.flatnonzero(~self.done)
        for k in np.unique(np.searchsorted(nodes, astray)).tolist():
            self._walk(self.q[nodes[k - 1]], nodes[k - 1] + 1, nodes[k])

    def _walk(self, here: Array, first: int, end: int) -> Array:
        """Solve samples one by one from `here` on; the joint positions at the last of them."""
        for i in range(first, end):
            here, self.left[i] = self._step_to(i, here, i - 1)
            self.q[i], self.done[i] = here, True
        return here

    def _step_to(
        self, i: int, start: Array, before: int, steps: int = STEPS
    ) -> tuple[Array, float]:
        """Joint positions at sample i from those at the sample `before`, and the residual."""
        step = self.lengths[i + 1] - self.lengths[before + 1]
        if step > 0 and redundant(self.task):
            start = start + step * _drift(self.task, start)
        q, rest = descend(self.task, self.poses[i : i + 1], start[None], steps)
        return q[0], float(rest[0])


def _path_lengths(task: Task, poses: Array, q0: Array) -> Array:
    """Path length up to each pose, (N + 1,) from `q0` on, in the measure of the residual."""
    start, _ = task.poses(q0[None])
    steps = task.residual(np.concatenate([start, poses[:-1]]), poses)
    return np.concatenate([[0.0], np.cumsum(np.linalg.norm(steps, axis=1))])


def _drift(task: Task, q: Array) -> Array:
    """The motion towards the middle of the joints' ranges that leaves the tool where it is."""
    pull = (task.limits.middle - q) / task.limits.half
    _, jacobian = task.poses(q[None])
    j = task.scaled(jacobian)[0]
    normal = j @ j.T + DAMPING**2 * np.eye(len(j))
    return np.asarray(pull - j.T @ np.linalg.solve(normal, j @ pull))


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
