"""How near a moving robot comes to its cell, and what touches what: between the samples, too.

Conservative advancement: from one time to another no point of a shape goes further than a bound
that follows from the joints' motion and the shape's reach. Two distances and that bound say what
there can be in between; where this is not enough, the span is halved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..ground.arguments import function_of
from ..ground.arrays import Array, finite_array
from ..mechanics.kinematics import link_frames, pose_matrix
from ..robot.library import RobotLike, robot_of
from ..robot.model import Robot
from .contact import Contact, in_order
from .joint_curve import JointCurve
from .reader import CellLike, cell_of
from .shapes import ShapeScene
from .span_search import NEAR, NearestRecords, search

PIECES = 4096
"""Samples that are looked at in one go: what is kept of more would not fit into memory."""


@dataclass(frozen=True, slots=True)
class Approach:
    """How near a link comes to a thing: `distance` in m at `time` in s; below 0: how deep.

    `points` are the nearest ones then, on the link and on the thing, in m, world coordinates.
    """

    link: str
    thing: str
    distance: float
    time: float
    points: tuple[tuple[float, ...], tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class MotionClearance:
    """How near a motion comes to a cell.

    `approaches` has the link and the thing that come nearest, then those that come nearer than
    0.25 m. A distance is that at its time; at no other time is it less by more than 0.5 % (of the
    nearest pair; 5 % of others) or 0.1 mm, if that is more. `contacts` has every time span in which
    a pair touches.
    """

    approaches: tuple[Approach, ...]
    contacts: tuple[Contact, ...]

    @property
    def nearest(self) -> Approach | None:
        """The pair that comes nearest; None if there is nothing to meet."""
        return self.approaches[0] if self.approaches else None

    @property
    def smallest(self) -> float:
        """The smallest distance of all, m; infinite if there is nothing to meet."""
        return np.inf if self.nearest is None else self.nearest.distance


def motion_clearance(
    robot: RobotLike,
    cell: CellLike,
    t: ArrayLike,
    q: ArrayLike,
    *,
    progress: Callable[[float], None] | None = None,
) -> MotionClearance:
    """How near the moving links come to the cell on a motion, between its samples, too.

    Between samples the velocity goes evenly from that of one to that of the other. The robot stands
    where the cell says (`Cell.mount`), else where its own mount says.

    Args:
        robot: The robot; a link is its collision shapes, its visuals where it has none; meshes
            count as their convex hulls.
        cell: What stands around it.
        t: Increasing times in s, (N,).
        q: Joint positions in rad (m), (N, n).
        progress: Called with the part (0..1) that is done.

    Returns:
        The smallest distance of every link and thing, and all contacts: whatever comes nearer than
        10 um.

    Raises:
        InputError: The times do not increase, or an argument does not fit.
        MissingDependencyError: The package coal is not installed.

    >>> import erfd
    >>> robot, cell = erfd.load("lola15"), erfd.load_cell("cell.toml")  # doctest: +SKIP
    >>> erfd.motion_clearance(robot, cell, [0, 1], [[0] * 6, [1] * 6]).smallest  # doctest: +SKIP
    """
    robot, cell = robot_of(robot), cell_of(cell)
    if progress is not None:
        function_of("progress", progress)
    times, joints = motion_of(robot, t, q)
    scene = ShapeScene.of(robot, cell)
    names = [thing.name for thing in cell.things]
    return scene_clearance(cell.placed(robot), scene, names, times, joints, progress)


def motion_of(robot: Robot, t: ArrayLike, q: ArrayLike) -> tuple[Array, Array]:
    """Check times (N,) in s and joint positions (N, n) in rad (m) of a motion."""
    joints = finite_array("q", q, ("N", robot.n))
    times = finite_array("t", t, (len(joints),))
    if not (np.diff(times) > 0).all():
        row = int((np.diff(times) <= 0).argmax())
        found = f"{times[row]:g} and {times[row + 1]:g}"
        raise InputError(f"t: expected increasing times, found {found}")
    return times, joints


def scene_clearance(
    robot: Robot,
    scene: ShapeScene,
    things: Sequence[str],
    times: Array,
    joints: Array,
    progress: Callable[[float], None] | None,
) -> MotionClearance:
    """What is found of a scene on a motion; `things` are the names of what may be met."""
    if not len(scene.pairs) or not len(joints):
        return MotionClearance((), ())
    base = pose_matrix(robot.mount)
    curve = JointCurve.of(times, joints)
    records = NearestRecords.of(scene)
    for first in range(0, max(len(curve), 1), PIECES):
        last = min(first + PIECES, len(curve))
        part = curve.part(first, last)
        search(robot, scene, part, lambda at: base @ link_frames(robot, at), records)
        if progress is not None:
            progress(last / max(len(curve), 1))
    return _told(robot, things, records)


def _told(robot: Robot, things: Sequence[str], records: NearestRecords) -> MotionClearance:
    """What was found, with the names of links and things."""
    approaches, contacts = [], []
    for number, (link, obstacle) in enumerate(records.groups.tolist()):
        names = robot.links[link].name, things[obstacle]
        points = tuple(tuple(point) for point in records.points[number].tolist())
        distance, time = float(records.best[number]), float(records.times[number])
        if distance <= max(NEAR, records.best.min()):
            approaches.append(Approach(*names, distance, time, (points[0], points[1])))
        contacts += [Contact(a, b, *names, depth) for a, b, depth in records.spans(number)]
    approaches.sort(key=lambda approach: approach.distance)
    return MotionClearance(tuple(approaches), in_order(contacts))
