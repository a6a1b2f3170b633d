"""The first three joints of an arm whose axes 1 and 2 are parallel, solved for the wrist centre.

A SCARA with a wrist. q3 comes first, and its two solutions are the elbow's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...dynamics.vectors import Scalar, Vector, mat_vec, turn
from ...robot.pose import cos_sin
from .front import SLACK, FrontSolution, Geometry
from .scalars import LOOSE, Scalars, rotated
from .swing import Swing, angle_from


@dataclass(frozen=True, slots=True)
class ParallelArm:
    """An arm whose axes 1 and 2 are parallel.

    The height gives q3, a triangle in the plane q2 and q1.
    """

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
            swing=Swing(size, angle_from(g.center, r2[2])),
            fixed=float(g.p2[2] + r2[2, 2] * g.center[2]),
            flip=math.copysign(1.0, r1[2, 2]),
            arm=arm,
            arm_at=cos_sin(math.atan2(g.p1[1], g.p1[0])),
        )

    def _from_axis2(self, c3: Scalar, s3: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """The wrist centre from axis 2 at q2 = 0: along link 1, across it, and up joint 2's z."""
        g = self.geometry
        inner = turn(c3, s3, [float(v) for v in g.center])
        h = [v + float(k) for v, k in zip(mat_vec(g.r2, inner), g.p2, strict=True)]
        x, y, _ = mat_vec(g.r1, [h[0], h[1], 0.0])
        along, across = rotated(x, y, (self.arm_at[0], -self.arm_at[1]))
        return along, across, h[2]

    def signs(self, f: Scalars, q: Vector) -> tuple[Scalar, Scalar]:
        """Above 0: links 1 and 2 bend to the left (m); joint 3 is on the branch called up."""
        along, across, _ = self._from_axis2(f.cos(q[2]), f.sin(q[2]))
        left = f.sin(self.flip * q[1]) * along + f.cos(q[1]) * across
        return left, self.swing.bend(f, q[2], False)

    def solve(self, f: Scalars, w: Vector, front: Scalar, up: Scalar, q1: Scalar) -> FrontSolution:
        """The joints for a wrist centre in frame 0; `front`, `up` 1 or -1; `q1` where free."""
        g = self.geometry
        x, y = w[0], w[1]
        wanted = self.flip * (w[2] - float(g.p1[2])) - self.fixed
        c3, s3 = self.swing.solve(f, wanted, up)
        miss = f.positive(abs(wanted) - self.swing.size)
        along, across, _ = self._from_axis2(c3, s3)
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
