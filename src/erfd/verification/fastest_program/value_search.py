"""The speeds and accelerations with which the planner's own motion is fastest, and can be done.

The planner's profiles are ramps, so that they cannot follow the fastest motion everywhere. From
what that has as its largest speeds and accelerations, and from the program's own values, the moves
that cannot be done are lowered until all can; then each is raised as far as it goes, in turn. The
number of trials is limited.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...achieve.achievable import achievable
from ...errors import ErfdError
from ...planning.moves import Move
from ...planning.plan import Plan
from ...planning.planner import plan
from ...planning.targets import tool_frame
from ...timing.timing import Timing
from ..checks import refined
from ..continuous import continuous_load
from ..result import Verification
from .values import LEAST, NAMES, MoveKey, Values, changed, key_of, rounded, values_of

FACTORS = (2.0, 1.4, 1.15, 1.05)
"""How much more of a value is tried, one after the other."""
LOWERINGS, LOWER = 120, 0.85
"""How often the moves of bad lines are lowered, and to which part of their speed."""
SWEEPS = 4
TRIALS = 250
"""How many plans are tried, at most,"""
MOST_CYCLES, FEWEST = 3_000_000, 12
"""and fewer of long programs: so many cycles in all, but a few plans in any case."""
GAIN = 1e-4
"""A value is raised if that saves this part of the time, at least."""
Pairs = dict[MoveKey, tuple[float, float]]
Tell = Callable[[float, str], None]


@dataclass(frozen=True, slots=True)
class ValueOutcome:
    """The outcome of a trial: the time in s, and the moves that cannot be done."""

    seconds: float
    moves: frozenset[MoveKey]


@dataclass(slots=True)
class Trials:
    """Plans with other values, and whether the motors can do them.

    `margin` of every torque is kept in reserve, `most` are the largest values of moves, if there
    are such.
    """

    verification: Verification
    margin: float
    most: Values = field(default_factory=dict)
    _known: dict[tuple[tuple[MoveKey, tuple[float, float]], ...], ValueOutcome] = field(
        default_factory=dict
    )

    def own(self, choose: Callable[[float, float], float] = max) -> Pairs:
        """The values that the program's moves have, of several passes the largest or the least."""
        found: Pairs = {}
        for step in self.verification.steps:
            if isinstance(step, Move):
                pair = values_of(step)
                before = found.get(key_of(step), pair)
                found[key_of(step)] = choose(pair[0], before[0]), choose(pair[1], before[1])
        return found

    def allowed(self, values: Values) -> Pairs:
        """The values as they are written, none above its largest."""
        result: Pairs = {}
        for key, pair in values.items():
            caps = self.most.get(key, (math.inf, math.inf))
            low = (min(pair[0], caps[0]), min(pair[1], caps[1]))
            result[key] = rounded(key[1], low)
        return result

    def seconds(self, values: Values) -> float:
        """The time that the program takes with these values, s; infinite if it cannot be done."""
        outcome = self.outcome(values)
        return math.inf if outcome.moves else outcome.seconds

    @property
    def over(self) -> bool:
        """Whether no more are to be made."""
        cycles = len(self.verification.plan.trajectory)
        return len(self._known) >= min(TRIALS, max(MOST_CYCLES // cycles, FEWEST))

    def outcome(self, values: Values) -> ValueOutcome:
        """What comes of these values."""
        key = tuple(sorted(values.items()))
        if key not in self._known:
            self._known[key] = self._tried(values)
        return self._known[key]

    def _tried(self, values: Values) -> ValueOutcome:
        """The same, planned and run."""
        v = self.verification
        steps = [changed(step, values) for step in v.steps]
        q0 = v.plan.trajectory.q[0]
        everywhere = frozenset(values)
        try:
            planned = refined(plan(v.robot, steps, q0=q0, payload=v.payloads[0], **v.planning), 1)
            run = achievable(
                v.robot, planned.trajectory, wrench=v.wrench, payload=list(planned.payloads)
            )
        except ErfdError:
            return ValueOutcome(math.inf, everywhere)
        if not planned.reachable:
            return ValueOutcome(math.inf, everywhere)
        bad = np.zeros(len(planned.lines), dtype=bool)
        dt = planned.trajectory.dt
        for event in run.events:
            if event.fails or v.strict:
                bad[int(event.start / dt) : math.ceil(event.end / dt) + 1] = True
        if self.margin:
            use = np.abs(run["u_a"]) / np.maximum(run["u_a_max"], 1e-300)
            bad[1 : len(use)] |= use[1:].max(axis=1) > 1 - self.margin + 1e-9
        moves = [planned.moves[place] for place in np.unique(planned.move[bad]).tolist()]
        blamed = frozenset((m.line, m.kind == "ptp") for m in moves) & everywhere
        if bad.any() and not blamed:
            blamed = everywhere
        if not blamed and continuous_load(run).failures:
            blamed = everywhere
        return ValueOutcome(planned.duration, blamed)


def best_values(trials: Trials, timing: Timing, tell: Tell) -> Pairs | None:
    """The values with which the program is fastest, and can be done; None if there are none."""
    v = trials.verification
    own = trials.own()
    best = trials.allowed(own)
    start = largest(timing, v.plan)
    start = trials.allowed({key: start.get(key, pair) for key, pair in own.items()})
    for values in (best, start):
        tell(0.0, "lower")
        found = _lowered(trials, values)
        if trials.seconds(found) < trials.seconds(best):
            best = found
    if trials.seconds(best) == math.inf:
        return None
    for sweep in range(SWEEPS):
        before = trials.seconds(best)
        for k, key in enumerate(best):
            tell((sweep + k / len(best)) / SWEEPS, f"line {key[0]}")
            best = _raised(trials, best, key)
        if trials.over or trials.seconds(best) > before * (1 - 10 * GAIN):
            break
    return best


def _lowered(trials: Trials, values: Pairs) -> Pairs:
    """The values, those of moves with too little torque or speed lowered until none has."""
    for _ in range(LOWERINGS):
        moves = trials.outcome(values).moves
        if not moves or trials.over:
            break
        lower = {k: (values[k][0] * LOWER, values[k][1] * LOWER**2) for k in moves}
        tried = trials.allowed({**values, **lower})
        if tried == values:
            break
        values = tried
    return values


def _raised(trials: Trials, best: Pairs, key: MoveKey) -> Pairs:
    """The values with some raised as far as it goes, or lowered if that is faster."""
    for factor in FACTORS:
        for gains in ((factor, factor), (factor, 1.0), (1.0, factor), (factor, 1 / factor)):
            while not trials.over:
                speed, acc = best[key]
                tried = trials.allowed({**best, key: (speed * gains[0], acc * gains[1])})
                if trials.seconds(tried) >= trials.seconds(best) * (1 - GAIN):
                    break
                best = tried
    return best


def largest(timing: Timing, planned: Plan) -> Pairs:
    """The largest speed and acceleration of the fastest motion on moves."""
    dt, found = timing.trajectory.dt, Pairs()
    points = _moves_of(timing, planned)
    p = tool_frame(timing.robot, timing.trajectory.q, timing.robot.tool)[:, :3, 3]
    rates = np.diff(p, axis=0) / dt
    speeds = np.append(0.0, np.linalg.norm(rates, axis=1))
    ramps = np.zeros(len(p))
    ramps[1:-1] = np.linalg.norm(np.diff(rates, axis=0), axis=1) / dt
    for place, move in enumerate(planned.moves):
        rows = points == place
        if not rows.any() or move.kind not in NAMES:
            continue
        key = move.line, move.kind == "ptp"
        if key[1]:
            pair = 1.0, 1.0
        else:
            pair = 1000 * float(speeds[rows].max()), 1000 * float(ramps[rows].max())
        before = found.get(key, (LEAST[False], LEAST[False]))
        found[key] = max(pair[0], before[0]), max(pair[1], before[1])
    return found


def _moves_of(timing: Timing, planned: Plan) -> NDArray[np.intp]:
    """The move (its place in the plan) that each sample of the timing is on, (N,)."""
    return np.asarray(planned.move)[np.minimum(timing.points, len(planned.move) - 1)]
