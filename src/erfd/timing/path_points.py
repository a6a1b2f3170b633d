"""What stands for a path: way points, a trajectory, or a planned program, with its stops."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InputError
from ..ground.arrays import Array, finite_array
from ..planning.plan import Plan
from ..planning.trajectory import Trajectory
from ..robot.model import Robot
from .joint_path import SplinedPath

CORNER = 0.35
"""A trajectory that turns by more than this (rad) from a point to the next may have a corner,"""
SHARPER = 2.5
"""if it turns that many times as much there as at the points beside it,"""
ALWAYS = 1.2
"""or if it turns by more than this (rad)."""
APART = 1e-3
"""Points this far apart (rad, m) say in which direction a trajectory goes."""
RESTS = 1e-12
"""A step shorter than this (rad, m) is none."""


def path_of(robot: Robot, path: Any) -> SplinedPath:
    """The path of way points (N, n), of a trajectory, or of a planned program.

    Way points are joined by one spline. The points of a trajectory are, too, but for its corners,
    where the arm has to stop. A program stops where its moves do, and stands as long as it waits.
    """
    if isinstance(path, Plan):
        _check_joints(robot, path.trajectory.n)
        if not path.reachable:
            raise InputError(f"path: expected a program within reach, {path.failures[0].sentence}")
        return _of_plan(robot, path)
    if isinstance(path, Trajectory):
        _check_joints(robot, path.n)
        q = np.asarray(path.q)
        return SplinedPath.of(robot, q, corners(q))
    q = finite_array("path", path, ("N", "n"))
    _check_joints(robot, q.shape[1])
    if len(q) < 2:
        raise InputError(f"path: expected at least two points, found {len(q)}")
    return SplinedPath.of(robot, q)


def _check_joints(robot: Robot, n: int) -> None:
    if n != robot.n:
        raise InputError(f"path: expected {robot.n} joints for robot {robot.name!r}, found {n}")


def corners(q: Array) -> list[int]:
    """The points (by number) of samples (N, n) at which their line has a corner."""
    steps = np.linalg.norm(np.diff(q, axis=0), axis=1)
    kept = np.concatenate([[0], 1 + np.flatnonzero(steps > RESTS)])
    points = q[kept]
    length = np.concatenate([[0.0], np.cumsum(steps[kept[1:] - 1])])
    count = len(points)
    if count < 3:
        return []
    inner = np.arange(1, count - 1)
    before = np.searchsorted(length, length[inner] - APART, side="right") - 1
    after = np.searchsorted(length, length[inner] + APART, side="left")
    before, after = before.clip(0, inner - 1), after.clip(inner + 1, count - 1)
    ahead, behind = points[after] - points[inner], points[inner] - points[before]
    sizes = np.linalg.norm(ahead, axis=1), np.linalg.norm(behind, axis=1)
    cosine = np.einsum("ij,ij->i", ahead, behind) / np.maximum(sizes[0] * sizes[1], 1e-300)
    turn = np.arccos(np.clip(cosine, -1, 1))
    # a point beside a corner has it on one of its sides, where the way is longer than straight
    straight = (
        sizes[0] / (length[after] - length[inner]),
        sizes[1] / (length[inner] - length[before]),
    )
    rank = np.minimum(*straight).round(6) + 1e-6 * turn
    found: list[int] = []
    for k in np.flatnonzero(turn > CORNER).tolist():
        near = np.abs(length[inner] - length[inner[k]]) <= APART
        near[k] = True
        if rank[k] < rank[near & (turn > CORNER)].max():
            continue
        beside = [turn[j] for j in (k - 1, k + 1) if 0 <= j < len(turn) and not near[j]]
        sharp = turn[k] > ALWAYS or turn[k] > SHARPER * max(beside, default=0.0)
        if sharp and not (found and length[inner[k]] - length[found[-1]] <= APART):
            found.append(int(inner[k]))
    return [int(kept[k]) for k in found]


def _of_plan(robot: Robot, plan: Plan) -> SplinedPath:
    """The path of a program: its moves end where they stop, waits and payloads are kept."""
    q, dt = plan.trajectory.q, plan.trajectory.dt
    stops, pauses = set(corners(q)), dict[int, float]()
    for place, move in enumerate(plan.moves):
        rows = np.flatnonzero(plan.move == place)
        if not len(rows):
            continue
        last = int(rows[-1])
        if move.kind == "wait":
            first = max(int(rows[0]) - 1, 0)
            pauses[first] = pauses.get(first, 0.0) + (last - first) * dt
            stops.add(last)
        elif move.blend == "stop":
            stops.add(last)
    return SplinedPath.of(robot, q, sorted(stops), pauses)
