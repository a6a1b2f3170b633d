"""The fastest time law on a path within the limits of the axes (TOPP-RA, Pham and Pham 2018).

With w = v^2 and one acceleration a in each part, the limits of the axes are linear in w and a:
|q' a + q'' w| <= limit. Backwards, the largest w at each place from which the next can be reached;
then forwards, the largest a. The path stays as it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ..ground.arrays import Array
from .axis_path import AxisPath, limit_name, used
from .path_law import averaged, least_around
from .path_law import tops as speed_squares
from .profile import Phase, TimeLaw, law_of
from .ptp import Axes

SAFE = 0.99
"""The part of the limits that is planned with: between two places that are looked at it is more."""
SMALL_STEP = 0.02
"""A step of velocity that takes less of the acceleration of a cycle is one of differences."""
SLOWEST = 1e-4
"""The part of a path's speed below which it is not slowed: what is too much there is a jump."""
LEVELS, CHOICES = 4, 17
"""Of the search for the largest w: each level divides what is left by CHOICES - 1."""


@dataclass(frozen=True, slots=True)
class Slowing:
    """How far a move was slowed: the smallest part of its speed, and the limit that asked for it.

    `most` is the largest part of a limit that it uses now, `most_of` the name of that limit.
    """

    part: float = 1.0
    limit: str = ""
    most: float = 0.0
    most_of: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A part of a path as conditions on w at its start and a: |p a + r w| <= 1 for each axis.

    `length` is twice that of the part: w grows by length * a. `acc`, `total` and `bend` are the
    path's own limits.
    """

    p: Array
    r: Array
    length: float
    acc: float
    total: float
    bend: float

    def ramps(self, w: Array, most: float) -> tuple[Array, Array]:
        """The least and the largest a (M,) for w (M,), with `most` at the end; crossed: none."""
        firm = np.abs(self.p) > 1e-12
        reach = np.divide(1.0, np.abs(self.p), out=np.full(len(self.p), math.inf), where=firm)
        slope = np.divide(-self.r, self.p, out=np.zeros(len(self.p)), where=firm)
        center = slope * w[:, None]
        low, high = (center - reach).max(axis=1), (center + reach).min(axis=1)
        still = (np.abs(self.r) * w[:, None] <= 1.0) | firm  # limits that a does not help with
        bent = (self.bend * w) ** 2
        round_ = self.total**2 - bent
        own = np.minimum(np.sqrt(np.clip(round_, 0.0, None)), self.acc)
        # at the end: a^2 + bend^2 (w + length a)^2 <= total^2
        stiff = 1 + (self.length * self.bend) ** 2
        half = self.length * self.bend**2 * w / stiff
        root = np.sqrt(np.clip(half * half + round_ / stiff, 0.0, None))
        low = np.max([low, -own, -half - root, -w / self.length], axis=0)
        high = np.min([high, own, root - half, (most - w) / self.length], axis=0)
        good = still.all(axis=1) & (round_ >= 0)
        return np.where(good, low, 1.0), np.where(good, high, -1.0)


def adapted_law(
    axes: Axes, path: AxisPath, free: TimeLaw, cycle: float, span: float = 0.0
) -> tuple[TimeLaw, list[Slowing]]:
    """The law within the limits of the axes, too, and what became of each stretch of the course.

    `free` is the law without them. `cycle` is that of the controller (s): a jump of dq/ds is a step
    of velocity, which has one cycle. With a `span` (s) it is the mean of a law over that time, and
    as much slower as it takes then.
    """
    if _fits(axes, path, free, cycle):
        return free, [Slowing()] * (int(path.index.max()) + 1)
    limits = replace(
        axes,
        joints=replace(
            axes.joints,
            velocity=SAFE * axes.joints.velocity,
            acceleration=SAFE * axes.joints.acceleration,
        ),
        rotor=SAFE * axes.rotor,
    )
    tops, share = _tops(limits, path, cycle)
    if span:
        way = span * np.sqrt(tops[1:-1])  # and as far as the next place
        tops[1:-1] = least_around(path.s[1:-1], path.s[:-2] - way, path.s[2:] + way, tops[1:-1])
    w = _profile(path, _parts(limits, path, share), tops)
    phases: list[Phase] = []
    for here, length, w0, w1 in zip(
        *(column.tolist() for column in (path.s[:-1], path.limits.length, w[:-1], w[1:])),
        strict=True,
    ):
        if w0 + w1 > 0:
            v0, v1 = math.sqrt(w0), math.sqrt(w1)
            phases.append((2 * length / (v0 + v1), here, v0, (w1 - w0) / (2 * length), 0.0))
    law = law_of(phases, float(path.s[-1]))
    if span:
        law = _fitted(axes, path, averaged(law, span))
    return law, _slowings(axes, path, law, free)


def _fits(axes: Axes, path: AxisPath, law: TimeLaw, cycle: float) -> bool:
    """Whether a law keeps the limits of the axes as it is."""
    rates = law.rate(law.time_of(path.s[1:-1]))
    jumps = np.abs(path.first[0, 1:] - path.first[1, :-1]) / axes.joints.acceleration
    steps = jumps.max(axis=1, initial=0.0) * rates / cycle
    return bool((steps <= SMALL_STEP).all() and _used(axes, path, law).max() <= 1 - SMALL_STEP)


def _used(axes: Axes, path: AxisPath, law: TimeLaw) -> Array:
    """The parts of the limits (M, 3 n) that a law uses, at instants all over it."""
    middle = (path.s[:-1] + path.s[1:]) / 2
    t = np.concatenate(
        [np.linspace(0.0, law.duration, 4 * len(path.s)), law.t, law.time_of(middle)]
    )
    return used(axes, *path.rates(law.at(t), law.rate(t), law.acceleration(t)))


def _tops(limits: Axes, path: AxisPath, cycle: float) -> tuple[Array, Array]:
    """The largest w at each place (N + 1,), and the share of acceleration for ramps (N,).

    Where dq/ds jumps, half of the acceleration is for the step that it makes in a cycle.
    """
    slowest = (SLOWEST * path.limits.speed) ** 2
    per_part = speed_squares(path.limits)
    for first, second in zip(path.first, path.second, strict=True):
        rates = used(limits, first, second)[:, : 2 * first.shape[1]].max(axis=1)
        with np.errstate(divide="ignore"):
            per_part = np.minimum(per_part, np.maximum(1 / rates**2, slowest))
    jumps = np.abs(path.first[0, 1:] - path.first[1, :-1]) / limits.joints.acceleration
    jump = jumps.max(axis=1)
    # differences of second order leave jumps of that order where there is none
    real = jump * np.sqrt(np.minimum(per_part[1:], per_part[:-1])) > SMALL_STEP * cycle
    step = np.full(len(jump), math.inf)
    step[real] = (0.5 * cycle / jump[real]) ** 2
    step = np.maximum(step, np.maximum(slowest[1:], slowest[:-1]))
    tops = np.zeros(len(path.s))
    passed = path.limits.pass_speed[:-1] ** 2
    tops[1:-1] = np.min([per_part[1:], per_part[:-1], passed, step], axis=0)
    share = np.ones(len(path.index))
    stepped = 1 + np.flatnonzero(real)
    near = 2 * cycle * np.sqrt(tops[stepped])
    first = np.searchsorted(path.s[1:], path.s[stepped] - near, side="right")
    end = np.searchsorted(path.s[:-1], path.s[stepped] + near, side="left")
    for a, b in zip(first.tolist(), end.tolist(), strict=True):
        share[a:b] = 0.5
    return tops, share


def _parts(limits: Axes, path: AxisPath, share: Array) -> list[_Part]:
    """The conditions of each part."""
    own = path.limits
    twice = 2 * own.length
    slowest = (SLOWEST * own.speed) ** 2
    acceleration = limits.joints.acceleration * share[:, None]
    # what the slowest speed asks for is allowed
    acceleration = np.maximum(acceleration, 2 * np.abs(path.second).max(axis=0) * slowest[:, None])
    ending = path.first[1] + twice[:, None] * path.second[1]
    p = np.hstack([path.first[0] / acceleration, ending / acceleration])
    r = np.hstack([path.second[0] / acceleration, path.second[1] / acceleration])
    rest = zip(*(x.tolist() for x in (twice, own.acc, own.total, own.bend)), strict=True)
    return [_Part(p[k], r[k], *row) for k, row in enumerate(rest)]


def _profile(path: AxisPath, parts: list[_Part], tops: Array) -> Array:
    """The largest w at each place (N + 1,), from rest to rest."""
    reach = tops.copy()  # the largest from which the end can be reached
    for k in range(len(parts) - 1, 0, -1):
        reach[k] = _largest(parts[k], float(tops[k]), float(reach[k + 1]))
    w = np.zeros(len(tops))
    for k, part in enumerate(parts[:-1]):
        low, high = part.ramps(w[k : k + 1], float(reach[k + 1]))
        a = max(float(high[0]), float(low[0])) if low[0] > high[0] else float(high[0])
        w[k + 1] = min(max(w[k] + part.length * a, 0.0), reach[k + 1])
    return w


def _largest(part: _Part, top: float, after: float) -> float:
    """The largest w <= top from which at most `after` can be reached at the end of a part."""
    # the path's own limit says the most; on a very short part the search would not find so little
    top = min(top, after + part.length * part.acc)
    low, high = part.ramps(np.array([top]), after)
    if low[0] <= high[0]:
        return top
    bottom = 0.0
    for _ in range(LEVELS):
        choices = np.linspace(top, bottom, CHOICES)
        low, high = part.ramps(choices, after)
        k = int((low <= high).argmax())
        if k == 0:
            break
        top, bottom = float(choices[k - 1]), float(choices[k])
    return bottom


def _fitted(axes: Axes, path: AxisPath, law: TimeLaw) -> TimeLaw:
    """The law, as much slower as it takes to keep the limits of the axes."""
    parts = _used(axes, path, law)
    n = axes.K.shape[0]
    fast, hard = float(parts[:, : 2 * n].max()), float(parts[:, 2 * n :].max())
    return law.stretched(max(fast, math.sqrt(hard), 1.0))


def _slowings(axes: Axes, path: AxisPath, law: TimeLaw, free: TimeLaw) -> list[Slowing]:
    """What became of each stretch: compared with the law without axes, at each place."""
    middle = (path.s[:-1] + path.s[1:]) / 2
    t = law.time_of(middle)
    v, unslowed = law.rate(t), free.rate(free.time_of(middle))
    part = np.divide(v, unslowed, out=np.ones(len(v)), where=unslowed > 0)
    parts = used(axes, *path.rates(middle, v, law.acceleration(t)))
    worst, n = parts.max(axis=1), axes.K.shape[0]
    result = []
    bounds = np.searchsorted(path.index, np.arange(int(path.index.max()) + 2)).tolist()
    for first, end in pairwise(bounds):
        if first == end:
            result.append(Slowing())
            continue
        least = first + int(part[first:end].argmin())
        hardest = first + int(worst[first:end].argmax())
        slow, most = (limit_name(int(parts[i].argmax()), n) for i in (least, hardest))
        slowed = min(float(part[least]), 1.0)
        result.append(Slowing(slowed, slow, float(worst[hardest]), most))
    return result
