"""Chains of moves from rest to rest, whose legs overlap where one ramp runs into the next.

A leg is one point-to-point move, or path moves without a stop between them. Each leg has a time
law of its own; where two overlap, what they move the joints by is added.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..ground.arrays import Array
from ..robot.model import Robot
from .adapted_law import Slowing
from .leg_laws import TimedLeg, timed_legs
from .legs import Leg, PathLeg, PtpLeg
from .moves import StepError
from .path.junction import NO_CORNER
from .path_joints import PathSamples
from .plan import Failure, Note
from .targets import tool_frame

LONGEST = 500_000
"""Cycles that a program may last: 83 min at 10 ms."""


@dataclass(frozen=True, slots=True)
class MoveSpan:
    """The time of a move: start and end (s) in its chain, and a path move's largest speed."""

    start: float
    end: float
    speed: float


@dataclass(frozen=True, slots=True, eq=False)
class ChainSamples:
    """A chain at the samples 1..N of its time: joint positions, tool frames, place of each."""

    q: Array
    poses: Array
    place: NDArray[np.intp]
    spans: dict[int, MoveSpan]
    notes: list[Note]
    failures: list[Failure]
    slowings: dict[int, Slowing] = field(default_factory=dict)


def sample_chain(
    robot: Robot,
    legs: list[Leg],
    dt: float,
    room: int,
    *,
    adapt: bool = False,
    lost_from: float = math.inf,
) -> ChainSamples:
    """The chain at every cycle; stretched a little, so that it lasts a whole number of them.

    There is `room` for so many of them. `adapt` fits the speed on paths to the axes. The move at
    the place `lost_from` is out of reach: where the arm is after it says nothing of later ones.
    """
    chain = timed_legs(robot, legs, adapt=adapt)
    duration = chain[-1].end
    if not duration / dt <= room:
        raise too_long(legs[-1].moves[-1].line, duration, dt)
    count = max(math.ceil(duration / dt - 1e-9), 1)
    stretch = count * dt / duration
    times = np.arange(1, count + 1) * (duration / count)
    times[-1] = duration
    q, poses = np.empty((count, robot.n)), np.empty((count, 4, 4))
    samples = ChainSamples(q, poses, np.empty(count, dtype=np.intp), {}, [], [])
    done = 0  # samples that the leg before has to itself, or shares
    frame_leg = np.empty(count, dtype=np.intp)  # the leg whose tool a sample's frame is of
    for i, timed in enumerate(chain):
        leg = timed.leg
        last = i == len(chain) - 1
        first = int(np.searchsorted(times, timed.begin, side="right"))
        until = count if last else int(np.searchsorted(times, timed.end, side="right"))
        off = np.asarray(times[first:until] - timed.begin)
        lost = bool(samples.failures) or lost_from < leg.places[0]
        alone = _sampled(robot, leg, timed.law.at(off), lost)
        samples.notes.extend(alone.notes)
        samples.failures.extend(alone.failures)
        both = max(done, first) - first  # the first ones are shared
        if both:
            q[first : first + both] += alone.q[:both] - leg.start
            poses[first : first + both] = tool_frame(robot, q[first : first + both], leg.tool)
        q[first + both : until] = alone.q[both:]
        poses[first + both : until] = alone.poses[both:]
        done, frame_leg[first:until] = until, i
        samples.notes.extend(_step_notes(timed, stretch))
        samples.spans.update(_spans(timed, stretch))
        samples.slowings.update(zip(leg.places, timed.slowings, strict=False))
    bounds = np.array([span.end for span in samples.spans.values()]) / stretch
    k = np.searchsorted(bounds[:-1], times - 1e-12, side="left")
    samples.place[:] = np.array(list(samples.spans))[k]
    owner = np.repeat(np.arange(len(legs)), [len(leg.places) for leg in legs])[k]
    shared = np.flatnonzero(owner != frame_leg)  # and of the leg before
    for rows in np.split(shared, 1 + np.flatnonzero(np.diff(owner[shared]))):
        if not len(rows):
            continue
        tool = legs[owner[rows[0]]].tool
        if any(legs[other].tool != tool for other in set(frame_leg[rows].tolist())):
            poses[rows] = tool_frame(robot, q[rows], tool)
    return samples


def too_long(line: int, seconds: float, dt: float) -> StepError:
    """The error for a program that lasts longer than `LONGEST` cycles."""
    limit = f"at most {LONGEST} cycles of {dt:g} s"
    return StepError(line, f"expected {limit}, found moves of {seconds:g} s more")


def _sampled(robot: Robot, leg: Leg, lengths: Array, lost: bool) -> PathSamples:
    """The samples of a leg by itself at its `lengths` (N,); `lost`: after one out of reach."""
    if isinstance(leg, PtpLeg):
        q = leg.start + lengths[:, None] * leg.travel
        q[lengths == 1.0] = leg.end
        return PathSamples(q, tool_frame(robot, q, leg.tool), [], [])
    samples = leg.at(robot, lengths, lost=lost)
    if robot.n < 6:  # such arms reach the position, whatever the orientation
        samples.poses[:, :3, :3] = tool_frame(robot, samples.q, leg.tool)[:, :3, :3]
    return samples


def _spans(timed: TimedLeg, stretch: float) -> dict[int, MoveSpan]:
    """When each move of a leg runs; what is shared with a neighbour is halved."""
    leg, law = timed.leg, timed.law
    left, right = timed.shared_before / 2, law.duration - timed.shared_after / 2
    cuts, peaks = [0.0, law.duration], [0.0]
    if isinstance(leg, PathLeg):
        cuts = [0.0, *law.time_of(leg.course.ends).tolist()]
        peaks = law.peaks(np.array(cuts)).tolist()
    inside = [min(max(cut, left), right) for cut in (left, *cuts[1:-1], right)]
    return {
        place: MoveSpan(stretch * (timed.begin + a), stretch * (timed.begin + b), peak / stretch)
        for place, (a, b), peak in zip(leg.places, pairwise(inside), peaks, strict=True)
    }


def _step_notes(timed: TimedLeg, stretch: float) -> list[Note]:
    """Notes on velocity steps at small corners (erratum 21)."""
    leg, law = timed.leg, timed.law
    notes: list[Note] = []
    if isinstance(leg, PtpLeg):
        return notes
    speeds = law.rate(law.time_of(leg.course.ends)) / stretch
    for i, (junction, speed) in enumerate(zip(leg.junctions, speeds.tolist(), strict=False)):
        step = 2 * speed * math.sin(junction.corner / 2)
        corner = f"a corner of {math.degrees(junction.corner):.2f} deg"
        if junction.corner <= NO_CORNER or junction.kind == "round":
            continue
        sentence = f"{corner} is passed with a velocity step of {1000 * step:.1f} mm/s"
        notes.append(Note(leg.moves[i].line, "corner", sentence, step))
    return notes
