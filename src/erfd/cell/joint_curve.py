"""How the joints go between the samples of a motion, and how far a shape can move on the way.

Between samples the velocity goes evenly from that of one to that of the other, as drives fill in a
controller's samples (`Plan.refined`): the curve through the middles of neighbouring samples that
turns towards each sample, a quadratic B-spline. It is one curve whatever part of the controller's
cycle the samples are apart; a sample is off it by an eighth of the change of the step there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..ground.arrays import Array
from ..robot.model import Robot


@dataclass(frozen=True, slots=True, eq=False)
class JointCurve:
    """Pieces 0..M-1 of parabolas between `knots` (M+1, n), bent towards `controls` (M, n).

    A place on the curve is a number x from 0 to M: whole numbers are knots. `times` (M+1,) in s.
    """

    knots: Array
    controls: Array
    times: Array

    @classmethod
    def of(cls, t: Array, q: Array) -> JointCurve:
        """The curve of a motion: t (N,) in s, q (N, n) in rad (m); it begins and ends at rest."""
        if len(q) == 1:
            return cls(q, q[:0], t)
        middles, between = (q[1:] + q[:-1]) / 2, (t[1:] + t[:-1]) / 2
        knots = np.concatenate([q[:1], middles, q[-1:]])
        ends = (knots[:1] + knots[1:2]) / 2, (knots[-2:-1] + knots[-1:]) / 2
        controls = np.concatenate([ends[0], q[1:-1], ends[1]])
        return cls(knots, controls, np.concatenate([t[:1], between, t[-1:]]))

    def __len__(self) -> int:
        return len(self.controls)

    def part(self, first: int, last: int) -> JointCurve:
        """The pieces from knot `first` to knot `last`."""
        rows = slice(first, last + 1)
        return JointCurve(self.knots[rows], self.controls[first:last], self.times[rows])

    def at(self, x: Array) -> Array:
        """Joint positions at places x (K,), rad (m), (K, n)."""
        k = np.minimum(x.astype(int), len(self) - 1)
        u = (x - k)[:, None]
        ends = (1 - u) ** 2 * self.knots[k] + u**2 * self.knots[k + 1]
        return np.asarray(ends + 2 * u * (1 - u) * self.controls[k])

    def time(self, x: Array) -> Array:
        """Times at places x (K,), s."""
        return np.interp(x, np.arange(len(self.times)), self.times)

    def rates(self) -> Array:
        """The most that each joint moves on each piece, per unit of x, rad (m), (M, n)."""
        before = np.abs(self.controls - self.knots[:-1])
        return np.asarray(2 * np.maximum(before, np.abs(self.knots[1:] - self.controls)))


def furthest_ways(
    robot: Robot,
    link: int,
    centers: Array,
    reach: Array,
    frames: Array,
    rates: Array,
    carrier: int = -1,
) -> Array:
    """The longest ways that any point of shapes on a link can go, from the first knot to each.

    Seen from the link `carrier` (-1: the world), which the joints up to its own move along.

    While joint j turns by an angle, a point goes at most the angle times its distance from the
    axis; that distance changes by no more than the joints beyond j move the point. Within a piece
    the bound goes evenly.

    Args:
        robot: The robot.
        link: The number of the link, from 0.
        centers: Middles of the shapes at the knots, m, (B, M+1, 3).
        reach: Radii of spheres about the middles that hold the shapes, m, (B,).
        frames: The frames 0..n at the knots in the same coordinates, (M+1, n+1, 4, 4).
        rates: What each joint moves at most on each piece, rad (m), (M, n).
        carrier: The number of the link that the ways are seen from.

    Returns:
        Ways in m, (B, M+1), from 0.
    """
    moved = np.zeros((len(centers), len(rates)))
    for j in range(link, carrier, -1):
        if not robot.joints[j].revolute:
            moved += rates[:, j]
            continue
        axis, origin = frames[:-1, j, :3, 2], frames[:-1, j, :3, 3]
        away = np.linalg.norm(np.cross(centers[:, :-1] - origin, axis), axis=-1)
        moved += rates[:, j] * (away + reach[:, None] + moved)
    ways = np.zeros((len(centers), len(rates) + 1))
    np.cumsum(moved, axis=1, out=ways[:, 1:])
    return ways
