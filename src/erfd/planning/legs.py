"""Legs of a chain: one point-to-point move, or path moves without a stop between them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ..ground.arrays import Array, nearest
from ..robot.model import Robot
from ..robot.pose import Pose
from .moves import Move
from .path.course import Course
from .path.junction import NO_CORNER, Junction
from .path.segments import Segments, segments
from .path_joints import PathSamples, joint_path
from .ptp import Pace

COARSE = 0.01
"""m (rad) between samples when only the end of a course is looked for."""


@dataclass(frozen=True, slots=True, eq=False)
class PtpLeg:
    """A leg point to point, from joint positions `start` to `end`; `places` are in the program."""

    places: list[int]
    moves: list[Move]
    tool: Pose
    start: Array
    end: Array
    pace: Pace

    @property
    def travel(self) -> Array:
        """What it moves the joints by, (n,)."""
        return self.end - self.start

    def arrive(self, robot: Robot) -> Array:
        """The joint positions at the end."""
        return self.end


@dataclass(frozen=True, slots=True, eq=False)
class PathLeg:
    """A leg along a course from joint positions `start`; `junctions` are between its moves."""

    places: list[int]
    moves: list[Move]
    tool: Pose
    start: Array
    course: Course
    junctions: list[Junction]

    def arrive(self, robot: Robot) -> Array:
        """The joint positions at the end."""
        count = min(max(math.ceil(self.course.length / COARSE), 20), 2000)
        lengths = np.linspace(0.0, self.course.length, count)
        return np.asarray(self.at(robot, lengths, judged=False).q[-1])

    def segments(self, cycle: float) -> Segments:
        """The segments of the course; `acc` allows the step of a small corner in a `cycle` (s)."""
        cut = segments(self.course)
        passed = cut.pass_speed.copy()
        segment = nearest(cut.ends, self.course.ends).tolist()
        for junction, k, pair in zip(self.junctions, segment, pairwise(self.moves), strict=False):
            if junction.kind == "pass" and junction.corner > NO_CORNER:
                step = min(move.acc for move in pair) * cycle
                passed[k] = step / (2 * math.sin(junction.corner / 2))
        return replace(cut, pass_speed=passed)

    def at(
        self, robot: Robot, lengths: Array, *, lost: bool = False, judged: bool = True
    ) -> PathSamples:
        """Joint positions and tool frames at the `lengths` (N,); options as of `joint_path`."""
        options = {"lost": lost, "judged": judged}
        return joint_path(robot, self.course, self.moves, lengths, self.start, self.tool, **options)


Leg = PtpLeg | PathLeg
