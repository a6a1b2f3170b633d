"""The whole chain for a trial: steps of the program, plan, Algorithm 1, continuous load."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
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
from ...robot.model import Robot
from ...robot.payload import Payload
from ...robot.pose import Pose, Vec3
from ...run.events import Event
from ...run.run import Run
from ..checks import refined
from ..continuous import ContinuousLoad, LoadRow, continuous_load
from ..result import Verification
from ..trial import Deadline
from ..verify import map_steps
from .values import Caps, capped

if TYPE_CHECKING:
    from ...cell.model import Cell

UNSAID = Payload(0.0)
"""Stands, by its identity, for the payload of the start in a plan that is run with several."""
FEW_MOVES = 40
"""A longer program is tried in the pieces between its stops."""

Change = Callable[[Step], Step]


@dataclass(frozen=True, slots=True)
class Outcome:
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
class Setup:
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
    ) -> Setup:
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
    """Steps from one stop to the next, from joint positions `q0`.

    `unsaid`: nothing was said about the payload yet; else it is `payload`.
    """

    steps: tuple[Step, ...]
    q0: Array
    unsaid: bool
    payload: Payload | None

    @property
    def key(self) -> tuple[Any, ...]:
        """What its outcome depends on beside caps; passes of a loop may be alike."""
        places = tuple(np.round(self.q0, 12).tolist())
        return self.steps, places, self.unsaid, self.payload


class Chain:
    """Tries a program with capped values, or otherwise changed, in one setup.

    What a trial has found is kept: one that changes a line of a long program tries again only the
    pieces between stops in which that line is.
    """

    def __init__(self, setup: Setup, deadline: Deadline | None = None):
        self.setup, self.deadline = setup, deadline or Deadline()
        self.trials = 0
        self._known: dict[Any, Outcome] = {}
        self._pieces: list[tuple[Any, _Piece, frozenset[int]]] | None = None

    def attempt(self, caps: Caps) -> Outcome:
        """Try the program with caps, piece by piece if it is long."""
        if self._pieces is None:
            self._pieces = self._cut()
        if not self._pieces:
            return self.whole(caps)
        outcomes = []
        for number, piece, lines in self._pieces:
            own = {key: cap for key, cap in caps.items() if key[0] in lines}
            known = (number, tuple(sorted(own.items())))
            if known not in self._known:
                self._known[known] = self._piece(piece, own)
            outcomes.append(self._known[known])
        return _joined(outcomes)

    def whole(self, caps: Caps) -> Outcome:
        """Try the whole program with caps."""
        key = tuple(sorted(caps.items()))
        if key not in self._known:
            self._known[key] = self.changed(lambda step: capped(step, caps))
        return self._known[key]

    def changed(self, change: Change, setup: Setup | None = None, look: bool = False) -> Outcome:
        """Try the whole program, each of its steps changed; `look`: around in the cell, too."""
        setup = setup or self.setup
        return self._played(
            lambda: _plan(setup, setup.steps(change), setup.q0, UNSAID), setup, look
        )

    def _piece(self, piece: _Piece, caps: Caps) -> Outcome:
        steps = (capped(step, caps) for step in piece.steps)
        payload = UNSAID if piece.unsaid else piece.payload
        return self._played(lambda: _plan(self.setup, steps, piece.q0, payload), self.setup)

    def _played(self, planned: Callable[[], Plan], setup: Setup, look: bool = False) -> Outcome:
        """The outcome of a plan with all payloads of the start; mistakes are outcomes, too."""
        self.deadline.check()
        self.trials += 1
        try:
            made = planned()
            if made.failures:
                failure = made.failures[0]
                return Outcome(sentence=f"line {failure.line}: {failure.sentence}", path=True)
            if look and _touches(setup, made):
                return Outcome(sentence="the arm touches its cell on the way", path=True)
            return _joined([_outcome(setup, made, payload) for payload in setup.payloads], 1)
        except ErfdError as error:  # at other times it may wait for ever, or last too long
            return Outcome(sentence=str(error))

    def _cut(self) -> list[tuple[Any, _Piece, frozenset[int]]]:
        """The pieces of a long program between its stops; none of a short one."""
        steps = list[Step]()

        def noted(step: Step) -> Step:
            steps.append(step)
            return step

        setup = self.setup
        try:
            made = _plan(setup, setup.steps(noted), setup.q0, UNSAID, whole=True)
        except ErfdError:
            return []
        timed = any(isinstance(step, ReadTime) for step in steps)
        if timed or setup.loads or len(made.moves) <= FEW_MOVES or made.failures:
            return []
        pieces, numbers = list[tuple[Any, _Piece, frozenset[int]]](), dict[Any, int]()
        for piece in _between_stops(steps, made):
            number = numbers.setdefault(piece.key, len(numbers))
            lines = frozenset(s.line for s in piece.steps if isinstance(s, Move))
            pieces.append((number, piece, lines))
        return pieces if len(pieces) > 1 else []


def _plan(
    setup: Setup,
    steps: Iterable[Step],
    q0: Array,
    payload: Payload | None,
    whole: bool = False,
) -> Plan:
    """Plan steps, in parts of the cycle; in `whole` cycles if asked for."""
    made = plan(setup.robot, steps, q0=q0, payload=payload, **setup.planning)
    return made if whole else refined(made, setup.parts)


def _between_stops(steps: list[Step], made: Plan) -> Iterator[_Piece]:
    """The pieces of a program between the stops of its plan."""
    q0, unsaid, payload = made.trajectory.q[0], True, None
    begin: tuple[Array, bool, Payload | None] = (q0, unsaid, payload)
    place, piece = -1, list[Step]()
    for step in steps:
        piece.append(step)
        if isinstance(step, SetPayload):
            unsaid, payload = False, step.payload
        if isinstance(step, Halt):
            break
        if not isinstance(step, Move | Pause):
            continue
        place += 1
        if made.moves[place].blend == "stop":
            row = int(np.searchsorted(made.move, place, side="right")) - 1
            yield _Piece(tuple(piece), *begin)
            begin = (made.trajectory.q[row], unsaid, payload)
            piece = []
    if piece:
        yield _Piece(tuple(piece), *begin)


def _touches(setup: Setup, made: Plan) -> bool:
    """Whether the arm is in its cell on the planned path."""
    if setup.cell is None:
        return False
    from ...cell.clearance import clearance

    robot = replace(setup.robot, mount=setup.robot.mount @ Pose(setup.moved))
    return clearance(robot, setup.cell, made.trajectory.q).smallest <= 0


def _outcome(setup: Setup, made: Plan, payload: Payload | None) -> Outcome:
    """The outcome of a planned motion with one payload of the start."""
    payloads = [payload if carried is UNSAID else carried for carried in made.payloads]
    run = achievable(setup.robot, made.trajectory, wrench=setup.wrench, payload=payloads)
    blamed: dict[int, Event | LoadRow] = {}
    for event in run.events:
        if event.fails or setup.strict:
            row = int(np.searchsorted(run["t"], event.start + 1e-9, side="right"))
            line = int(made.lines[min(row, len(run) - 1)])
            before = blamed.get(line)
            if before is None or event.part > before.part:
                blamed[line] = event
    if not blamed and setup.loads:
        blamed |= _load_blame(continuous_load(run, setup.pause), run, made)
    return Outcome(blamed, made.duration)


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


def _joined(outcomes: list[Outcome], times: int = 0) -> Outcome:
    """The outcome of several pieces one after the other; of one motion with several payloads."""
    blamed: dict[int, Event | LoadRow] = {}
    for outcome in outcomes:
        for line, failure in outcome.blamed.items():
            if line not in blamed or failure.part > blamed[line].part:
                blamed[line] = failure
    seconds = [outcome.seconds for outcome in outcomes]
    bad = next((outcome for outcome in outcomes if outcome.sentence), Outcome())
    total = seconds[0] if times else sum(seconds)
    return replace(bad, blamed=blamed, seconds=total)
