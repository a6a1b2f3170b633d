"""The whole chain for a trial: steps of the program, plan, Algorithm 1, continuous load."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...achieve.achievable import achievable
from ...errors import ErfdError
from ...ground.arrays import Array
from ...lirl import SignalSchedule, interpret
from ...lirl.syntax import Program
from ...planning.moves import Halt, Move, Pause, ReadTime, SetPayload, Step
from ...planning.plan import Plan
from ...planning.planner import plan
from ...planning.trajectory import Trajectory
from ...robot.model import Robot
from ...robot.payload import Payload
from ...robot.pose import Pose, Vec3
from ...run.events import Event
from ...run.run import Run
from ..checks import cannot_hold, refined
from ..continuous import ContinuousLoad, LoadRow, continuous_load
from ..result import Verification
from ..trial import Deadline
from ..verify import map_steps
from .values import Caps, capped

if TYPE_CHECKING:
    from ...cell.model import Cell

UNSAID = Payload(0.0)
"""Stands, by its identity, for the payload of the start in a plan that is run with several."""
MOST_POINTS = 2_000_000
"""Points of plans that are kept: some 400 MB."""

Change = Callable[[Step], Step]


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """The outcome of a trial: what fails at which line, or why there is no motion at all.

    `blamed` has the worst failure by line, `seconds` is the duration of the motion, `path` says
    whether it is the path that cannot be done, whatever the speed.
    """

    blamed: Mapping[int, Event | LoadRow] = field(default_factory=dict)
    seconds: float = 0.0
    sentence: str = ""
    path: bool = False

    @property
    def feasible(self) -> bool:
        """Whether nothing fails."""
        return not self.blamed and not self.sentence


@dataclass(frozen=True, slots=True, eq=False)
class RepairSetup:
    """What a program is tried with: robot, loads, and the options of `verify`.

    `payloads` are those of the start, of which each has to pass; `parts` of a controller's cycle
    are computed. `loads` says whether the continuous load has limits.
    """

    robot: Robot
    program: Program
    signals: SignalSchedule | None
    q0: Array
    wrench: tuple[float, ...] | None
    payloads: tuple[Payload | None, ...]
    parts: int
    planning: Mapping[str, Any]
    strict: bool
    pause: float
    loads: bool
    cell: Cell | None = None
    moved: Vec3 = (0.0, 0.0, 0.0)
    """Where in its base the robot stands in the cell, m."""

    @classmethod
    def of(
        cls,
        verification: Verification,
        signals: SignalSchedule | None,
        robot: Robot | None = None,
        payloads: tuple[Payload | None, ...] | None = None,
    ) -> RepairSetup:
        """The setup of a verification, with another robot or other payloads if they are given."""
        found, load = verification, verification.continuous
        assert found.program is not None
        dt = found.plan.trajectory.dt
        return cls(
            found.robot if robot is None else robot,
            found.program,
            signals,
            found.plan.trajectory.q[0],
            found.wrench,
            (found.payloads[0],) if payloads is None else payloads,
            round(found.robot.cycle_time / dt),
            found.planning,
            found.strict,
            0.0 if load is None else load.pause,
            load is not None and any(math.isfinite(row.limit) for row in load.rows),
            found.cell,
        )

    def steps(self, change: Change) -> Iterator[Step]:
        """The steps of the program, each of them changed."""
        return map_steps(interpret(self.program, self.robot, signals=self.signals), change)


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """Steps from one stop to the next, from joint positions `q0` and with the payload there.

    `number` is that of the first piece that is like it: passes of a loop may be alike; `lines` are
    those of its moves.
    """

    number: int
    steps: tuple[Step, ...]
    q0: Array
    payload: Payload | None
    lines: tuple[int, ...]


class TrialChain:
    """Tries a program with capped values, or otherwise changed, in one setup.

    What it has found is kept: what lies between two stops is planned and run anew only if a value
    in it changes, or the velocity with which the piece before ends: at the sample of a stop the arm
    is in its place, but still has the velocity of the cycle before.
    """

    def __init__(self, setup: RepairSetup, deadline: Deadline | None = None):
        self.setup, self.deadline = setup, deadline or Deadline()
        self.trials = 0
        self._outcomes: dict[Any, TrialOutcome] = {}
        self._plans: dict[Any, Plan] = {}
        self._points = 0

    @cached_property
    def given(self) -> tuple[list[Step], Plan]:
        """The steps of the program as it is, and their plan."""
        steps = list[Step]()

        def noted(step: Step) -> Step:
            self.deadline.check()  # to plan a long program takes long
            steps.append(step)
            return step

        setup = self.setup
        return steps, _plan(setup, setup.steps(noted), setup.q0, UNSAID)

    def _in_time(self, change: Change) -> Change:
        """A change that raises a `TimeIsUpError` once the time is up."""

        def checked(step: Step) -> Step:
            self.deadline.check()
            return change(step)

        return checked

    @cached_property
    def _pieces(self) -> list[_Piece]:
        """The program between its stops; none if it asks where the robot is, or what time it is."""
        steps, made = self.given
        timed = any(isinstance(step, ReadTime) for step in steps)
        return [] if timed or made.failures else list(_between_stops(steps, made))

    def sagging(self) -> tuple[int, int, Payload | None] | None:
        """A line on whose path a motor (from 1) cannot hold the arm, with which payload, if any."""
        made, setup = self.given[1], self.setup
        for start in setup.payloads:
            carried = [start if payload is UNSAID else payload for payload in made.payloads]
            bad = cannot_hold(setup.robot, made.trajectory.q, carried, setup.wrench)
            if bad.any():
                row, motor = (int(k[0]) for k in bad.nonzero())
                return int(made.lines[row]), motor + 1, carried[row]
        return None

    def attempt(self, caps: Caps) -> TrialOutcome:
        """Try the program with caps."""
        key = tuple(sorted(caps.items()))
        if key not in self._outcomes:
            if not self._pieces:
                outcome = self.changed(lambda step: capped(step, caps))
            elif self.setup.loads or self.setup.parts > 1:
                # loads are those of all of the motion; in parts of a cycle it is late everywhere
                planned = (made for _, made in self._planned(caps))
                outcome = self._played(lambda: _one_plan([*planned]), self.setup)
            else:
                outcome = self._apart(caps)
            self._outcomes[key] = outcome
        return self._outcomes[key]

    def _planned(self, caps: Caps) -> Iterator[tuple[Any, Plan]]:
        """The plan of every piece, with a key that tells it from others."""
        by_line: dict[int, list[tuple[tuple[int, str], float]]] = {}
        for item in sorted(caps.items()):
            by_line.setdefault(item[0][0], []).append(item)
        for piece in self._pieces:
            own = tuple(item for line in piece.lines if line in by_line for item in by_line[line])
            key = (piece.number, own)
            if key not in self._plans:
                self.deadline.check()
                if self._points > MOST_POINTS:
                    self._points = 0
                    self._plans.clear()
                steps = (capped(step, dict(own)) for step in piece.steps)
                self._plans[key] = _plan(self.setup, steps, piece.q0, piece.payload)
                self._points += len(self._plans[key].lines)
            yield key, self._plans[key]

    def _apart(self, caps: Caps) -> TrialOutcome:
        """Try piece by piece: each begins with the state in which the one before has to end."""
        try:
            planned = [*self._planned(caps)]
        except ErfdError as error:
            return TrialOutcome(sentence=str(error))
        outcomes, before, rates = list[TrialOutcome](), None, None
        for k, (key, made) in enumerate(planned):
            last = k == len(planned) - 1
            known = (before, key, last)
            if known not in self._outcomes:
                whole = made if rates is None else _beginning(made, rates)
                self._outcomes[known] = self._played(lambda: whole, self.setup, last=last)  # noqa: B023
            outcomes.append(self._outcomes[known])
            before, rates = key, made.trajectory.qd[-1]
        seconds = sum(outcome.seconds for outcome in outcomes)
        return replace(_all_of(outcomes), seconds=seconds)

    def reaches(self, change: Change, setup: RepairSetup) -> bool:
        """Whether a changed program can be planned, touches nothing, and the arm can be held."""
        self.deadline.check()
        try:
            made = _plan(setup, setup.steps(change), setup.q0, UNSAID)
        except ErfdError:
            return False
        if made.failures or _touches(setup, made):
            return False
        q = made.trajectory.q
        loads = ([p if c is UNSAID else c for c in made.payloads] for p in setup.payloads)
        return not any(cannot_hold(setup.robot, q, load, setup.wrench).any() for load in loads)

    def changed(
        self, change: Change, setup: RepairSetup | None = None, look: bool = False
    ) -> TrialOutcome:
        """Try the whole program, each of its steps changed; `look`: around in the cell, too."""
        setup = setup or self.setup
        return self._played(
            lambda: _plan(setup, setup.steps(self._in_time(change)), setup.q0, UNSAID), setup, look
        )

    def _played(
        self, planned: Callable[[], Plan], setup: RepairSetup, look: bool = False, last: bool = True
    ) -> TrialOutcome:
        """The outcome of a plan with all payloads of the start; mistakes are outcomes, too."""
        self.deadline.check()
        self.trials += 1
        try:
            made = planned()
            if made.failures:
                failure = made.failures[0]
                return TrialOutcome(sentence=f"line {failure.line}: {failure.sentence}", path=True)
            if look and _touches(setup, made):
                return TrialOutcome(sentence="the arm touches its cell on the way", path=True)
            return _all_of([_outcome(setup, made, p, last) for p in setup.payloads])
        except ErfdError as error:  # at other times it may wait for ever, or last too long
            return TrialOutcome(sentence=str(error))


def _plan(setup: RepairSetup, steps: Iterable[Step], q0: Array, payload: Payload | None) -> Plan:
    """Plan steps in the cycles of the controller."""
    return plan(setup.robot, steps, q0=q0, payload=payload, **setup.planning)


def _one_plan(plans: Sequence[Plan]) -> Plan:
    """Plans one after the other, each of which begins where the one before ends."""
    if len(plans) == 1:
        return plans[0]
    rests = [slice(int(k > 0), None) for k in range(len(plans))]  # their first points are the last

    def joined(columns: Iterable[Any]) -> Any:
        return np.concatenate([c[rest] for c, rest in zip(columns, rests, strict=True)])

    q = joined(made.trajectory.q for made in plans)
    before = np.cumsum([0, *(len(made.moves) for made in plans[:-1])])
    payloads = (made.payloads[rest] for made, rest in zip(plans, rests, strict=True))
    return replace(
        plans[0],
        trajectory=Trajectory(plans[0].trajectory.dt * np.arange(len(q)), q),
        lines=joined(made.lines for made in plans),
        move=joined(made.move + k for made, k in zip(plans, before, strict=True)),
        poses=joined(made.poses for made in plans),
        payloads=tuple(carried for some in payloads for carried in some),
        moves=tuple(move for made in plans for move in made.moves),
        tools=(),
    )


def _between_stops(steps: Iterable[Step], made: Plan) -> Iterator[_Piece]:
    """The pieces of a program between the stops of its plan; each of them takes some time."""
    numbers: dict[Any, int] = {}
    payload: Payload | None = UNSAID
    first, begin, place, piece = payload, 0, -1, list[Step]()
    for step in steps:
        piece.append(step)
        if isinstance(step, SetPayload):
            payload = step.payload
        if isinstance(step, Halt):
            return
        if not isinstance(step, Move | Pause):
            continue
        place += 1
        row = int(np.searchsorted(made.move, place, side="right")) - 1
        if made.moves[place].blend == "stop" and row > begin:
            q0 = made.trajectory.q[begin]
            key = (tuple(piece), tuple(np.round(q0, 12).tolist()), first, first is UNSAID)
            number = numbers.setdefault(key, len(numbers))
            lines = tuple(sorted({s.line for s in piece if isinstance(s, Move)}))
            yield _Piece(number, tuple(piece), q0, first, lines)
            begin, first, piece = row, payload, []


def _touches(setup: RepairSetup, made: Plan) -> bool:
    """Whether the arm is in its cell on the planned path."""
    if setup.cell is None:
        return False
    from ...cell.clearance import clearance

    robot = replace(setup.robot, mount=setup.robot.mount @ Pose(setup.moved))
    return clearance(robot, setup.cell, made.trajectory.q).smallest <= 0


def _beginning(made: Plan, rates: Array) -> Plan:
    """A plan that begins with joint velocities, those with which the one before ends."""
    given = made.trajectory
    qd = np.vstack([rates, given.qd[1:]])
    return replace(made, trajectory=Trajectory(given.t, given.q, qd))


def _outcome(setup: RepairSetup, made: Plan, payload: Payload | None, last: bool) -> TrialOutcome:
    """The outcome of a planned motion with one payload of the start.

    Of one that is not the `last`, the cycle in which it would come to rest does not count.
    """
    seconds, rows = made.duration, (len(made.trajectory) - 1) * setup.parts
    made = refined(made, setup.parts)
    payloads = [payload if carried is UNSAID else carried for carried in made.payloads]
    run = achievable(setup.robot, made.trajectory, wrench=setup.wrench, payload=payloads)
    blamed: dict[int, Event | LoadRow] = {}
    for event in run.events:
        if event.fails or setup.strict:
            row = int(np.searchsorted(run["t"], event.start + 1e-9, side="right"))
            if row > rows and not last:
                continue
            line = int(made.lines[min(row, len(run) - 1)])
            before = blamed.get(line)
            if before is None or event.part > before.part:
                blamed[line] = event
    if not blamed and setup.loads:
        blamed |= _load_blame(continuous_load(run, setup.pause), run, made)
    return TrialOutcome(blamed, made.duration if last else seconds)


def _load_blame(load: ContinuousLoad, run: Run, made: Plan) -> Iterator[tuple[int, LoadRow]]:
    """The lines whose motion loads a motor more than all of it does on the mean.

    A load that the supply or a peak has is blamed on the lines of the largest part of it.
    """
    for row in load.failures[:1]:
        if row.motor:
            share = run["u_a"][:, row.motor - 1] ** 2
        else:
            share = np.maximum((run["u_a"] * run["qd_a"]).sum(axis=1), 0.0)
        lines = made.lines[: len(run)]
        means = {int(line): float(share[lines == line].mean()) for line in np.unique(lines)}
        for line, mean in means.items():
            if mean >= float(share.mean()):
                yield line, row


def _all_of(outcomes: Sequence[TrialOutcome]) -> TrialOutcome:
    """The outcome of several: the worst at each line, the first sentence."""
    blamed: dict[int, Event | LoadRow] = {}
    for outcome in outcomes:
        for line, failure in outcome.blamed.items():
            if line not in blamed or failure.part > blamed[line].part:
                blamed[line] = failure
    bad = next((outcome for outcome in outcomes if outcome.sentence), outcomes[0])
    return replace(bad, blamed=blamed)
