"""A path for an arm without a closed form: warm starts, then all samples between at once.

Nodes a few samples apart are solved one after the other, each from the one before. The samples
between them start at the mean of their neighbours, level by level, a whole level in one batch.
"""

from __future__ import annotations

import numpy as np

from .inverse_input import Array
from .inverse_numeric import SOLVED, Task, descend

STRIDE = 8
"""Samples from node to node."""
JUMP = 0.3
"""A node further away (rad, m) than this is reached sample by sample."""
STEPS = 30
"""Steps of a descent from a neighbour."""


def walk(task: Task, poses: Array, q0: Array) -> tuple[Array, Array]:
    """Joint positions (N, n) along poses (N, 4, 4) from `q0`, and what is left of residuals."""
    count = len(poses)
    q, left = np.empty((count, task.robot.n)), np.empty(count)
    if not count:
        return q, left
    done = np.zeros(count, dtype=bool)
    here, moved, before = q0, 0.0, -1
    for k in sorted({*range(0, count, STRIDE), count - 1}):
        found, rest = _go(task, poses[k], here, moved)
        if rest > SOLVED or np.abs(found - here).max() > JUMP:
            found = here
            for i in range(before + 1, k + 1):
                found, rest = _go(task, poses[i], found, moved / STRIDE)
                q[i], left[i], done[i] = found, rest, True
        q[k], left[k], done[k] = found, rest, True
        moved = float(np.abs(found - here).max())
        here, before = found, k
    while not done.all():
        _level(task, poses, q, left, done)
    return q, left


def _go(task: Task, pose: Array, start: Array, moved: float) -> tuple[Array, float]:
    """One pose from a neighbour; a redundant arm drifts away from its limits as it moves."""
    if moved > 0 and task.robot.n > (6 if task.whole else 3):
        start = start + _drift(task, start, moved)
    found, rest = descend(task, pose[None], start[None], STEPS)
    return found[0], float(rest[0])


def _drift(task: Task, q: Array, most: float) -> Array:
    """A motion towards the middle of the joints' ranges that leaves the tool where it is."""
    pull = (task.limits.middle - q) / task.limits.half
    _, jacobian = task.poses(q[None])
    j = task.scaled(jacobian)[0]
    idle = pull - np.linalg.pinv(j, rcond=1e-6) @ (j @ pull)
    return np.asarray(idle * min(1.0, most / max(float(np.abs(idle).max()), 1e-12)))


def _level(task: Task, poses: Array, q: Array, left: Array, done: Array) -> None:
    """The samples in the middle between those that are done (in `q`, `left`, `done`)."""
    known = np.flatnonzero(done)
    gaps = np.diff(known) > 1
    a, b = known[:-1][gaps], known[1:][gaps]
    middle = (a + b) // 2
    part = ((middle - a) / (b - a))[:, None]
    guess = (1 - part) * q[a] + part * q[b]
    found, rest = descend(task, poses[middle], guess, STEPS)
    q[middle], left[middle], done[middle] = found, rest, True
    astray = (rest > SOLVED) | (np.abs(found - guess).max(axis=1) > JUMP)
    for k, i in zip(a[astray], middle[astray], strict=True):
        here = q[k]
        for m in range(k + 1, i + 1):
            here, rest_here = _go(task, poses[m], here, 0.0)
            q[m], left[m], done[m] = here, rest_here, True
