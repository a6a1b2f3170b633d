"""Verdicts of ERFD beside those of the referee: where they differ, in sentences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import erfd

from .arms import Pair
from .programs import Program
from .rules.algorithm1 import Outcome, achieve
from .rules.arm import Array
from .rules.load import continuous_load
from .rules.verdict import TORQUE_KINDS, Span, failures, over_acceleration, overloads, peaks

STATES = 1e-8
"""rad, rad/s (m): states come from the same sums in another order, and step 6 from halving."""
PEAKS = 1e-7
"""Of a limit."""
Say = Callable[[str], None]


@dataclass
class Compared:
    """What came of one program: differences in sentences, and what kind of program it was."""

    differences: list[str] = field(default_factory=list)
    feasible: bool = True
    unreachable: bool = False
    saturated: bool = False
    divided: bool = False
    moves: int = 0


def verified(pair: Pair, program: Program) -> erfd.Verification:
    """ERFD's verdict."""
    return erfd.verify(
        program.text,
        pair.robot,
        q0=program.start,
        wrench=program.wrench,
        payload=None if program.payload is None else erfd.Payload(*program.payload),
        turning=program.turning,
        pause=program.pause,
        dt=None if program.parts == 1 else pair.arm.cycle / program.parts,
    )


def compare(pair: Pair, program: Program, found: erfd.Verification) -> Compared:
    """ERFD's verdict of a planned motion beside the referee's."""
    arm, path = pair.arm, found.plan.trajectory
    carried = [
        None if p is None else (p.mass, tuple(p.center), np.array(p.inertia, float))
        for p in found.plan.payloads
    ]
    q, qd = np.array(path.q), np.array(path.qd)
    made = achieve(arm, np.array(path.t), q, qd, carried, program.wrench)
    result = Compared(
        feasible=found.feasible,
        unreachable=bool(found.plan.failures),
        saturated=bool(made.saturated.any()),
    )
    say = result.differences.append
    if (row := _divided(made, found)) >= 0 and not 0 <= made.divided <= row:
        if made.loose.get(row):
            made.divided = row
        else:
            result.differences.append(f"cycle {row} was divided without need")
    result.divided = made.divided >= 0
    spans = failures(arm, made, qd)
    _same_events(made, spans, found, say)
    bad = bool(spans or found.plan.failures)
    if made.divided < 0:
        _same_motion(made, found, say)
        _same_peaks(pair, made, qd, found, say)
        bad = _same_load(pair, made, program, found, say) or bad
    if found.feasible == bad:
        say(f"verdict: ERFD {found.feasible}, referee {not bad}")
    told = {e.joint for e in found.run.events if e.kind == "joint acceleration limit"}
    asked = over_acceleration(arm, qd, float(made.t[1] - made.t[0]))
    if len(found.run["t"]) == len(made.t) and told != asked:
        say(f"accelerations beyond their limits: ERFD {told}, referee {asked}")
    return result


def _divided(made: Outcome, found: erfd.Verification) -> int:
    """The first cycle that was done in parts: its way is not the velocity at its end; else -1."""
    q, qd = found.run["q"], found.run["qd"]
    apart = abs(np.diff(q, axis=0) - qd[1:] * (made.t[1] - made.t[0])).max(axis=1)
    stopped = {k for k, _ in made.stopped}
    rows = [int(k) + 1 for k in np.flatnonzero(apart > 1e-9 * (1 + abs(q).max()))]
    return next((row for row in rows if row not in stopped), -1)


def _same_events(made: Outcome, spans: list[Span], found: erfd.Verification, say: Say) -> None:
    """The verdict, the first failing limits, and the worst if no cycle was divided."""
    dt = float(made.t[1] - made.t[0])
    theirs = [(round(e.start / dt) + 1, round(e.end / dt), e) for e in found.run.events if e.fails]
    if not spans or not theirs:
        if bool(spans) != bool(theirs):
            say(f"events: ERFD {[str(e) for _, _, e in theirs][:3]}, referee {spans[:3]}")
        return
    first = min(row for row, _, _ in theirs)
    mine = {(s.kind, s.joint) for s in spans if s.first == spans[0].first}
    other = {(e.kind, e.joint) for row, _, e in theirs if row == first}
    if made.divided >= 0:  # whether a span is a stall depends on all of its cycles
        mine, other = (
            {("torque limit" if k == "stall" else k, j) for k, j in group}
            for group in (mine, other)
        )
    if first != spans[0].first or mine != other:
        say(f"first limit: ERFD cycle {first} {other}, referee cycle {spans[0].first} {mine}")
        return
    if made.divided >= 0:
        return
    told = sorted((e.kind, e.joint, a, b) for a, b, e in theirs)
    judged = sorted((s.kind, s.joint, s.first, s.last) for s in spans)
    if told != judged:
        wrong = set(told) ^ set(judged)
        say(f"spans: only one of both has {sorted(wrong)[:4]}")
        return
    # a joint may lack speed and be too fast in one cycle: both are spans of one kind
    theirs.sort(key=lambda one: (one[2].kind, one[2].joint, one[0], one[1], one[2].part))
    spans.sort(key=lambda span: (span.kind, span.joint, span.first, span.last, span.part))
    for span, (_, _, event) in zip(spans, theirs, strict=True):
        part = event.part
        if span.kind != "run-away" and abs(part - span.part) > PEAKS * (1 + span.part) + span.doubt:
            say(f"{span}: ERFD's part is {part}")
    if not found.plan.failures:
        _same_worst(spans, found, say)


def _same_worst(spans: list[Span], found: erfd.Verification, say: Say) -> None:
    """The failure that the verdict names: the one with the largest part, if that is clear."""
    ranked = sorted(spans, key=lambda span: span.part)
    worst = ranked[-1]
    clear = len(ranked) == 1 or worst.part > ranked[-2].part * (1 + 1e-6) + worst.doubt + 1e-9
    who = "motor" if worst.kind in TORQUE_KINDS else "joint"
    named = f"{who} {worst.joint} "
    if clear and worst.kind != "run-away" and named not in found.verdict:
        over = found.continuous and found.continuous.failures
        if not over:  # a continuous load may be named instead
            say(f"the verdict names another failure than {worst}: {found.verdict}")


def _same_motion(made: Outcome, found: erfd.Verification, say: Say) -> None:
    if len(found.run["t"]) != len(made.t):
        say(f"rows: ERFD {len(found.run['t'])}, referee {len(made.t)}")
        return
    for name, mine in (("q", made.q), ("qd", made.qd)):
        off = abs(found.run[name] - mine)
        if off.max() > STATES:
            say(f"{name} differs by {off.max():.3g} in (cycle, joint) {_where(off)}")
            return
    off = np.where(made.unclear, 0, abs(found.run["u_a"] - made.torque))[1:]
    if (off > PEAKS * found.run["u_a_max"][1:].clip(max=1e3)).any():
        say(f"u_a differs by {off.max():.3g} N m in (cycle - 1, motor) {_where(off)}")


def _where(off: Array) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(off.argmax(), off.shape))


def _same_peaks(pair: Pair, made: Outcome, qd: Array, found: erfd.Verification, say: Say) -> None:
    mine = peaks(pair.arm, made, qd)
    for name in ("torque", "speed", "acceleration"):
        most = np.max([getattr(move, name) for move in found.moves], axis=0)
        off = abs(most - getattr(mine, name))
        if name == "torque":
            off = np.where(made.unclear.any(axis=0), 0, off)
        if off.max() > PEAKS:
            say(f"peaks of {name}: ERFD {most}, referee {getattr(mine, name)}")


def _same_load(
    pair: Pair, made: Outcome, program: Program, found: erfd.Verification, say: Say
) -> bool:
    """Whether the referee finds a continuous load beyond its limit."""
    assert found.continuous is not None
    mine = continuous_load(pair.arm, made, program.pause)
    theirs = {(row.motor, row.quantity): row for row in found.continuous.rows}
    for place, (value, limit) in mine.items():
        row = theirs.pop(place, None)
        if made.stopped and "gear" in place[1]:
            continue  # in a cycle with an impact the record's parts are means of two motions
        if row is None or abs(row.value - value) > 1e-6 * (1e-3 * limit + value):
            told = row and row.value
            say(f"load {place}: ERFD {told}, referee {value} of {limit}")
        elif row.severity != (
            "failure" if value > limit else "warning" if value > 0.8 * limit else ""
        ):
            say(f"load {place}: {row.severity!r} at {value} of {limit}")
    if left := [place for place, row in theirs.items() if np.isfinite(row.limit)]:
        say(f"loads that only ERFD has: {left}")
    return bool(overloads(mine))
