"""Builds chains of moves: which of them run without a stop, and from where to where."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from ..ground.arrays import Array
from ..ik.config import STAY
from ..robot.model import Robot
from ..robot.pose import Pose
from .legs import Leg, PathLeg, PtpLeg
from .motor_ramps import motor_acceleration
from .moves import Increment, JointIncrement, JointTarget, Move, MoveTarget
from .path.course import Stretch
from .path.junction import (
    Junction,
    MoveGeometry,
    blends,
    course_of,
    junction_between,
    move_geometry,
)
from .path.orientation import rotation_vector
from .path_joints import limit_failure, reach
from .plan import Failure, Note, PlannedMove
from .ptp import Axes, pace
from .targets import goal, joint_positions, tool_frame

THERE = 1e-10
"""Joints closer than this (rad, m) to a target are there."""


@dataclass(slots=True)
class MoveLog:
    """The moves planned so far with their tools, notes and failures.

    `lost_from` is the place of the first that is out of reach, or of the chain that has it.
    """

    moves: list[PlannedMove] = field(default_factory=list)
    tools: list[Pose] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    lost_from: float = math.inf

    def enter(self, move: PlannedMove, tool: Pose) -> None:
        """Append a move and its tool."""
        self.moves.append(move)
        self.tools.append(tool)

    def describe(self, place: int, **values: Any) -> None:
        """Set fields of the planned move at `place`."""
        self.moves[place] = replace(self.moves[place], **values)

    def note(self, move: Move, kind: str, sentence: str, value: float = 0.0) -> None:
        """Add a note on a move."""
        self.notes.append(Note(move.line, kind, sentence, value))


def _redundant(n: int) -> bool:
    """Whether n joints are more than a pose asks for (a position, below six joints)."""
    return n > 6 or 3 < n < 6


class ChainBuilder:
    """The chain that is being put together, from joint positions `q` (n,) on.

    What it finds out about the moves goes to the `log`.
    """

    def __init__(self, robot: Robot, tool: Pose, q: Array, log: MoveLog):
        self.robot, self.q, self.log = robot, q, log
        self.tool = tool  # the tool of `_pose`
        self._pose: Array | None = None  # where it is in the end; None: not worked out
        self._legs: list[Leg] = []
        self._row: list[tuple[int, Move, Stretch]] = []  # path moves without a stop
        self._row_start = q
        self._passed = (0, q)  # so many moves of the row were followed to these joint positions
        self._junctions: list[Junction] = []
        self._last: Move | None = None  # the move that the next one may be blended with
        self._place = 0  # of that move
        self._idle: list[int] = []  # moves without motion after it
        self._must_stop = False  # a move without motion, which stops

    def legs(self) -> list[Leg]:
        """Return the legs so far and empty the chain."""
        self._close_row()
        legs, self._legs = self._legs, []
        self._last, self._must_stop, self._idle = None, False, []
        return legs

    def frame(self, tool: Pose) -> Array:
        """Where a tool is (4, 4) at the end of the chain."""
        if self._pose is None or self.tool != tool:
            self._pose, self.tool = tool_frame(self.robot, self.arrival(), tool), tool
        return self._pose

    def settle(self, q: Array) -> None:
        """Set the joint positions `q` (n,) where the chain stopped."""
        self.q = q
        if self._pose is not None:
            self._pose = self._turned(self._pose, q, self.tool)

    def _turned(self, pose: Array, q: Array, tool: Pose) -> Array:
        """The pose, which arms with few joints only reach in its position: turned as they turn."""
        if self.robot.n >= 6:
            return pose
        result = pose.copy()
        result[:3, :3] = tool_frame(self.robot, q, tool)[:3, :3]
        return result

    def _here(self, move: Move, tool: Pose) -> Array:
        """Where a move starts; how the tool is turned there matters if it steps in tool axes."""
        pose = self.frame(tool)
        steps = any(isinstance(t, Increment) and t.reference == "tool" for t in move.targets)
        if not (self._row and steps) or self.robot.n >= 6:
            return pose
        return self._turned(pose, self._passing(), tool)

    def arrival(self) -> Array:
        """The joint positions at the end of the chain."""
        if self._row:
            return self._open_leg().arrive(self.robot)
        return self._legs[-1].arrive(self.robot) if self._legs else self.q

    def _passing(self) -> Array:
        """The joint positions at the end of the last move, which may not be its end any more.

        Only the moves since the last time are followed: they may be asked for at every move.
        """
        if not self._row:
            return self.arrival()
        done, q = self._passed
        if done < len(self._row):
            q = self._open_leg(done, q).arrive(self.robot)
            self._passed = (len(self._row), q)
        return q

    def add(self, place: int, move: Move, tool: Pose) -> Iterator[list[Leg]]:
        """Append a move; its entry in the log is `place`.

        Yields the legs before it if they have to come to a stop; where they do `settle` is told
        before the next is asked for.
        """
        obstacle = self._obstacle(move, tool)
        if self._last is not None and (self._must_stop or not blends(self._last)):
            yield self.legs()
        elif self._last is not None and obstacle:
            self.log.note(self._last, "blend", f"stops here, since {obstacle}")
            yield self.legs()
        if move.kind == "ptp":
            self._close_row()
            self._add_ptp(place, move, tool)
        else:
            yield from self._add_path(place, move, tool)

    def _obstacle(self, move: Move, tool: Pose) -> str:
        """Why the path moves so far cannot run into the next move."""
        if not self._row:
            return ""
        if move.kind != "ptp" and self.tool != tool:
            return "the next move has another tool"
        if _redundant(self.robot.n) and (move.kind == "ptp" or self._row[-1][1].c_ptp):
            return "where a redundant arm arrives is only known when it is there"
        return ""

    # Point to point

    def _add_ptp(self, place: int, move: Move, tool: Pose) -> None:
        """Add a point-to-point move as a leg of its own."""
        start = self.arrival()
        end = self._ptp_end(place, move, start, tool)
        if np.abs(end - start).max() < THERE:
            self._no_motion(place, move)
            return
        motors = partial(motor_acceleration, self.robot, start, end)
        leg_pace = pace(Axes.of(self.robot), end - start, move.speed_ptp, move.acc_ptp, motors)
        most = self.robot.joints[int(np.abs(end - start).argmax())]
        for sentence in leg_pace.assumptions(most.revolute):
            self.log.note(move, "limits", sentence)
        self._join(Junction("overlap"))
        self._legs.append(PtpLeg([place], [move], tool, start, end, leg_pace))
        self.log.describe(place, limit=leg_pace.limit)
        self._remember(place, move)

    def _ptp_end(self, place: int, move: Move, q: Array, tool: Pose) -> Array:
        """The joint positions that a point-to-point move goes to."""
        target = move.targets[0]
        if isinstance(target, JointTarget | JointIncrement):
            end = joint_positions(target, q)
            failure = limit_failure(self.robot, move, end)
            self._pose, self.tool = None, tool
        else:
            here = self._here(move, tool)
            target_goal = goal(target, move.frame, here, self._pose_at(tool))
            pose = here.copy()
            pose[:3, 3] = target_goal.position
            if target_goal.rotation is not None:
                pose[:3, :3] = target_goal.rotation
            if target_goal.config == STAY and np.abs(pose - here).max() < THERE:
                return q
            lost = self.log.lost_from < place
            end, failure = reach(self.robot, move, pose, q, target_goal.config, tool, lost=lost)
            self._pose, self.tool = self._turned(pose, end, tool), tool
        if failure is not None:
            self.log.failures.append(failure)
            self.log.lost_from = min(self.log.lost_from, place)
        return end

    # Paths

    def _add_path(self, place: int, move: Move, tool: Pose) -> Iterator[list[Leg]]:
        """Add a path move to the row of those without a stop, or begin a new row."""
        start = self._here(move, tool)
        goals = [goal(t, move.frame, start, self._pose_at(tool)) for t in move.targets]
        geometry = move_geometry(move, start, goals[0] if len(goals) == 2 else None, goals[-1])
        self.log.notes += geometry.notes
        self.log.failures += geometry.failures
        if geometry.stretch is None:
            self._no_motion(place, move)
            return
        self._describe(place, geometry, start)
        if not self._row:
            self._join(Junction("overlap"))
        else:
            junction = junction_between(self._row[-1][1], self._row[-1][2], geometry.stretch)
            self._join(junction)
            if junction.kind == "stop":
                yield self.legs()
            elif junction.kind == "overlap":
                self._close_row()
            else:
                self._junctions.append(junction)
        if not self._row:
            self._row_start = self.arrival()
            self._passed = (0, self._row_start)
        self._row.append((place, move, geometry.stretch))
        self._pose = geometry.end
        self._remember(place, move)

    def _describe(self, place: int, geometry: MoveGeometry, start: Array) -> None:
        """Enter length, radius, angle and turn of a path move in the log."""
        assert geometry.stretch is not None
        curve = geometry.stretch.curve
        turn = rotation_vector(start[:3, :3].T @ geometry.end[:3, :3])
        self.log.describe(
            place,
            length=0.0 if curve.on_the_spot else curve.length,
            radius=curve.radius,
            angle=curve.angle,
            turn=math.sqrt(turn @ turn),
        )

    def _open_leg(self, first: int = 0, start: Array | None = None) -> PathLeg:
        """The leg of the path moves that still wait for the next move, from the `first` on."""
        row, junctions = self._row[first:], self._junctions[first:]
        places, moves, stretches = (list(column) for column in zip(*row, strict=True))
        course = course_of(moves, stretches, junctions)
        begin = self._row_start if start is None else start
        return PathLeg(places, moves, self.tool, begin, course, junctions)

    def _close_row(self) -> None:
        """End the row of path moves: it becomes a leg."""
        if self._row:
            self._legs.append(self._open_leg())
            self._row, self._junctions = [], []

    # Both

    def _pose_at(self, tool: Pose) -> Callable[[MoveTarget], Array]:
        """The function that says where the tool is at a joint target."""

        def pose(target: MoveTarget) -> Array:
            assert isinstance(target, JointTarget | JointIncrement)
            whole = isinstance(target, JointTarget) and len(target.joints) == self.robot.n
            here = self.q if whole else self._passing()  # which only the joints left out depend on
            return tool_frame(self.robot, joint_positions(target, here), tool)

        return pose

    def _remember(self, place: int, move: Move) -> None:
        """Keep the move, which the next one may be blended with."""
        self._last, self._place, self._must_stop = move, place, False
        self._idle = []

    def _no_motion(self, place: int, move: Move) -> None:
        """Note a move that moves nothing."""
        self.log.note(move, "no motion", "the robot is there already")
        self._idle.append(place)
        self._must_stop = self._must_stop or not blends(move)

    def _join(self, junction: Junction) -> None:
        """How the last move ends, now that the next one is known."""
        if self._last is None:
            return
        if junction.note is not None:
            self.log.notes.append(junction.note)
        if junction.kind == "overlap" and not self._last.c_ptp:
            word = "c_speed" if self._last.c_cp is None else "c_cp"
            sentence = f"{word} next to a ptp move: the ramps overlap, as with c_ptp"
            self.log.note(self._last, "blend", sentence)
        self.log.describe(
            self._place, corner=junction.corner, blend=junction.blend, reach=junction.blend_distance
        )
        for place in self._idle:  # passed in the same way
            self.log.describe(place, blend=junction.blend)
