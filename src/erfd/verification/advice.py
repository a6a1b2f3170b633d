"""Advice on a program: speeds, branches and margins with which it is feasible."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

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
from .margins import margin
from .overrides import FASTEST, largest, largest_below, part, whole, whole_for_ever
from .result import Verification
from .trial import Deadline, TimeIsUpError, TrialMotion
from .verify import map_steps

if TYPE_CHECKING:
    from ..cell.contact import Contact

T = TypeVar("T")
SETTLED = 1e-4
"""A joint this close (rad, m) to its last position has arrived."""
PATIENCE = 10.0
"""s that an arm is given to catch up after its program."""
TIME = 6.0
"""s that the trials of an advice may take."""
OUTLOOK = 1 / 6
"""The part of that time that is kept for what a repair would do, if the program is not feasible."""
LONGEST_PAUSE = 3600.0
"""The longest pause between two rounds, s, that is looked for."""


@dataclass(frozen=True, slots=True)
class Advice:
    """Advice on a program: what would make it feasible, and how much is left if it is.

    `override` is the largest speed as a part of the programmed one at which the program is
    feasible, its continuous load within its limits; None is: at no speed that was tried, or out of
    reach at any. `motion_override` is that of the motion alone, once, and `loads` are sentences on
    what of the continuous load is beyond its limit there, the worst first. `per_move` are those of
    each move alone, with the loads of any one moment (voltage, power of the supply, peaks of gears)
    but without means over a period, which no move has. What could not be checked is so at any
    speed: no override counts it, strict or not. `configs` are CONFIG numbers with
    which the program passes (only looked for if it does not), `margin` a sentence,
    `achievable_seconds` when the arm arrives (s) if it may catch up, None if never. `pause` is the
    shortest one (s) after each round with which the continuous load is within its limits, 0 if none
    is needed, None if none helps. `cannot_hold` are the motors (from 1) that cannot even hold the
    arm somewhere on its path: no speed is looked for then. `complete` is false if the time for
    trials was too short. `repair` says in one line what `erfd.repair` would do, empty if the
    program is feasible.
    """

    override: float | None
    per_move: tuple[float | None, ...]
    configs: tuple[int, ...]
    margin: str
    achievable_seconds: float | None
    pause: float | None = 0.0
    cannot_hold: tuple[int, ...] = ()
    complete: bool = True
    motion_override: float | None = None
    loads: tuple[str, ...] = ()
    repair: str = ""


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
    until = time.monotonic() + seconds
    outlook_time = 0.0 if verification.feasible else OUTLOOK * seconds
    starts = np.searchsorted(
        verification.plan.move, np.arange(len(verification.plan.moves) + 1)
    ).tolist()
    ends = zip(verification.plan.moves, starts[1:], strict=True)
    stops = frozenset(row - 1 for move, row in ends if move.blend == "stop" and row > 0)
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
        Deadline(until - outlook_time),
        0.0 if verification.continuous is None else verification.continuous.pause,
        verification.reading["torque_path"],
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
    moving: float | None = None
    loads: tuple[str, ...] | None = ()
    touching = _contacts(verification, verification.plan)  # at any speed, too
    helpless = bool(out_of_reach or sagging.any() or touching)
    if not helpless:
        moving = tried("speed", lambda: largest(partial(whole, motion)), None)
    if moving is not None:
        speed = moving
        loads = tried("speed", lambda: tuple(map(str, whole_for_ever(motion, speed).loads)), None)
    per_move: list[float | None] = []
    for k, report in enumerate(verification.moves):
        first, last = max(starts[k] - 1, 0), starts[k + 1] - 1
        if last <= first or report.move.kind == "wait":
            per_move.append(FASTEST)
            continue
        begin, end = (float(motion.trajectory.t[row]) for row in (first, last))
        meets = any(c.start < end and c.end > begin for c in touching)
        if report.move.line in out_of_reach or meets or sagging[first : last + 1].any():
            per_move.append(None)
            continue
        alone = partial(part, motion, first, last)
        per_move.append(tried("move", partial(largest, alone), None))
        tell(0.1 + 0.5 * k / len(verification.moves), "speeds")
    tell(0.6, "branches")
    configs: tuple[int, ...] = ()
    if not verification.lasts_feasibly:
        configs = tried("branch", lambda: other_configs(verification, signals, motion.deadline), ())
    tell(0.9, "margins")
    unknown = "margin not looked for: the trials took too long"
    left = tried("margin", lambda: margin(verification, motion), unknown)
    arrives = tried("arrival", lambda: arrival(verification, motion, sagging[-1].any()), None)
    pause = tried("pause", lambda: shortest_pause(verification, motion.deadline), None)
    override = moving if loads == () else None
    if loads and moving is not None:  # the longest search, so it is the last
        below = partial(largest_below, partial(whole_for_ever, motion), moving)
        override = tried("load", below, None)
    return Advice(
        override,
        tuple(per_move),
        configs,
        left,
        arrives,
        pause,
        tuple(int(i) + 1 for i in np.flatnonzero(sagging.any(axis=0))),
        not late,
        moving,
        loads or (),
        _outlook(verification, signals, min(outlook_time, until - time.monotonic()), helpless),
    )


def _outlook(
    verification: Verification, signals: SignalSchedule | None, seconds: float, helpless: bool
) -> str:
    """What a repair would do, in one line, found in `seconds`; `helpless`: no speed helps."""
    from .repair import outlook  # a repair looks for pauses as an advice does

    helpless |= verification.strict and bool(verification.not_checked)
    return outlook(verification, signals=signals, seconds=seconds, helpless=helpless)


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
    """Other CONFIG numbers, put where the program names one, with which it does all for ever."""
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
    """Whether another plan is feasible, for ever, and touches nothing."""
    motion = TrialMotion(
        verification.robot, tried.trajectory, tried.payloads, verification.wrench,
        strict=verification.strict, deadline=deadline,
        pause=0.0 if verification.continuous is None else verification.continuous.pause,
        torque_path=verification.reading["torque_path"],
    )  # fmt: skip
    return whole_for_ever(motion, 1.0).feasible and not _contacts(verification, tried)


def _contacts(verification: Verification, planned: Plan) -> tuple[Contact, ...]:
    """What the arm touches on the planned path, which a feasible motion keeps to."""
    if planned is verification.plan and verification.run.feasible:
        return verification.contacts
    from ..cell.motion_contacts import motion_contacts

    motion = planned.trajectory
    return motion_contacts(verification.robot, verification.cell, motion.t, motion.q)


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
