"""Putting moves together: which of them run without a stop, and from where to where."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ik.config import STAY
from ..robot.model import Robot
from ..robot.pose import Pose
from .move_chain import Leg, PathLeg, PtpLeg
from .moves import Increment, JointIncrement, JointTarget, Move, MoveTarget
from .path.course import Stretch
from .path.junction import Built, Junction, blends, build, in_a_row, meeting
from .path.orientation import rotation_vector
from .plan import Failure, Note, PlannedMove
from .ptp import RAMP, SPEED, Axes, pace
from .reach import beyond, reach
from .targets import goal, joints, tool_frame

Array = NDArray[np.float64]

THERE = 1e-10
"""Joints closer than this (rad, m) to a target are there."""


@dataclass(slots=True)
class Log:
    """What is found out on the way: the moves so far, notes, failures."""

    moves: list[PlannedMove] = field(default_factory=list)
    tools: list[Pose] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    def describe(self, place: int, **values: Any) -> None:
        """Fill in what is known of a move."""
        self.moves[place] = replace(self.moves[place], **values)

    def note(self, move: Move, kind: str, said: str, value: float = 0.0) -> None:
        """Say something about a move."""
        self.notes.append(Note(move.line, kind, said, value))


def _redundant(n: int) -> bool:
    """Whether n joints are more than a pose asks for (a position, below six joints)."""
    return n > 6 or 3 < n < 6


class Assembly:
    """The chain that is being put together, from joint positions `q` (n,) on.

    `stop` is called when the chain so far has to come to a stop: it takes the `legs`, runs them and
    sets `q`.
    """

    def __init__(self, robot: Robot, tool: Pose, q: Array, log: Log, stop: Callable[[], None]):
        self.robot, self.q, self.log, self.stop = robot, q, log, stop
        self.hand = tool  # the tool of `_pose`
        self._pose: Array | None = None  # where it is in the end; None: not worked out
        self._legs: list[Leg] = []
        self._row: list[tuple[int, Move, Stretch]] = []  # path moves without a stop
        self._row_start = q
        self._junctions: list[Junction] = []
        self._last: Move | None = None  # the move that the next one may be blended with
        self._place = 0  # of that move
        self._idle: list[int] = []  # moves without motion after it
        self._held = False  # a move without motion, which stops

    def legs(self) -> list[Leg]:
        """The chain, which begins anew."""
        self._close_row()
        legs, self._legs = self._legs, []
        self._last, self._held, self._idle = None, False, []
        return legs

    def frame(self, tool: Pose) -> Array:
        """Where a tool is (4, 4) at the end of the chain."""
        if self._pose is None or self.hand != tool:
            self._pose, self.hand = tool_frame(self.robot, self.arrival(), tool), tool
        return self._pose

    def settle(self, q: Array) -> None:
        """The chain has been run; the robot stands at joint positions `q` (n,)."""
        self.q = q
        if self._pose is not None:
            self._pose = self._turned(self._pose, q, self.hand)

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
        return self._turned(pose, self.arrival(), tool) if self._row and steps else pose

    def arrival(self) -> Array:
        """The joint positions at the end of the chain."""
        if self._row:
            return self._open_leg().arrive(self.robot)
        return self._legs[-1].arrive(self.robot) if self._legs else self.q

    def add(self, place: int, move: Move, tool: Pose) -> None:
        """The next move; its entry in the log is `place`."""
        obstacle = self._obstacle(move, tool)
        if self._last is not None and (self._held or not blends(self._last)):
            self.stop()
        elif self._last is not None and obstacle:
            self.log.note(self._last, "blend", f"stops here, since {obstacle}")
            self.stop()
        if move.kind == "ptp":
            self._close_row()
            self._add_ptp(place, move, tool)
        else:
            self._add_path(place, move, tool)

    def _obstacle(self, move: Move, tool: Pose) -> str:
        """Why the path moves so far cannot run into the next move."""
        if not self._row:
            return ""
        if move.kind != "ptp" and self.hand != tool:
            return "the next move has another tool"
        if _redundant(self.robot.n) and (move.kind == "ptp" or self._row[-1][1].c_ptp):
            return "where a redundant arm arrives is only known when it is there"
        return ""

    # Point to point

    def _add_ptp(self, place: int, move: Move, tool: Pose) -> None:
        start = self.arrival()
        end = self._aim(move, start, tool)
        if np.abs(end - start).max() < THERE:
            self._stay(place, move)
            return
        found = pace(Axes.of(self.robot), end - start, move.speed_ptp, move.acc_ptp)
        if found.missing:
            said = f"an axis without limits goes at {SPEED:g} rad/s (m/s), with ramps of {RAMP:g} s"
            self.log.note(move, "limits", said)
        self._join(Junction("overlap"))
        self._legs.append(PtpLeg([place], [move], tool, start, end, found))
        self.log.describe(place, limit=found.limit)
        self._keep(place, move)

    def _aim(self, move: Move, q: Array, tool: Pose) -> Array:
        """The joint positions that a point-to-point move goes to."""
        target = move.targets[0]
        if isinstance(target, JointTarget | JointIncrement):
            end = joints(target, q)
            failure = beyond(self.robot, move, end)
            self._pose, self.hand = None, tool
        else:
            here = self._here(move, tool)
            aim = goal(target, move.frame, here, self._pose_at(tool))
            pose = here.copy()
            pose[:3, 3] = aim.position
            if aim.rotation is not None:
                pose[:3, :3] = aim.rotation
            if aim.config == STAY and np.abs(pose - here).max() < THERE:
                return q
            end, failure = reach(self.robot, move, pose, q, aim.config, tool)
            self._pose, self.hand = self._turned(pose, end, tool), tool
        if failure is not None:
            self.log.failures.append(failure)
        return end

    # Paths

    def _add_path(self, place: int, move: Move, tool: Pose) -> None:
        start = self._here(move, tool)
        aims = [goal(t, move.frame, start, self._pose_at(tool)) for t in move.targets]
        built = build(move, start, aims[0] if len(aims) == 2 else None, aims[-1])
        self.log.notes += built.notes
        self.log.failures += built.failures
        if built.stretch is None:
            self._stay(place, move)
            return
        self._describe(place, built, start)
        if not self._row:
            self._join(Junction("overlap"))
        else:
            junction = meeting(self._row[-1][1], self._row[-1][2], built.stretch)
            self._join(junction)
            if junction.kind == "stop":
                self.stop()
            elif junction.kind == "overlap":
                self._close_row()
            else:
                self._junctions.append(junction)
        if not self._row:
            self._row_start = self.arrival()
        self._row.append((place, move, built.stretch))
        self._pose = built.end
        self._keep(place, move)

    def _describe(self, place: int, built: Built, start: Array) -> None:
        assert built.stretch is not None
        curve = built.stretch.curve
        turn = rotation_vector(start[:3, :3].T @ built.end[:3, :3])
        self.log.describe(
            place,
            length=0.0 if curve.on_the_spot else curve.length,
            radius=curve.radius,
            angle=curve.angle,
            turn=math.sqrt(turn @ turn),
        )

    def _open_leg(self) -> PathLeg:
        places, moves, stretches = (list(column) for column in zip(*self._row, strict=True))
        course = in_a_row(moves, stretches, self._junctions)
        return PathLeg(places, moves, self.hand, self._row_start, course, self._junctions)

    def _close_row(self) -> None:
        if self._row:
            self._legs.append(self._open_leg())
            self._row, self._junctions = [], []

    # Both

    def _pose_at(self, tool: Pose) -> Callable[[MoveTarget], Array]:
        def pose(target: MoveTarget) -> Array:
            assert isinstance(target, JointTarget | JointIncrement)
            return tool_frame(self.robot, joints(target, self.arrival()), tool)

        return pose

    def _keep(self, place: int, move: Move) -> None:
        self._last, self._place, self._held = move, place, False
        self._idle = []

    def _stay(self, place: int, move: Move) -> None:
        self.log.note(move, "no motion", "the robot is there already")
        self._idle.append(place)
        self._held = self._held or not blends(move)

    def _join(self, junction: Junction) -> None:
        """How the last move ends, now that the next one is known."""
        if self._last is None:
            return
        if junction.note is not None:
            self.log.notes.append(junction.note)
        if junction.kind == "overlap" and not self._last.c_ptp:
            word = "c_speed" if self._last.c_cp is None else "c_cp"
            said = f"{word} next to a ptp move: the ramps overlap, as with c_ptp"
            self.log.note(self._last, "blend", said)
        self.log.describe(
            self._place, corner=junction.corner, blend=junction.blend, reach=junction.reach
        )
        for place in self._idle:  # passed in the same way
            self.log.describe(place, blend=junction.blend)
