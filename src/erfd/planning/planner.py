"""The path planner: steps of a program in, a joint trajectory at a fixed cycle time out."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Sequence
from dataclasses import replace
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError
from ..ground.arguments import choice_of, instance_of, number_of
from ..ground.arrays import Array, finite_vector
from ..robot.library import RobotLike, robot_of
from ..robot.limits import JointLimits
from ..robot.model import TURNINGS, Robot, Turning
from ..robot.payload import Payload, PayloadLike, payload_of
from ..robot.pose import Pose, as_mat3
from .chain_builder import ChainBuilder, MoveLog
from .legs import Leg
from .move_chain import LONGEST, sample_chain, too_long
from .moves import Halt, Moment, Move, Pause, ReadTime, SetOutput, SetPayload, Step, StepError
from .notes import NOT_SLOWED, redundancy_notes, singularity_notes, slowing_notes, turn_notes
from .path.orientation import rotation_vector
from .plan import Failure, Note, Plan, PlannedMove, PlannedSignal
from .targets import check_move, tool_frame
from .trajectory import Trajectory


class Planner:
    """Plans a program step by step: `add` steps, ask for `now`, `finish`.

    Moves are kept until they have to come to a stop, since how a move ends depends on the next one.
    `q0` (n,) is where the robot stands at first; left out, all joints are at zero, or at the limit
    next to zero. `tool` replaces the robot's tool frame. `payload` is what the robot carries until
    a step says something else. `turning` overrides what moves and robot say about it; `adapt`
    "axes" fits the speed on paths to the limits of the axes.
    """

    def __init__(
        self,
        robot: Robot,
        dt: float | None = None,
        *,
        q0: ArrayLike | None = None,
        tool: Pose | None = None,
        payload: Payload | None = None,
        turning: Turning | None = None,
        adapt: Literal["axes"] | None = None,
    ):
        dt = robot.cycle_time if dt is None else dt
        if not (math.isfinite(dt) and dt > 0):
            raise InputError(f"dt: expected a time > 0 s, found {dt}")
        choice_of("turning", turning, (None, *TURNINGS))
        choice_of("adapt", adapt, (None, "axes"))
        self.robot, self.dt, self.turning, self.adapt = robot, float(dt), turning, adapt
        self.tool = robot.tool if tool is None else instance_of("tool", tool, Pose)
        self._log = MoveLog()
        self._start_given = q0 is not None
        q = _start(robot, q0)
        self._chain = ChainBuilder(robot, self.tool, q, self._log)
        self._q, self._poses = [q[None]], [np.eye(4)[None]]  # whose tool it is the end tells
        self._places: list[NDArray[np.intp]] = []
        self._count = 1  # samples so far
        self._payloads: list[tuple[int, Payload | None]] = [(0, payload)]
        self._outputs: list[tuple[int, SetOutput]] = []
        self._halted = False

    @property
    def _time(self) -> float:
        """The time in s at the last sample."""
        return (self._count - 1) * self.dt

    def add(self, step: Step) -> None:
        """Add the next step; after `Halt` nothing more happens. For `ReadTime` there is `now`."""
        if self._halted:
            return
        moves = self._log.moves
        if isinstance(step, Move):
            check_move(step, self.robot.n)
            tool = self.tool if step.tool is None else step.tool
            step = replace(step, turning=self.turning or step.turning or self.robot.turning)
            self._log.enter(PlannedMove(step.kind, step.line, step.name, -1.0, -1.0), tool)
            for legs in self._chain.add(len(moves) - 1, step, tool):
                self._run(legs)
        elif isinstance(step, Pause):
            self._wait(step)
        elif isinstance(step, SetPayload):
            self._payloads.append((len(moves), step.payload))
        elif isinstance(step, SetOutput):
            self._outputs.append((len(moves), step))
        elif isinstance(step, Halt | ReadTime):
            self._stop()
            self._halted = isinstance(step, Halt)
        else:
            raise InputError(f"step: expected a step of planning.moves, found {step!r:.60}")

    def now(self) -> Moment:
        """Where the robot stands when all moves so far have come to a stop."""
        self._stop()
        pose = self._chain.frame(self._chain.tool)
        x, y, z = pose[:3, 3].tolist()
        q = tuple(self._chain.q.tolist())
        return Moment(self._time, q, (x, y, z), as_mat3(pose[:3, :3].tolist()))

    def finish(self) -> Plan:
        """The plan of all steps that were added."""
        self._stop()
        if not self._log.moves:
            self._log.enter(PlannedMove("wait", 0, "", 0.0, self.dt), self.tool)
        if self._count == 1:  # a trajectory has two points at least
            self._hold(1)
            self._log.describe(-1, start=0.0, end=self.dt)
        q, poses = np.concatenate(self._q), np.concatenate(self._poses)
        place = np.concatenate([self._places[0][:1], *self._places])
        poses[0] = tool_frame(self.robot, q[0], self._log.tools[place[0]])
        moves = _measured(self.robot, self._log, place, q, poses, self.dt)
        payloads: list[Payload | None] = []
        carried = [int(np.searchsorted(place, first)) for first, _ in self._payloads]
        for (_, payload), k, end in zip(
            self._payloads, carried, [*carried[1:], self._count], strict=True
        ):
            payloads += [payload] * (end - k)
        signals = [
            PlannedSignal(moves[k - 1].end if k else 0.0, out.signal, out.value, out.line)
            for k, out in self._outputs
        ]
        notes = self._log.notes + turn_notes(self.robot, q, place, moves)
        notes += redundancy_notes(self.robot, moves)
        notes += singularity_notes(self.robot, q, place, moves, self._log.tools, self.dt)
        if not self._start_given and moves[0].line:  # line 0: there is no move at all
            sentence = "no start is given, so the robot starts with its joints at zero"
            if q[0].any():
                sentence += " or at the limit next to it"
            notes.append(Note(moves[0].line, "start", sentence))
        return Plan(
            trajectory=Trajectory(self.dt * np.arange(self._count), q),
            lines=np.array([move.line for move in moves])[place],
            move=place,
            poses=poses,
            payloads=tuple(payloads),
            moves=tuple(moves),
            notes=_by_line(notes),
            failures=_by_line(self._log.failures),
            signals=tuple(signals),
            tools=tuple(self._log.tools),
        )

    def _stop(self) -> None:
        """Run the chain so far to its end."""
        legs = self._chain.legs()
        if legs:
            self._run(legs)

    def _run(self, legs: list[Leg]) -> None:
        """Sample a chain of legs, from rest to rest."""
        room, adapt = LONGEST - self._count, self.adapt == "axes"
        lost_from = self._log.lost_from
        samples = sample_chain(self.robot, legs, self.dt, room, adapt=adapt, lost_from=lost_from)
        if samples.failures:
            self._log.lost_from = min(lost_from, legs[0].places[0])
        for place, span in samples.spans.items():
            start, end = self._time + span.start, self._time + span.end
            self._log.describe(place, start=start, end=end, peak_speed=span.speed)
        for place, slowing in samples.slowings.items():
            if slowing.part < NOT_SLOWED:
                self._log.describe(place, slowed=slowing.part, limit=slowing.limit)
            samples.notes.extend(slowing_notes(self._log.moves[place], slowing))
        self._append(samples.q, samples.poses, samples.place)
        self._chain.settle(samples.q[-1])
        self._log.notes += samples.notes
        self._log.failures += samples.failures

    def _wait(self, step: Pause) -> None:
        """Stop, and stand still for a pause."""
        if not (math.isfinite(step.seconds) and step.seconds >= 0):
            raise StepError(step.line, f"wait: expected a time >= 0 s, found {step.seconds}")
        self._stop()
        if not step.seconds / self.dt <= LONGEST - self._count:
            raise too_long(step.line, step.seconds, self.dt)
        count = math.ceil(step.seconds / self.dt - 1e-9)
        end = self._time + count * self.dt
        self._log.enter(PlannedMove("wait", step.line, "", self._time, end), self._chain.tool)
        self._hold(count)

    def _hold(self, count: int) -> None:
        """Stand still for so many cycles; the last move of the log gets them."""
        q, pose = self._chain.q, self._chain.frame(self._chain.tool)
        place = np.full(count, len(self._log.moves) - 1)
        self._append(
            np.broadcast_to(q, (count, len(q))), np.broadcast_to(pose, (count, 4, 4)), place
        )

    def _append(self, q: Array, poses: Array, place: NDArray[np.intp]) -> None:
        """Append samples; `place` (N,) is the move of each in the log."""
        self._q.append(q)
        self._poses.append(poses)
        self._places.append(place)
        self._count += len(q)


Entry = TypeVar("Entry", Note, Failure)


def _by_line(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Notes or failures in the order of program lines, repeated ones (of a loop) once."""
    once: dict[tuple[int, str, str], Entry] = {}
    for entry in entries:
        once.setdefault((entry.line, entry.kind, entry.sentence), entry)
    return tuple(sorted(once.values(), key=lambda entry: entry.line))


def _start(robot: Robot, q0: ArrayLike | None) -> Array:
    """The joint positions (n,) at the start: `q0`, else zero or the limit next to it."""
    if q0 is None:
        limits = JointLimits.of(robot)
        return np.clip(np.zeros(robot.n), limits.lower, limits.upper)
    return finite_vector("q0", q0, robot.n)


def _measured(
    robot: Robot, log: MoveLog, place: NDArray[np.intp], q: Array, poses: Array, dt: float
) -> list[PlannedMove]:
    """The moves, with length, turn and largest speed of the tool filled in for ptp moves."""
    result: list[PlannedMove] = []
    for k, move in enumerate(log.moves):
        if move.start < 0:  # nothing moved
            end = result[-1].end if result else 0.0
            move = replace(move, start=end, end=end)
        first, last = (int(i) for i in np.searchsorted(place, [k, k + 1]))
        if move.kind == "ptp" and last > first:
            frames = poses[max(first - 1, 0) : last]
            if first > 0 and log.tools[place[first - 1]] != log.tools[k]:  # from where it starts
                start = tool_frame(robot, q[first - 1], log.tools[k])
                frames = np.concatenate([start[None], frames[1:]])
            steps = np.linalg.norm(np.diff(frames[:, :3, 3], axis=0), axis=1)
            turn = rotation_vector(frames[0, :3, :3].T @ frames[-1, :3, :3])
            move = replace(
                move,
                length=float(steps.sum()),
                turn=math.sqrt(turn @ turn),
                peak_speed=float(steps.max(initial=0.0)) / dt,
            )
        result.append(move)
    return result


def plan(
    robot: RobotLike,
    steps: Iterable[Step],
    dt: float | None = None,
    *,
    q0: ArrayLike | None = None,
    tool: Pose | None = None,
    payload: PayloadLike | None = None,
    turning: Turning | None = None,
    adapt: Literal["axes"] | None = None,
) -> Plan:
    """Plan the steps of a program: a joint trajectory at a fixed cycle time.

    Args:
        robot: The robot.
        steps: Steps of `erfd.planning.moves`; a generator gets a `Moment` for each `ReadTime`.
        dt: Cycle time in s; None: that of the robot's controller.
        q0: Joint positions at the start in rad (m), (n,); None: all at zero, or at the limit next
            to zero.
        tool: Replaces the robot's tool frame.
        payload: What the robot carries until a step says something else: a `Payload`, or kg at
            the tool point.
        turning: How the tool turns on paths, whatever moves and robot say: "even", evenly within
            each move, or "smooth", with rates that go over into those of the neighbours.
        adapt: "axes" lowers the speed on paths where an axis or motor would exceed its limit of
            speed or acceleration; the path stays as it is.

    Returns:
        The trajectory, the program line of every sample, notes, and failures: what is out of reach.

    Raises:
        InputError: A step that makes no sense, or a program longer than 500,000 cycles.

    >>> import erfd
    >>> from erfd.planning.moves import JointTarget, Move
    >>> from erfd.planning.planner import plan
    >>> plan(erfd.load("lola15"), [Move("ptp", (JointTarget((1.0, 0.5)),), line=1)])
    Plan(1 moves in 1.04 s)
    """
    robot, payload = robot_of(robot), payload_of(payload)
    if not isinstance(steps, Iterable) or isinstance(steps, np.ndarray):
        raise InputError(f"steps: expected steps of erfd.planning.moves, found {steps!r:.60}")
    dt = None if dt is None else number_of("dt", dt, "a time in s")
    planner = Planner(robot, dt, q0=q0, tool=tool, payload=payload, turning=turning, adapt=adapt)
    source = iter(steps)
    answer: Moment | None = None
    while True:
        try:
            step = source.send(answer) if isinstance(source, Generator) else next(source)
        except StopIteration:
            break
        answer = planner.now() if isinstance(step, ReadTime) else None
        planner.add(step)
        if isinstance(step, Halt):
            break
    return planner.finish()
