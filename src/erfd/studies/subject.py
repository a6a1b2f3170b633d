"""What is studied: a program or a motion on a robot, with all that a verification is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..cell.model import Cell
from ..cell.reader import cell_of
from ..errors import InputError
from ..ground.arguments import choice_of, flag_of, instance_of, number_of
from ..ground.arrays import finite_vector
from ..ground.examples import program_path
from ..lirl import SignalSchedule, interpret, read_signal_schedule
from ..lirl.checker.check import parse_and_check
from ..lirl.program_file import read_program
from ..planning.moves import StepError
from ..planning.plan import Failure
from ..planning.planner import plan
from ..planning.trajectory import Trajectory
from ..robot.library import RobotLike, robot_of
from ..robot.model import Robot
from ..robot.payload import Payload, payload_of
from ..robot.pose import Pose
from ..verification.checks import parts_of_cycle, refined
from ..verification.trial import TrialMotion
from ..verification.verify import is_path

MOST_MOVES = 60
"""Moves of a program whose margins are kept one by one."""
SETUP = ("tool", "wrench", "payload", "dt", "q0", "signals", "cell", "turning", "adapt", "follow",
         "torque_path", "pause", "strict")  # fmt: skip
"""What `study` takes as `verify` does."""


@dataclass(frozen=True, slots=True, eq=False)
class MotionPiece:
    """A move of a program: its kind, name and line."""

    kind: str = "motion"
    name: str = ""
    line: int = 0

    def __str__(self) -> str:
        return f"line {self.line}: {self.kind} {self.name}".rstrip() if self.line else self.kind


@dataclass(frozen=True, slots=True, eq=False)
class PlannedMotion:
    """A motion of a geometry: `own` (N,) says where the program itself says what is carried.

    `pieces` are its moves, `ends` (pieces,) the first cycle after each of them, `stops` the points
    where it stands.
    """

    trajectory: Trajectory
    payloads: tuple[Payload | None, ...]
    own: NDArray[np.bool_]
    failures: tuple[Failure, ...] = ()
    pieces: tuple[MotionPiece, ...] = (MotionPiece(),)
    ends: NDArray[np.int64] | None = None
    stops: frozenset[int] = frozenset()


@dataclass(frozen=True, eq=False)
class Subject:
    """A program (`text`) or a `trajectory` on a robot, and the set-up that does not vary."""

    robot: Robot
    text: str | None
    trajectory: Trajectory | None
    name: str
    wrench: tuple[float, ...]
    payload: Payload | None
    dt: float | None = None
    q0: tuple[float, ...] | None = None
    signals: SignalSchedule | None = None
    cell: Cell | None = None
    turning: Any = None
    adapt: Any = None
    follow: str = "velocity"
    torque_path: str = "virtual-work"
    pause: float = 0.0
    strict: bool = False

    def planned(self, robot: Robot, speed: float = 1.0) -> PlannedMotion:
        """Plan the motion for a geometry of the robot, so many times as fast.

        Raises:
            InputError: A line cannot be planned at all.
        """
        whole = self._program(robot) if self.text is not None else self._motion()
        return whole if speed == 1.0 else _faster(robot, whole, speed)

    def _motion(self) -> PlannedMotion:
        motion = self.trajectory
        assert motion is not None
        own = np.zeros(len(motion), dtype=bool)
        ends = np.array([len(motion) - 1])
        return PlannedMotion(motion, (self.payload,) * len(motion), own, ends=ends)

    def _program(self, robot: Robot) -> PlannedMotion:
        assert self.text is not None
        parts, _ = parts_of_cycle(robot, self.dt)
        program, _ = parse_and_check(self.text, robot)
        steps = interpret(program, robot, signals=self.signals)
        # one of its own, to be told from what the program says, whatever that weighs
        given = Payload(0.0) if self.payload is None else replace(self.payload)
        options = {"turning": self.turning, "adapt": self.adapt}
        try:
            found = plan(robot, steps, q0=self.q0, payload=given, **options)
        except StepError as error:
            raise InputError(f"{self.name}: line {error.line}: {error.sentence}") from None
        found = refined(found, parts)
        own = np.array([payload is not given for payload in found.payloads])
        moves = [MotionPiece(move.kind, move.name, move.line) for move in found.moves]
        ends = np.searchsorted(found.move[1:], np.arange(len(moves)), side="right")
        blends = zip(found.moves, ends.tolist(), strict=True)
        stops = frozenset(end for move, end in blends if move.blend == "stop" and end > 0)
        if not moves or len(moves) > MOST_MOVES:
            moves, ends = [MotionPiece("program")], np.array([len(found.trajectory) - 1])
        ends[-1] = len(found.trajectory) - 1
        carried = tuple(p if mine else self.payload
                        for p, mine in zip(found.payloads, own, strict=True))  # fmt: skip
        return PlannedMotion(found.trajectory, carried, own, found.failures, tuple(moves),
                             ends.astype(np.int64), stops)  # fmt: skip


def _faster(robot: Robot, whole: PlannedMotion, speed: float) -> PlannedMotion:
    """The motion so many times as fast, as the advice of a verification tries it."""
    trial = TrialMotion(robot, whole.trajectory, whole.payloads, stops=whole.stops)
    trajectory, nearest = trial.at_speed(speed)
    payloads = tuple(whole.payloads[k] for k in nearest)
    assert whole.ends is not None
    ends = np.searchsorted(np.array(nearest[1:]), whole.ends, side="right").astype(np.int64)
    ends[-1] = len(trajectory) - 1
    for first, last in pairwise(range(len(ends))):
        ends[last] = max(ends[last], ends[first])
    own = whole.own[nearest]
    return PlannedMotion(trajectory, payloads, own, whole.failures, whole.pieces, ends)


def subject_of(what: Any, robot: RobotLike, name: str, setup: Mapping[str, Any]) -> Subject:
    """The subject of a study from what `study` is given, checked."""
    arm = robot_of(robot)
    if not arm.drives:
        raise InputError(f"robot {arm.name!r}: expected drives, found none in its file")
    unknown = set(setup) - set(SETUP)
    if unknown:
        found = ", ".join(sorted(unknown))
        raise TypeError(f"study: expected the arguments {', '.join(SETUP)}, found {found}")
    setup = dict(setup)
    text, trajectory = None, None
    if isinstance(what, Trajectory):
        trajectory = what
        for key in ("dt", "q0", "signals", "turning", "adapt"):
            if setup.get(key) is not None:
                raise InputError(f"{key}: expected a program to go with it, found a trajectory")
        if what.n != arm.n:
            expected = f"{arm.n} joints for robot {arm.name!r}"
            raise InputError(f"trajectory: expected {expected}, found {what.n}")
        name = name or "the motion"
    elif is_path(what):
        path = program_path(what)
        text, name = read_program(path), name or path.stem
    elif isinstance(what, str):
        text, name = what, name or "the program"
    else:
        raise InputError(f"study: expected a program or an erfd.Trajectory, found {what!r:.60}")
    tool = setup.pop("tool", None)
    if tool is not None:
        arm = replace(arm, tool=instance_of("tool", tool, Pose))
    if setup.get("cell") is not None:
        setup["cell"] = cell_of(setup["cell"])
        arm = setup["cell"].placed(arm)  # once: its mount may vary
        setup["cell"] = replace(setup["cell"], mount=None)
    signals = setup.get("signals")
    if isinstance(signals, str | Path):
        setup["signals"] = read_signal_schedule(signals)
    if setup.get("q0") is not None:
        setup["q0"] = tuple(finite_vector("q0", setup["q0"], arm.n).tolist())
    setup["wrench"] = _wrench(setup.get("wrench"))
    setup["payload"] = payload_of(setup.get("payload"))
    setup["pause"] = number_of("pause", setup.get("pause", 0.0), "a time >= 0 s")
    if setup["pause"] < 0:
        raise InputError(f"pause: expected a time >= 0 s, found {setup['pause']:g}")
    setup["strict"] = flag_of("strict", setup.get("strict", False))
    choice_of("follow", setup.setdefault("follow", "velocity"), ("velocity", "position"))
    paths = ("virtual-work", "diagonal")
    choice_of("torque_path", setup.setdefault("torque_path", paths[0]), paths)
    return Subject(arm, text, trajectory, name, **setup)


def _wrench(value: ArrayLike | None) -> tuple[float, ...]:
    if value is None:
        return (0.0,) * 6
    return tuple(finite_vector("wrench", value, 6).tolist())


def joined(pieces: Sequence[MotionPiece]) -> list[str]:
    """The names of the pieces, each once."""
    names: list[str] = []
    for k, piece in enumerate(pieces):
        text = str(piece)
        names.append(text if text not in names else f"{text} ({k + 1})")
    return names
