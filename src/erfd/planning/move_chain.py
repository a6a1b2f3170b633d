"""Chains of moves from rest to rest, whose legs overlap where one ramp runs into the next.

A leg is one point-to-point move, or path moves without a stop between them. Each leg has a time
law of its own; where two overlap, what they move the joints by is added.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..ground.arrays import Array
from ..robot.model import Robot
from ..robot.pose import Pose
from .moves import Move, StepError
from .path.course import Course
from .path.junction import NO_CORNER, Junction
from .path_joints import PathSamples, joint_path
from .plan import Failure, Note
from .profile import TimeLaw, fastest_law
from .ptp import Axes, Pace, ease, overlap, time_law
from .targets import tool_frame

LONGEST = 500_000
"""Cycles that a program may last: 83 min at 10 ms."""
COARSE = 0.01
"""m (rad) between samples when only the end of a course is looked for."""


@dataclass(frozen=True, slots=True, eq=False)
class PtpLeg:
    """A leg point to point, from joint positions `start` to `end`; `places` are in the program."""

    places: list[int]
    moves: list[Move]
    tool: Pose
    start: Array
    end: Array
    pace: Pace

    @property
    def travel(self) -> Array:
        """What it moves the joints by, (n,)."""
        return self.end - self.start

    def arrive(self, robot: Robot) -> Array:
        """The joint positions at the end."""
        return self.end


@dataclass(frozen=True, slots=True, eq=False)
class PathLeg:
    """A leg along a course from joint positions `start`; `junctions` are between its moves."""

    places: list[int]
    moves: list[Move]
    tool: Pose
    start: Array
    course: Course
    junctions: list[Junction]

    def arrive(self, robot: Robot) -> Array:
        """The joint positions at the end."""
        count = min(max(math.ceil(self.course.length / COARSE), 20), 2000)
        lengths = np.linspace(0.0, self.course.length, count)
        return np.asarray(self.at(robot, lengths).q[-1])

    def at(self, robot: Robot, lengths: Array) -> PathSamples:
        """Joint positions and tool frames at the `lengths` (N,)."""
        return joint_path(robot, self.course, self.moves, lengths, self.start, self.tool)


Leg = PtpLeg | PathLeg


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


@dataclass(frozen=True, slots=True, eq=False)
class TimedLeg:
    """A leg in the time of its chain (s): when it begins, what it shares with its neighbours."""

    leg: Leg
    law: TimeLaw
    begin: float
    shared_before: float
    shared_after: float

    @property
    def end(self) -> float:
        """When it ends."""
        return self.begin + self.law.duration


def sample_chain(robot: Robot, legs: list[Leg], dt: float, room: int) -> ChainSamples:
    """The chain at every cycle; stretched a little, so that it lasts a whole number of them.

    There is `room` for so many of them.
    """
    chain = _timed(robot, legs)
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
        alone = _sampled(robot, leg, timed.law.at(off))
        samples.notes.extend(alone.notes)
        samples.failures.extend(alone.failures)
        both = max(done, first) - first  # the first ones are shared
        if both:
            q[first : first + both] += alone.q[:both] - leg.start
            poses[first : first + both] = tool_frame(robot, q[first : first + both], leg.tool)
        q[first + both : until] = alone.q[both:]
        poses[first + both : until] = alone.poses[both:]
        done, frame_leg[first:until] = until, i
        samples.notes.extend(_step_notes(timed, stretch, dt))
        samples.spans.update(_spans(timed, stretch))
    bounds = np.array([span.end for span in samples.spans.values()]) / stretch
    k = np.searchsorted(bounds[:-1], times - 1e-12, side="left")
    samples.place[:] = np.array(list(samples.spans))[k]
    owner = np.repeat(np.arange(len(legs)), [len(leg.places) for leg in legs])[k]
    for i in np.unique(owner[owner != frame_leg]).tolist():  # shared, and of the leg before
        rows = np.flatnonzero((owner == i) & (frame_leg != i))
        if any(legs[other].tool != legs[i].tool for other in set(frame_leg[rows].tolist())):
            poses[rows] = tool_frame(robot, q[rows], legs[i].tool)
    return samples


def too_long(line: int, seconds: float, dt: float) -> StepError:
    """The error for a program that lasts longer than `LONGEST` cycles."""
    limit = f"at most {LONGEST} cycles of {dt:g} s"
    return StepError(line, f"expected {limit}, found moves of {seconds:g} s more")


def _timed(robot: Robot, legs: list[Leg]) -> list[TimedLeg]:
    """Each leg with its law and its time."""
    axes = Axes.of(robot)
    laws = _laws(axes, legs)
    shares = [0.0]
    for i, (before, after) in enumerate(pairwise(legs)):
        if isinstance(before, PtpLeg) and isinstance(after, PtpLeg):
            travels = (before.travel, after.travel)
            shares.append(overlap(axes, travels, (laws[i], laws[i + 1])))
        else:
            shares.append(min(laws[i].fall, laws[i + 1].rise))
    shares.append(0.0)
    chain, begin = [], 0.0
    for i, (leg, law) in enumerate(zip(legs, laws, strict=True)):
        begin -= shares[i]
        chain.append(TimedLeg(leg, law, begin, shares[i], shares[i + 1]))
        begin += law.duration
    return chain


def _laws(axes: Axes, legs: list[Leg]) -> list[TimeLaw]:
    """The law of each leg; ramps of point-to-point moves that overlap are gentler if need be."""
    factors = [1.0, *(_ease(axes, before, after) for before, after in pairwise(legs)), 1.0]
    laws = []
    for i, leg in enumerate(legs):
        if isinstance(leg, PtpLeg):
            laws.append(time_law(leg.pace, factors[i], factors[i + 1]))
        else:
            pieces = leg.course.pieces
            columns = [[getattr(p, name) for p in pieces] for name in ("length", "speed", "acc")]
            laws.append(fastest_law(*columns))
    return laws


def _ease(axes: Axes, before: Leg, after: Leg) -> float:
    """By what factor the ramps between two legs must be gentler."""
    if isinstance(before, PathLeg) or isinstance(after, PathLeg):
        return 1.0
    share = max(before.moves[-1].acc_ptp, after.moves[0].acc_ptp)
    return ease(axes, (before.travel, after.travel), (before.pace, after.pace), share)


def _sampled(robot: Robot, leg: Leg, lengths: Array) -> PathSamples:
    """The samples of a leg by itself at its `lengths` (N,)."""
    if isinstance(leg, PtpLeg):
        q = leg.start + lengths[:, None] * leg.travel
        q[lengths == 1.0] = leg.end
        return PathSamples(q, tool_frame(robot, q, leg.tool), [], [])
    samples = leg.at(robot, lengths)
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
        at_cuts = law.rate(np.array(cuts))
        phases = law.t[:-1]
        peaks = [
            float(law.v[(phases >= a) & (phases <= b)].max(initial=max(at_ends)))
            for (a, b), at_ends in zip(pairwise(cuts), pairwise(at_cuts), strict=True)
        ]
    inside = [min(max(cut, left), right) for cut in (left, *cuts[1:-1], right)]
    return {
        place: MoveSpan(stretch * (timed.begin + a), stretch * (timed.begin + b), peak / stretch)
        for place, (a, b), peak in zip(leg.places, pairwise(inside), peaks, strict=True)
    }


def _step_notes(timed: TimedLeg, stretch: float, dt: float) -> list[Note]:
    """Notes on velocity steps: at small corners (erratum 21), and at those rounded in a cycle."""
    leg, law = timed.leg, timed.law
    notes: list[Note] = []
    if isinstance(leg, PtpLeg):
        return notes
    speeds = law.rate(law.time_of(leg.course.ends)) / stretch
    rounded = {piece.index: piece for piece in leg.course.pieces if piece.corner is not None}
    for i, (junction, speed) in enumerate(zip(leg.junctions, speeds.tolist(), strict=False)):
        step = 2 * speed * math.sin(junction.corner / 2)
        corner = f"a corner of {math.degrees(junction.corner):.2f} deg"
        if junction.corner <= NO_CORNER:
            continue
        if i in rounded:
            piece = rounded[i]
            if piece.length > 2 * speed * dt or step <= piece.acc * dt:  # a ramp may be as steep
                continue
            corner += f", rounded within {1000 * junction.blend_distance:.2g} mm,"
        sentence = f"{corner} is passed with a velocity step of {1000 * step:.1f} mm/s"
        notes.append(Note(leg.moves[i].line, "corner", sentence, step))
    return notes
