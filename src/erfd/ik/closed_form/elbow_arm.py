"""The first three joints of an elbow arm (axes 2 and 3 parallel), solved for the wrist centre.

This is the structure of nearly every industrial arm; `crossing_arm` and `parallel_arm` have two
others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...dynamics.vectors import Scalar, Vector, plus, times
from ...ground.arrays import Array
from ...robot.pose import Mat3, cos_sin, matrix_product, snap
from .front import SLACK, FrontSolution, Geometry, front_sense
from .scalars import LOOSE, Scalars, rotated
from .two_links import two_links


@dataclass(frozen=True, slots=True)
class ElbowArm:
    """An arm whose axes 2 and 3 are parallel: Lola 15, Puma 560, nearly every industrial arm.

    Joint 1 brings the wrist centre into the plane of links 2 and 3, a triangle does the rest.
    `side` + `tilt` z is where that plane is beside axis 1; (cos, sin) `lateral` its normal.
    Coordinates in it: X = forward F + height z + start, F the wrist centre's distance forward,
    which is `shoulder` at joint 2.
    """

    geometry: Geometry
    side: float
    tilt: float
    lateral: tuple[float, float]
    forward: tuple[float, float]
    height: tuple[float, float]
    start: tuple[float, float]
    shoulder: float
    upper: float
    lower: float
    upper_at: tuple[float, float]
    lower_at: tuple[float, float]
    flip: float
    sense: float
    r23: Mat3

    @classmethod
    def of(cls, g: Geometry) -> ElbowArm | None:
        """The arm's constants, None if it has another structure."""
        r1, r2 = np.array(g.r1), np.array(g.r2)
        axis = r1[:, 2]
        level = math.hypot(axis[0], axis[1])
        if g.slides or math.hypot(r2[0, 2], r2[1, 2]) > SLACK or level < 1e-3:
            return None
        upper, lower = (math.hypot(v[0], v[1]) for v in (g.p2, g.center))
        if min(upper, lower) < 1e-6:
            return None
        flip = math.copysign(1.0, r2[2, 2])
        normal = np.array([axis[0], axis[1], 0.0]) / level
        forward = np.array([-normal[1], normal[0], 0.0])
        offset = g.p2[2] + r2[2, 2] * g.center[2] + axis @ g.p1
        side, tilt = offset / level, -axis[2] / level
        plane = r1[:, :2].T
        lift = plane @ (tilt * normal + np.array([0.0, 0.0, 1.0]))
        bent = r2[:2, :2] @ g.center[:2]
        at = math.atan2(g.p2[1], g.p2[0])
        return cls(
            geometry=g,
            side=snap(side),
            tilt=snap(tilt),
            lateral=_pair(normal),
            forward=_pair(plane @ forward),
            height=_pair(lift),
            start=_pair(plane @ (side * normal - g.p1)),
            shoulder=snap(float(forward @ g.p1)),
            upper=upper,
            lower=lower,
            upper_at=cos_sin(at),
            lower_at=cos_sin(math.atan2(bent[1], bent[0]) - at),
            flip=flip,
            sense=front_sense(forward, g.p1),
            r23=matrix_product(g.r2, g.r3),
        )

    def signs(self, f: Scalars, q: Vector) -> tuple[Scalar, Scalar]:
        """Above 0: the wrist centre is in front (m); the elbow is up (sine of its angle)."""
        at, bent = (math.atan2(s, c) for c, s in (self.upper_at, self.lower_at))
        first, bend = q[1] + at, self.flip * q[2] + bent
        second = first + bend
        x = self.upper * f.cos(first) + self.lower * f.cos(second)
        y = self.upper * f.sin(first) + self.lower * f.sin(second)
        front = self.sense * (self.shoulder + self.forward[0] * x + self.forward[1] * y)
        side = 1.0 - 2.0 * (front < 0)
        return front, -self.sense * side * f.sin(bend)

    def room(self, q3: Array) -> Array:
        """How far (m) the wrist centre is from where the arm is stretched or folded."""
        c, s = self.lower_at
        cosine = c * np.cos(q3) - self.flip * s * np.sin(q3)
        a, b = self.upper, self.lower
        reach = np.sqrt(np.maximum(a * a + b * b + 2 * a * b * cosine, 0.0))
        return np.asarray(np.minimum(a + b - reach, reach - abs(a - b)))

    def solve(self, f: Scalars, w: Vector, front: Scalar, up: Scalar, q1: Scalar) -> FrontSolution:
        """The joints for a wrist centre in frame 0; `front`, `up` 1 or -1; `q1` where free."""
        x, y, z = w
        lateral = plus(self.side, times(self.tilt, z))
        radius2 = x * x + y * y
        distance = (self.sense * front) * f.sqrt(f.positive(radius2 - lateral * lateral))
        c, s = x * lateral + y * distance, y * lateral - x * distance
        nx, ny = self.lateral
        free = radius2 < LOOSE**2
        c0, s0 = rotated(f.cos(q1), f.sin(q1), (nx, ny))
        c, s = f.unit(c, s, free, c0, s0)
        c1, s1 = rotated(c, s, (nx, -ny))

        px, py = (
            times(a, distance) + times(b, z) + k
            for a, b, k in zip(self.forward, self.height, self.start, strict=True)
        )
        (c2, s2), (c3, s3), (c23, s23), miss = two_links(
            f, (px, py), (self.upper, self.lower), (self.upper_at, self.lower_at),
            -self.sense * front * up,
        )  # fmt: skip
        s3 = times(self.flip, s3)

        if self.side or self.tilt:
            miss = f.larger(miss, f.positive(abs(lateral) - f.sqrt(radius2)))
        q = [f.atan2(s1, c1), f.atan2(s2, c2), f.atan2(s3, c3)]
        return FrontSolution(q, [(c1, s1, self.geometry.r1), (c23, s23, self.r23)], miss, radius2)


def _pair(v: Array) -> tuple[float, float]:
    """x and y of a vector, without rounding errors of simple values."""
    return snap(float(v[0])), snap(float(v[1]))
