"""Advice on a program: speeds, branches and margins with which it is feasible."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..achieve.precompile import precompile
from ..errors import ErfdError
from ..ground.arguments import instance_of, number_of
from ..ik.config import STAY
from ..ik.inverse_kinematics import all_solutions, closed_form
from ..lirl import SignalSchedule, interpret, parse
from ..planning.moves import Move, PoseTarget, Step
from ..planning.plan import Plan
from ..planning.planner import plan
from .checks import cannot_hold, refined
from .continuous import continuous_load
from .result import Verification
from .trial import Deadline, TimeIsUpError, Trial, TrialMotion
from .verify import map_steps

T = TypeVar("T")
SLOWEST, FASTEST = 0.02, 2.0
"""Speed overrides that are tried."""
SETTLED = 1e-4
"""A joint this close (rad, m) to its last position has arrived."""
PATIENCE = 10.0
"""s that an arm is given to catch up after its program."""
MARGIN = 0.1
"""Payload and friction are varied by this part."""


TIME = 6.0
"""s that the trials of an advice may take."""
LONGEST_PAUSE = 3600.0
"""The longest pause between two rounds, s, that is looked for."""


@dataclass(frozen=True, slots=True)
class Advice:
    """Advice on a program: what would make it feasible, and how much is left if it is.

    `override` and `per_move` are the largest feasible speeds as parts of the programmed ones; None
    is: at no speed that was tried, or out of reach at any. `configs` are CONFIG numbers with
    which the program passes (only looked for if it does not), `margin` a sentence,
    `achievable_seconds` when the arm arrives (s) if it may catch up, None if never. `pause` is the
    shortest one (s) after each round with which the continuous load is within its limits, 0 if none
    is needed, None if none helps. `cannot_hold` are the motors (from 1) that cannot even hold the
    arm somewhere on its path: no speed is looked for then. `complete` is false if the time for
    trials was too short.
    """

    override: float | None
    per_move: tuple[float | None, ...]
    configs: tuple[int, ...]
    margin: str
    achievable_seconds: float | None
    pause: float | None = 0.0
    cannot_hold: tuple[int, ...] = ()
    complete: bool = True


def advise(
    verification: Verification,
    *,
    signals: SignalSchedule | None = None,
    tell: Callable[[float, str], None] = lambda part, what: None,
    seconds: float = TIME,
) -> Advice:
    """Try the program at other speeds, with other branches, payloads and friction.

    Args:
        verification: The verification of the program.
        signals: The inputs that the program reads, as for `verify`.
        tell: Called with the part that is done (0 to 1) and a word for what is being done.
        seconds: The time that the trials may take, s; what was not tried by then is left out.

    Returns:
        The advice: feasible speeds, branches, the margin, and when the arm arrives.

    >>> import erfd
    >>> text = 'program p; seq move ptp joint(mainjoint(10)); endseq endprogram'
    >>> erfd.advise(erfd.verify(text, erfd.load("lola15"))).override >= 1
    True
    """
    instance_of("verification", verification, Verification)
    seconds = number_of("seconds", seconds, "a time in s")
    starts = np.searchsorted(
        verification.plan.move, np.arange(len(verification.plan.moves) + 1)
    ).tolist()
    ends = zip(verification.plan.moves, starts[1:], strict=True)
    stops = frozenset(end - 1 for move, end in ends if move.blend == "stop" and end > 0)
    tell(0.0, "speeds")
    loaded = set(verification.payloads) != {None}
    if not verification.run.feasible:  # `arrival` follows the position
        precompile(
            verification.robot,
            wrench=verification.wrench is not None,
            payload=loaded,
            follow="position",
        )
    motion = TrialMotion(
        verification.robot,
        verification.plan.trajectory,
        verification.payloads,
        verification.wrench,
        stops,
        verification.strict,
        Deadline(time.monotonic() + seconds),
    )
    late: list[str] = []

    def tried(what: str, attempt: Callable[[], T], otherwise: T) -> T:
        try:
            return attempt()
        except TimeIsUpError:
            late.append(what)
            return otherwise

    sagging = _sagging(verification)
    out_of_reach = {failure.line for failure in verification.plan.failures}  # at any speed
    override = None
    possible = not out_of_reach and not sagging.any()
    if possible and not _touches(verification, verification.plan):  # nor out of a wall
        override = tried("speed", lambda: largest(partial(_whole, motion)), None)
    per_move: list[float | None] = []
    for k, report in enumerate(verification.moves):
        first, last = max(starts[k] - 1, 0), starts[k + 1] - 1
        if last <= first or report.move.kind == "wait":
            per_move.append(FASTEST)
            continue
        if report.move.line in out_of_reach or sagging[first : last + 1].any():
            per_move.append(None)
            continue
        part = partial(_part, motion, first, last)
        per_move.append(tried("move", partial(largest, part), None))
        tell(0.1 + 0.5 * k / len(verification.moves), "speeds")
    tell(0.6, "branches")
    configs: tuple[int, ...] = ()
    if not verification.moves_feasibly:
        configs = tried("branch", lambda: other_configs(verification, signals, motion.deadline), ())
    tell(0.9, "margins")
    unknown = "margin not looked for: the trials took too long"
    return Advice(
        override,
        tuple(per_move),
        configs,
        tried("margin", lambda: margin(verification, motion), unknown),
        tried("arrival", lambda: arrival(verification, motion, sagging[-1].any()), None),
        tried("pause", lambda: shortest_pause(verification, motion.deadline), None),
        tuple(int(i) + 1 for i in np.flatnonzero(sagging.any(axis=0))),
        not late,
    )


def _sagging(verification: Verification) -> NDArray[np.bool_]:
    """Which motors cannot hold the arm at each point of the plan, (N, n)."""
    plan_ = verification.plan
    if verification.run.feasible:
        return np.zeros(plan_.trajectory.q.shape, dtype=bool)
    return cannot_hold(
        verification.robot, plan_.trajectory.q, verification.payloads, verification.wrench
    )


def shortest_pause(verification: Verification, deadline: Deadline) -> float | None:
    """The shortest pause (s, whole tenths) with which the continuous load is within its limits.

    0 if none is needed, None if none helps.
    """
    load, run = verification.continuous, verification.run
    if load is None or not load.failures or not run.feasible:  # no pause helps a motion that fails
        return 0.0
    low, high = round(10 * load.pause), round(10 * LONGEST_PAUSE)
    if continuous_load(run, LONGEST_PAUSE).failures:
        return None
    while high - low > 1:
        deadline.check()
        middle = (low + high) // 2
        if continuous_load(run, middle / 10).failures:
            low = middle
        else:
            high = middle
    return high / 10


def _whole(motion: TrialMotion, speed: float) -> Trial:
    """Try a whole motion at a speed."""
    return motion.run_trial(speed=speed, early=True)


def _part(motion: TrialMotion, first: int, last: int, speed: float) -> Trial:
    """Try a part of a motion at a speed."""
    return motion.run_trial(speed=speed, first=first, last=last, early=True)


def largest(attempt: Callable[[float], Trial]) -> float | None:
    """The largest speed that is feasible, None if even the slowest is not.

    Whole percents are tried: what is printed has been tried as it is printed.
    """
    low, high = round(100 * SLOWEST), round(100 * FASTEST)
    passed = attempt(1.0).feasible
    if passed:
        if attempt(FASTEST).feasible:
            return FASTEST
        low = 100
    else:
        high = 100
    while high - low > 1:
        middle = (low + high) // 2
        if attempt(middle / 100).feasible:
            low, passed = middle, True
        else:
            high = middle
    # the slowest motion is the longest by far: it is tried only if no faster one passed
    return low / 100 if passed or attempt(low / 100).feasible else None


def margin(verification: Verification, motion: TrialMotion) -> str:
    """The margin under +-10 % payload and friction, in one sentence."""
    if not verification.feasible:
        return "no margin: the program is not feasible as it is"
    loaded = any(p is not None for p in verification.payloads)
    factors = (1 - MARGIN, 1 + MARGIN)
    trials = [
        motion.run_trial(friction=f, load=p)
        for f in factors
        for p in (factors if loaded else (1.0,))
    ]
    use = np.max([trial.use for trial in trials], axis=0)
    worst = int(use.argmax())
    what = f"+-{100 * MARGIN:.0f} % " + ("payload and friction" if loaded else "friction")
    if all(trial.feasible for trial in trials):
        return f"with {what} still feasible: motor {worst + 1} uses {100 * use[worst]:.0f} %"
    bad = sum(not trial.feasible for trial in trials)
    return f"with {what} not feasible in {bad} of {len(trials)} cases: motor {worst + 1} is short"


def arrival(verification: Verification, motion: TrialMotion, falls: bool) -> float | None:
    """The time in s when the arm is where the program ends, catching up; None if never.

    `falls`: it cannot hold itself there.
    """
    if verification.plan.failures or falls or len(verification.run) < len(motion.trajectory):
        return None
    if verification.run.feasible:
        return verification.seconds
    dt, n = motion.trajectory.dt, verification.robot.n
    trial = motion.run_trial(follow="position", rest=PATIENCE)
    if not trial.whole:  # it ran away
        return None
    rows = trial.rows
    away = np.abs(rows[:, :n] - motion.trajectory.q[-1]).max(axis=1)
    late = np.flatnonzero(away > SETTLED)
    last = int(late[-1]) if len(late) else 0
    if last >= len(rows) - 1:
        return None
    return max(verification.seconds, (last + 1) * dt)


def other_configs(
    verification: Verification, signals: SignalSchedule | None, deadline: Deadline
) -> tuple[int, ...]:
    """Other CONFIG numbers, put where the program names one, with which it is feasible."""
    if not names_config(verification):
        return ()
    robot = verification.robot
    program = verification.program or parse(verification.text)
    used = _configs(verification.steps)
    reachable = _reachable(verification)
    passed = []
    for config in range(8):
        if used == {config} or not all(config in codes for codes in reachable):
            continue
        steps = interpret(program, robot, signals=signals)
        source = map_steps(steps, partial(_with_config, config=config))
        q0, payload = verification.plan.trajectory.q[0], verification.payloads[0]
        try:
            tried = plan(robot, source, q0=q0, payload=payload, **verification.planning)
            tried = refined(tried, round(robot.cycle_time / motion_dt(verification)))
        except ErfdError:  # at other times it may wait for ever, say
            continue
        if not tried.failures and _passes(verification, tried, deadline):
            passed.append(config)
    return tuple(passed)


def names_config(verification: Verification) -> bool:
    """Whether there is a CONFIG in the program to be changed, on an arm that has such branches."""
    return closed_form(verification.robot) and bool(_configs(verification.steps))


def _configs(steps: tuple[Step, ...]) -> set[int]:
    """The CONFIG numbers that the targets name."""
    targets = (t for s in steps if isinstance(s, Move) for t in s.targets)
    return {t.config for t in targets if isinstance(t, PoseTarget)} - {STAY}


def _passes(verification: Verification, tried: Plan, deadline: Deadline) -> bool:
    """Whether another plan is feasible and touches nothing."""
    motion = TrialMotion(
        verification.robot, tried.trajectory, tried.payloads, verification.wrench,
        strict=verification.strict, deadline=deadline,
    )  # fmt: skip
    return motion.run_trial(early=True).feasible and not _touches(verification, tried)


def _touches(verification: Verification, planned: Plan) -> bool:
    """Whether the arm is in its cell on the planned path, which a feasible motion keeps to."""
    if verification.cell is None:
        return False
    if planned is verification.plan and verification.run.feasible:
        return bool(verification.contacts)
    from ..cell.clearance import clearance

    return clearance(verification.robot, verification.cell, planned.trajectory.q).smallest <= 0


def _reachable(verification: Verification) -> list[set[int]]:
    """CONFIG numbers with which each target that names one can be reached at all."""
    result = []
    for step in verification.steps:
        if not isinstance(step, Move) or step.frame is not None or step.tool is not None:
            continue
        for target in step.targets:
            if isinstance(target, PoseTarget) and target.config != STAY and target.rotation:
                pose = np.eye(4)
                pose[:3, :3], pose[:3, 3] = np.array(target.rotation), np.array(target.position)
                result.append({int(c) for c in all_solutions(verification.robot, pose).config})
    return result


def motion_dt(verification: Verification) -> float:
    """The step of the plan in s."""
    return verification.plan.trajectory.dt


def _with_config(step: Step, config: int) -> Step:
    """A step with another CONFIG wherever it names one."""
    if not isinstance(step, Move):
        return step
    targets = tuple(
        replace(t, config=config) if isinstance(t, PoseTarget) and t.config != STAY else t
        for t in step.targets
    )
    return replace(step, targets=targets)
