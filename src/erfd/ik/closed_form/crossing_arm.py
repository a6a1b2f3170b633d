"""The first three joints of an arm whose axes 1 and 2 meet, solved for the wrist centre.

Joint 3 turns or slides (Stanford arm). q3 comes first, and its two solutions are the elbow's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...dynamics.vectors import Scalar, Vector, mat_vec, turn
from ...robot.pose import snap
from .front import FrontSolution, Geometry, front_sense, meeting
from .scalars import LOOSE, Scalars, rotated
from .swing import Swing, angle_from


@dataclass(frozen=True, slots=True)
class CrossingArm:
    """An arm whose axes 1 and 2 meet, at height `meet` of axis 1.

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
        level, back = math.hypot(axis[0], axis[1]), meeting(axis, g.p1)
        if back is None:
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
            swing = Swing(2.0 * size, angle_from(g.center, seen))
            fixed = float(root @ root + g.center @ g.center + 2.0 * seen[2] * g.center[2])
        forward = np.array([-axis[1], axis[0], 0.0]) / level
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
            sense=front_sense(forward, g.p1),
        )

    def signs(self, f: Scalars, q: Vector) -> tuple[Scalar, Scalar]:
        """Above 0: the wrist centre is in front (m); joint 3 is on the branch called up."""
        _, place = self.geometry.wrist_center(f, q[1], q[2])
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
