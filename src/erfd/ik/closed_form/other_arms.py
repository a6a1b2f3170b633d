"""Two more structures of the first three joints with a closed form (see `inverse_front`).

`CrossingArm`: axes 1 and 2 meet, joint 3 turns or slides (Stanford arm). `ParallelArm`: axes 1 and
2 are parallel (SCARA). In both q3 comes first, and its two solutions are the elbow's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...dynamics.vectors import Scalar, Vector, mat_vec, turn
from ...robot.pose import cos_sin, snap
from .elbow_arm import SLACK, FrontSolution, Geometry, front_sense
from .scalars import LOOSE, Scalars, rotated


@dataclass(frozen=True, slots=True)
class Swing:
    """Joint 3 seen from the others: `size` cos(q3 + `at`) is what it adds to a constant.

    A sliding joint adds q3 (q3 + 2 `shift`) to it.
    """

    size: float
    at: tuple[float, float]
    shift: float = 0.0

    def bend(self, f: Scalars, q3: Scalar, slides: bool) -> Scalar:
        """Above 0 on the branch that is called up."""
        if slides:
            return q3 + self.shift
        c, s = self.at
        return c * f.sin(q3) + s * f.cos(q3)

    def solve(self, f: Scalars, wanted: Scalar, up: Scalar) -> tuple[Scalar, Scalar]:
        """(cos, sin) of q3 with `size` cos(q3 + `at`) = wanted, or the nearest to it."""
        c = f.within(wanted / self.size, 1.0)
        s = up * f.sqrt((1.0 - c) * (1.0 + c))
        cos, sin = rotated(c, s, (self.at[0], -self.at[1]))
        return cos, sin


def _at(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """(cos, sin) of the angle from b to a, both in the plane."""
    return cos_sin(math.atan2(a[1], a[0]) - math.atan2(b[1], b[0]))


@dataclass(frozen=True, slots=True)
class CrossingArm:
    """Axes 1 and 2 meet at height `meet` of axis 1.

    The distance of the wrist centre from there gives q3, its height q2, its direction q1.
    `root` is where joint 2's frame puts joint 3, `fixed` the part of the squared distance that q3
    does not change; (x, y) `lean` of unit length and `level`: axis 1 seen from joint 2.
    """

    geometry: Geometry
    meet: float
    root: tuple[float, float, float]
    swing: Swing
    fixed: float
    lean: tuple[float, float]
    level: float
    upright: float
    lateral: tuple[float, float]
    sense: float

    @classmethod
    def of(cls, g: Geometry) -> CrossingArm | None:
        """The arm's constants, None if it has another structure."""
        r1, r2 = np.array(g.r1), np.array(g.r2)
        axis = r1[:, 2]
        level = math.hypot(axis[0], axis[1])
        if level < 1e-3:
            return None
        back = -float(g.p1[:2] @ axis[:2]) / level**2
        if math.hypot(*(g.p1[:2] + back * axis[:2])) > SLACK:
            return None
        root = g.p2 - np.array([0.0, 0.0, back])
        if g.slides:
            reach = root + r2 @ g.center
            shift = float(r2[:, 2] @ reach)
            swing = Swing(0.0, (1.0, 0.0), shift)
            fixed = float(reach @ reach)
        else:
            seen = r2.T @ root
            size = math.hypot(seen[0], seen[1]) * math.hypot(g.center[0], g.center[1])
            if size < 1e-6:
                return None
            swing = Swing(2.0 * size, _at(g.center, seen))
            fixed = float(root @ root + g.center @ g.center + 2.0 * seen[2] * g.center[2])
        ahead = np.array([-axis[1], axis[0], 0.0]) / level
        return cls(
            geometry=g,
            meet=float(g.p1[2] + back * axis[2]),
            root=(float(root[0]), float(root[1]), float(root[2])),
            swing=swing,
            fixed=fixed,
            lean=(snap(float(r1[2, 0]) / level), snap(float(r1[2, 1]) / level)),
            level=level,
            upright=float(r1[2, 2]),
            lateral=(snap(float(axis[0]) / level), snap(float(axis[1]) / level)),
            sense=front_sense(ahead, g.p1),
        )

    def signs(self, f: Scalars, q: Vector) -> tuple[Scalar, Scalar]:
        """Above 0: the wrist centre is in front (m); joint 3 is on the branch called up."""
        _, place = self.geometry.along(f, q[1], q[2])
        front = self.sense * (self.lateral[0] * place[1] - self.lateral[1] * place[0])
        return front, self.swing.bend(f, q[2], self.geometry.slides)

    def solve(self, f: Scalars, w: Vector, front: Scalar, up: Scalar, q1: Scalar) -> FrontSolution:
        """The joints for a wrist centre in frame 0; `front`, `up` 1 or -1; `q1` where free."""
        g = self.geometry
        x, y, z = w[0], w[1], w[2] - self.meet
        radius2 = x * x + y * y
        far2 = radius2 + z * z
        far = f.sqrt(far2)
        gx, gy, gz = (float(v) for v in g.center)
        if g.slides:
            root2 = self.swing.shift**2 - self.fixed + far2
            q3 = up * f.sqrt(f.positive(root2)) - self.swing.shift
            c3, s3 = 1.0, 0.0
            inner: Vector = [gx, gy, gz + q3]
            least = math.sqrt(max(self.fixed - self.swing.shift**2, 0.0))
            miss = f.positive(least - far)
        else:
            c3, s3 = self.swing.solve(f, far2 - self.fixed, up)
            q3 = f.atan2(s3, c3)
            inner = turn(c3, s3, [gx, gy, gz])
            most = math.sqrt(self.fixed + self.swing.size)
            least = math.sqrt(max(self.fixed - self.swing.size, 0.0))
            miss = f.positive(f.larger(far - most, least - far))
        hx, hy, hz = (v + k for v, k in zip(mat_vec(g.r2, inner), self.root, strict=True))

        # level |h| cos(q2 + angle of h - angle of lean) = height of the wrist centre
        size2 = hx * hx + hy * hy
        height = (z - self.upright * hz) / self.level
        turned = (-self.sense * front) * f.sqrt(f.positive(size2 - height * height))
        miss = f.larger(miss, self.level * f.positive(abs(height) - f.sqrt(size2)))
        c, s = rotated(height, turned, self.lean)
        c, s = rotated(c, s, (hx, -hy))
        c2, s2 = f.unit(c, s, size2 < LOOSE**2, 1.0, 0.0)
        vx, vy, _ = mat_vec(g.r1, turn(c2, s2, [hx, hy, hz]))
        free = radius2 < LOOSE**2
        c1, s1 = f.unit(x * vx + y * vy, y * vx - x * vy, free, f.cos(q1), f.sin(q1))
        steps = [(c1, s1, g.r1), (c2, s2, g.r2), (c3, s3, g.r3)]
        return FrontSolution([f.atan2(s1, c1), f.atan2(s2, c2), q3], steps, miss, radius2)


@dataclass(frozen=True, slots=True)
class ParallelArm:
    """Axes 1 and 2 are parallel: the height gives q3, a triangle in the plane q2 and q1."""

    geometry: Geometry
    swing: Swing
    fixed: float
    flip: float
    arm: float
    arm_at: tuple[float, float]

    @classmethod
    def of(cls, g: Geometry) -> ParallelArm | None:
        """The arm's constants, None if it has another structure."""
        r1, r2 = np.array(g.r1), np.array(g.r2)
        arm = math.hypot(g.p1[0], g.p1[1])
        size = math.hypot(r2[2, 0], r2[2, 1]) * math.hypot(g.center[0], g.center[1])
        if g.slides or math.hypot(r1[0, 2], r1[1, 2]) > SLACK or min(arm, size) < 1e-6:
            return None
        return cls(
            geometry=g,
            swing=Swing(size, _at(g.center, r2[2])),
            fixed=float(g.p2[2] + r2[2, 2] * g.center[2]),
            flip=math.copysign(1.0, r1[2, 2]),
            arm=arm,
            arm_at=cos_sin(math.atan2(g.p1[1], g.p1[0])),
        )

    def _behind(self, c3: Scalar, s3: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """The wrist centre from axis 2 at q2 = 0: along link 1, across it, and up joint 2's z."""
        g = self.geometry
        inner = turn(c3, s3, [float(v) for v in g.center])
        h = [v + float(k) for v, k in zip(mat_vec(g.r2, inner), g.p2, strict=True)]
        x, y, _ = mat_vec(g.r1, [h[0], h[1], 0.0])
        along, across = rotated(x, y, (self.arm_at[0], -self.arm_at[1]))
        return along, across, h[2]

    def signs(self, f: Scalars, q: Vector) -> tuple[Scalar, Scalar]:
        """Above 0: links 1 and 2 bend to the left (m); joint 3 is on the branch called up."""
        along, across, _ = self._behind(f.cos(q[2]), f.sin(q[2]))
        left = f.sin(self.flip * q[1]) * along + f.cos(q[1]) * across
        return left, self.swing.bend(f, q[2], False)

    def solve(self, f: Scalars, w: Vector, front: Scalar, up: Scalar, q1: Scalar) -> FrontSolution:
        """The joints for a wrist centre in frame 0; `front`, `up` 1 or -1; `q1` where free."""
        g = self.geometry
        x, y = w[0], w[1]
        wanted = self.flip * (w[2] - float(g.p1[2])) - self.fixed
        c3, s3 = self.swing.solve(f, wanted, up)
        miss = f.positive(abs(wanted) - self.swing.size)
        along, across, _ = self._behind(c3, s3)
        radius2, size2 = x * x + y * y, along * along + across * across
        a, b, reach = self.arm, f.sqrt(size2), f.sqrt(radius2)
        miss = f.larger(miss, f.positive(f.larger(reach - (a + b), abs(a - b) - reach)))
        # along and across, turned by q2, must be at (u, v) for the triangle to close
        u = f.smaller(f.larger((radius2 - a * a - size2) / (2.0 * a), -b), b)
        v = front * f.sqrt(f.positive(size2 - u * u))
        c, s = rotated(u, v, (along, -across))
        c2, s2 = f.unit(c, s, size2 < LOOSE**2, 1.0, 0.0)
        s2 = self.flip * s2
        vx, vy = rotated(a + u, v, self.arm_at)
        free = radius2 < LOOSE**2
        c1, s1 = f.unit(x * vx + y * vy, y * vx - x * vy, free, f.cos(q1), f.sin(q1))
        steps = [(c1, s1, g.r1), (c2, s2, g.r2), (c3, s3, g.r3)]
        return FrontSolution(
            [f.atan2(s1, c1), f.atan2(s2, c2), f.atan2(s3, c3)], steps, miss, radius2
        )
