"""Time laws of paths: the whole vector of the tool point's acceleration within its limit.

In the plane of length s and w = v^2 a bent path leaves |dw/ds| <= 2 sqrt(total^2 - (bend w)^2) for
ramps. A segment is run with one acceleration, chosen for its faster end: the limit holds all along.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import replace

import numpy as np

from ..ground.arrays import Array
from .path.segments import Segments
from .profile import Phase, TimeLaw, law_of, ramps


def path_law(cut: Segments) -> TimeLaw:
    """The fastest time law from rest to rest over the segments of a course."""
    length, acc, total, bend = (c.tolist() for c in (cut.length, cut.acc, cut.total, cut.bend))
    top = tops(cut).tolist()
    count = len(length)
    square = [0.0] * (count + 1)  # of the speeds where segments meet
    passed = (cut.pass_speed**2).tolist()
    for i in range(1, count):
        gained = _gained(square[i - 1], length[i - 1], acc[i - 1], total[i - 1], bend[i - 1])
        square[i] = min(top[i - 1], top[i], passed[i - 1], gained)
    for i in range(count - 1, 0, -1):
        gained = _gained(square[i + 1], length[i], acc[i], total[i], bend[i])
        square[i] = min(square[i], gained)
    phases: list[Phase] = []
    here = 0.0
    for i, (way, bent) in enumerate(zip(length, bend, strict=True)):
        w0, w1 = square[i], square[i + 1]
        if not bent:
            phases += ramps(here, way, (math.sqrt(top[i]), acc[i], acc[i]), w0, w1)
        elif w0 + w1 > 0:
            v0, v1 = math.sqrt(w0), math.sqrt(w1)
            phases.append((2 * way / (v0 + v1), here, v0, (w1 - w0) / (2 * way), 0.0))
        here += way
    return law_of(phases, here)


def tops(cut: Segments) -> Array:
    """The squares of the largest speeds (N,) on the segments: what they say, what bends leave."""
    with np.errstate(divide="ignore"):
        return np.minimum(cut.speed**2, cut.total / cut.bend)


def _gained(w: float, length: float, acc: float, total: float, bend: float) -> float:
    """The largest square of speed at one end of a segment that has w at the other.

    (w1 - w)^2 / (2 length)^2 + (bend w1)^2 = total^2: all of the vector at the faster end.
    """
    twice = 2 * length
    if not bend:
        return w + twice * acc
    stiff = 1 + (twice * bend) ** 2
    root = math.sqrt(max(total * total * stiff - (bend * w) ** 2, 0.0))
    return min((w + twice * root) / stiff, w + twice * acc)


def jerk_path_law(cut: Segments, jerk: float) -> TimeLaw:
    """The law over the segments with |s'''| <= `jerk` (m/s3), too.

    It is the mean over a time of another law, whose steps of acceleration then become ramps. The
    other one keeps, wherever it is within that time, the limits of the place where the mean is.
    """
    hardest = float(cut.acc.max())
    for part in (1.0, 2.0):  # from full acceleration to full braking the step is twice as large
        span = part * hardest / jerk
        law = averaged(path_law(widened(cut, span)), span)
        if np.abs(law.j).max() <= jerk * (1 + 1e-9):
            break
    return law


def widened(cut: Segments, span: float) -> Segments:
    """The segments with limits that also hold as far before and behind as `span` s take there."""
    fastest = np.minimum(np.sqrt(tops(cut)), 1e9)
    ends = cut.ends
    starts = ends - cut.length
    firsts, lasts = starts - fastest * span, ends + fastest * span
    slow = np.isfinite(cut.pass_speed)  # places that are passed slowly are segments without length
    firsts = np.concatenate([firsts, (ends - cut.pass_speed * span)[slow]])
    lasts = np.concatenate([lasts, (ends + cut.pass_speed * span)[slow]])
    columns = [
        np.concatenate([cut.speed, cut.pass_speed[slow]]),
        *(np.append(c, np.full(slow.sum(), math.inf)) for c in (cut.acc, cut.total, -cut.bend)),
    ]
    cuts = np.unique(np.clip(np.concatenate([ends, firsts, lasts]), 0.0, ends[-1]))
    length = np.diff(np.concatenate([[0.0], cuts[cuts > 0]]))
    middle = np.cumsum(length) - length / 2
    least = [least_around(middle, firsts, lasts, column) for column in columns]
    speed, acc, total, bend = least[0], least[1], least[2], np.abs(least[3])
    free = np.full(len(length), math.inf)
    return replace(
        cut, length=length, speed=speed, acc=acc, total=total, bend=bend, pass_speed=free
    )


def least_around(at: Array, firsts: Array, lasts: Array, values: Array) -> Array:
    """The least of the values whose span, from first to last, holds each of the rising places."""
    order = np.argsort(firsts, kind="stable").tolist()
    begins, until, value = firsts.tolist(), lasts.tolist(), values.tolist()
    found: list[float] = []
    heap: list[tuple[float, float]] = []
    k = 0
    for place in at.tolist():
        while k < len(order) and begins[order[k]] <= place:
            heapq.heappush(heap, (value[order[k]], until[order[k]]))
            k += 1
        while heap[0][1] < place:
            heapq.heappop(heap)
        found.append(heap[0][0])
    return np.array(found)


def averaged(law: TimeLaw, span: float) -> TimeLaw:
    """The mean of a law over the last `span` s: its steps of acceleration become even ramps."""
    cuts = np.unique(np.concatenate([law.t, law.t + span]))
    steps = np.diff(cuts)
    kept = np.concatenate([[True], steps > 1e-12 * cuts[-1]])
    t = cuts[kept]
    t[-1] = cuts[-1]
    middle = (t[:-1] + t[1:]) / 2
    j = (law.acceleration(middle) - law.acceleration(middle - span)) / span
    v = (law.at(t) - law.at(t - span)) / span
    a = (law.rate(t) - law.rate(t - span)) / span
    d = np.diff(t)
    s = np.concatenate([[0.0], np.cumsum(d * (v[:-1] + d * (a[:-1] / 2 + d * j / 6)))])
    s *= law.length / s[-1]
    phases = list(zip(*(x.tolist() for x in (d, s[:-1], v[:-1], a[:-1], j)), strict=True))
    return law_of(phases, law.length)
