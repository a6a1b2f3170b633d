"""A chain: moves from rest to rest, whose legs overlap where one move's ramp runs into the next.

A leg is one point-to-point move, or path moves without a stop between them. Each leg has a law of
its own; where two overlap, what they move the joints by is added.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..robot.model import Robot
from ..robot.pose import Pose
from .moves import Move, StepError
from .path.course import Course
from .path.junction import NO_CORNER, Junction
from .plan import Failure, Note
from .profile import Law, along
from .ptp import Axes, Pace, ease, overlap, time_law
from .reach import Tracked, track
from .targets import tool_frame

Array = NDArray[np.float64]

LONGEST = 500_000
"""Cycles that a program may last: 83 min at 10 ms."""
COARSE = 0.01
"""m (rad) between samples when only the end of a course is looked for."""


@dataclass(frozen=True, slots=True, eq=False)
class PtpLeg:
    """Point to point from joint positions `start` to `end`; `places` are those in the program."""

    places: list[int]
    moves: list[Move]
    tool: Pose
    start: Array
    end: Array
    pace: Pace

    def arrive(self, robot: Robot) -> Array:
        """The joint positions at the end."""
        return self.end


@dataclass(frozen=True, slots=True, eq=False)
class PathLeg:
    """A course from joint positions `start`; `junctions` are those between its moves."""

    places: list[int]
    moves: list[Move]
    tool: Pose
    start: Array
    course: Course
    junctions: list[Junction]

    def arrive(self, robot: Robot) -> Array:
        """The joint positions at the end."""
        count = min(max(math.ceil(self.course.length / COARSE), 20), 2000)
        ways = np.linspace(0.0, self.course.length, count)
        return np.asarray(self.at(robot, ways).q[-1])

    def at(self, robot: Robot, ways: Array) -> Tracked:
        """Joint positions and tool frames at the ways (N,)."""
        return track(robot, self.course, self.moves, ways, self.start, self.tool)


Leg = PtpLeg | PathLeg


@dataclass(frozen=True, slots=True)
class Span:
    """When a move begins and ends (s) from the start of its chain; a path move's largest speed."""

    start: float
    end: float
    speed: float


@dataclass(frozen=True, slots=True, eq=False)
class Ran:
    """A chain at the samples 1..N of its time: joint positions, tool frames, place of each."""

    q: Array
    poses: Array
    place: NDArray[np.intp]
    spans: dict[int, Span]
    notes: list[Note]
    failures: list[Failure]


@dataclass(frozen=True, slots=True, eq=False)
class Timed:
    """A leg in the time of its chain (s): when it begins, what it shares with its neighbours."""

    leg: Leg
    law: Law
    begin: float
    shared_before: float
    shared_after: float

    @property
    def end(self) -> float:
        """When it ends."""
        return self.begin + self.law.duration


def run(robot: Robot, legs: list[Leg], dt: float, room: int) -> Ran:
    """The chain in time; stretched a little, so that it lasts a whole number of cycles.

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
    ran = Ran(q, poses, np.empty(count, dtype=np.intp), {}, [], [])
    done = 0  # samples that the leg before has to itself, or shares
    held = np.empty(count, dtype=np.intp)  # the leg whose tool a sample's frame is of
    for i, timed in enumerate(chain):
        leg = timed.leg
        last = i == len(chain) - 1
        first = int(np.searchsorted(times, timed.begin, side="right"))
        until = count if last else int(np.searchsorted(times, timed.end, side="right"))
        off = np.asarray(times[first:until] - timed.begin)
        found = _sampled(robot, leg, timed.law.at(off))
        ran.notes.extend(found.notes)
        ran.failures.extend(found.failures)
        both = max(done, first) - first  # the first ones are shared
        if both:
            q[first : first + both] += found.q[:both] - leg.start
            poses[first : first + both] = tool_frame(robot, q[first : first + both], leg.tool)
        q[first + both : until] = found.q[both:]
        poses[first + both : until] = found.poses[both:]
        done, held[first:until] = until, i
        ran.notes.extend(_steps(timed, stretch, dt))
        ran.spans.update(_spans(timed, stretch))
    bounds = np.array([span.end for span in ran.spans.values()]) / stretch
    k = np.searchsorted(bounds[:-1], times - 1e-12, side="left")
    ran.place[:] = np.array(list(ran.spans))[k]
    owner = np.repeat(np.arange(len(legs)), [len(leg.places) for leg in legs])[k]
    for i in np.unique(owner[owner != held]).tolist():  # shared, and of the leg before
        rows = np.flatnonzero((owner == i) & (held != i))
        if any(legs[other].tool != legs[i].tool for other in set(held[rows].tolist())):
            poses[rows] = tool_frame(robot, q[rows], legs[i].tool)
    return ran


def too_long(line: int, seconds: float, dt: float) -> StepError:
    """The error for a program that nobody could wait for."""
    limit = f"at most {LONGEST} cycles of {dt:g} s"
    return StepError(line, f"expected {limit}, found moves of {seconds:g} s more")


def _timed(robot: Robot, legs: list[Leg]) -> list[Timed]:
    """Each leg with its law and its time."""
    axes = Axes.of(robot)
    laws = _laws(axes, legs)
    shares = [0.0]
    for i, (before, after) in enumerate(pairwise(legs)):
        if isinstance(before, PtpLeg) and isinstance(after, PtpLeg):
            ways = before.end - before.start, after.end - after.start
            shares.append(overlap(axes, laws[i], ways[0], laws[i + 1], ways[1]))
        else:
            shares.append(min(laws[i].fall, laws[i + 1].rise))
    shares.append(0.0)
    chain, begin = [], 0.0
    for i, (leg, law) in enumerate(zip(legs, laws, strict=True)):
        begin -= shares[i]
        chain.append(Timed(leg, law, begin, shares[i], shares[i + 1]))
        begin += law.duration
    return chain


def _laws(axes: Axes, legs: list[Leg]) -> list[Law]:
    """The law of each leg; ramps of point-to-point moves that overlap are gentler if need be."""
    factors = [1.0, *(_ease(axes, before, after) for before, after in pairwise(legs)), 1.0]
    laws = []
    for i, leg in enumerate(legs):
        if isinstance(leg, PtpLeg):
            laws.append(time_law(leg.pace, factors[i], factors[i + 1]))
        else:
            pieces = leg.course.pieces
            columns = [[getattr(p, name) for p in pieces] for name in ("length", "speed", "acc")]
            laws.append(along(*columns))
    return laws


def _ease(axes: Axes, before: Leg, after: Leg) -> float:
    if isinstance(before, PathLeg) or isinstance(after, PathLeg):
        return 1.0
    ways = before.end - before.start, after.end - after.start
    share = max(before.moves[-1].acc_ptp, after.moves[0].acc_ptp)
    return ease(axes, ways, (before.pace, after.pace), share)


def _sampled(robot: Robot, leg: Leg, ways: Array) -> Tracked:
    """The leg alone at its ways."""
    if isinstance(leg, PtpLeg):
        q = leg.start + ways[:, None] * (leg.end - leg.start)
        q[ways == 1.0] = leg.end
        return Tracked(q, tool_frame(robot, q, leg.tool), [], [])
    found = leg.at(robot, ways)
    if robot.n < 6:  # such arms reach the position, whatever the orientation
        found.poses[:, :3, :3] = tool_frame(robot, found.q, leg.tool)[:, :3, :3]
    return found


def _spans(timed: Timed, stretch: float) -> dict[int, Span]:
    """When each move of a leg runs; what is shared with a neighbour is halved."""
    leg, law = timed.leg, timed.law
    left, right = timed.shared_before / 2, law.duration - timed.shared_after / 2
    cuts, peaks = [0.0, law.duration], [0.0]
    if isinstance(leg, PathLeg):
        cuts = [0.0, *law.time_of(leg.course.ends).tolist()]
        at_cuts = law.rate(np.array(cuts))
        peaks = [
            float(
                law.v[(law.t[:-1] >= a) & (law.t[:-1] <= b)].max(initial=at_cuts[k : k + 2].max())
            )
            for k, (a, b) in enumerate(pairwise(cuts))
        ]
    inside = [min(max(cut, left), right) for cut in (left, *cuts[1:-1], right)]
    return {
        place: Span(stretch * (timed.begin + a), stretch * (timed.begin + b), peak / stretch)
        for place, (a, b), peak in zip(leg.places, pairwise(inside), peaks, strict=True)
    }


def _steps(timed: Timed, stretch: float, dt: float) -> list[Note]:
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
            corner += f", rounded within {1000 * junction.reach:.2g} mm,"
        said = f"{corner} is passed with a velocity step of {1000 * step:.1f} mm/s"
        notes.append(Note(leg.moves[i].line, "corner", said, step))
    return notes
