"""A spherical wrist: three axes through one point, solved for an orientation.

    M = Rz(q4) R4 Rz(q5) R5 Rz(q6)

The angle between axes 4 and 6 gives q5 up to its sign, then q4 follows from the third column of M,
and q6 from what is left of M. Written over any scalar, as the dynamics are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...dynamics.vectors import Matrix, Scalar, Vector, dot, mat_mul, times, transpose, turn_back
from ...robot.pose import Mat3, cos_sin
from .scalars import LOOSE, Scalars, rotated


@dataclass(frozen=True, slots=True)
class WristSolution:
    """The solution of a wrist: q4, q5, q6 in rad.

    `miss` is by how many rad axis 6 cannot point as it should (0: it can), `loose` the square
    of the sine of the angle between axes 4 and 6.
    """

    q: list[Scalar]
    miss: Scalar
    loose: Scalar


@dataclass(frozen=True, slots=True)
class Wrist:
    """The constants of a wrist.

    `first`, `second`: angles between axes 4 and 5, and 5 and 6, rad. The wrist is straight (or
    folded) at q5 = `straight`, in (-pi/2, pi/2]; `sense` is -1 if it is folded there.
    """

    r4: Mat3
    r5: Mat3
    first: float
    second: float
    straight: float
    sense: float

    @classmethod
    def of(cls, r4: Mat3, r5: Mat3) -> Wrist:
        """The wrist of two constant rotations, whose axes are not parallel."""
        a, b, _ = r4[2]
        x, y, _ = r5[0][2], r5[1][2], r5[2][2]
        first, second = (math.acos(max(-1.0, min(1.0, c))) for c in (r4[2][2], r5[2][2]))
        angle = math.atan2(b * x - a * y, a * x + b * y)
        sense = 1.0
        if abs(angle) > math.pi / 2 + 1e-9:
            angle, sense = angle - math.copysign(math.pi, angle), -1.0
        elif angle < -math.pi / 2 + 1e-9:
            angle, sense = angle + math.pi, -1.0
        return cls(r4, r5, first, second, 0.0 if abs(angle) < 1e-12 else angle, sense)

    @property
    def orthogonal(self) -> bool:
        """Whether neighbouring axes are at right angles, so that every orientation is reached."""
        return self.r4[2][2] == 0 and self.r5[2][2] == 0

    def bend(self, f: Scalars, q5: Scalar) -> Scalar:
        """The sine of the angle that q5 is away from the straight wrist; below 0: flipped."""
        return f.sin(q5 - self.straight)

    def solve(self, f: Scalars, m: Matrix, side: Scalar, q4: Scalar) -> WristSolution:
        """The angles for the columns `m` of M; `side` 1, or -1 flipped; `q4` where it is free."""
        sine2 = m[2][0] * m[2][0] + m[2][1] * m[2][1]
        cosine, sine, miss = self._bent(f, m[2][2], sine2)
        c5, s5 = rotated(times(self.sense, cosine), side * sine, cos_sin(self.straight))
        middle = mat_mul(self.r4, transpose([_turned(c5, s5, c) for c in transpose(self.r5)]))
        columns = transpose(middle)
        nx, ny = columns[2][0], columns[2][1]
        c4 = m[2][0] * nx + m[2][1] * ny
        s4 = m[2][1] * nx - m[2][0] * ny
        c4, s4 = f.unit(c4, s4, sine2 < LOOSE**2, f.cos(q4), f.sin(q4))
        rest = turn_back(c4, s4, m[0])
        c6, s6 = dot(columns[0], rest), dot(columns[1], rest)
        if not self.orthogonal:  # where the orientation is missed, the nearest one
            rest = turn_back(c4, s4, m[1])
            c6, s6 = c6 + dot(columns[1], rest), s6 - dot(columns[0], rest)
        return WristSolution([f.atan2(s4, c4), f.atan2(s5, c5), f.atan2(s6, c6)], miss, sine2)

    def _bent(self, f: Scalars, cosine: Scalar, sine2: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """Cosine and sine (>= 0) of q5 from the straight wrist, and the angle that is missing."""
        if self.orthogonal:
            return cosine, f.sqrt(sine2), 0.0
        between = f.atan2(f.sqrt(sine2), cosine)
        apart, whole = self.first - self.second, self.first + self.second
        # half-angle formulas of the spherical triangle: they lose nothing where the wrist is
        # nearly straight or folded
        near = f.sin(0.5 * (between - apart)) * f.sin(0.5 * (between + apart))
        far = f.sin(0.5 * (whole + between)) * f.sin(0.5 * (whole - between))
        scale = 1.0 / (math.sin(self.first) * math.sin(self.second))
        s2, c2 = f.positive(scale * near), f.positive(scale * far)
        total = s2 + c2
        least = abs(apart)
        most = min(whole, 2.0 * math.pi - whole)
        miss = f.positive(f.larger(least - between, between - most))
        return (c2 - s2) / total, 2.0 * f.sqrt(s2 * c2) / total, miss


def _turned(c: Scalar, s: Scalar, v: Vector) -> Vector:
    """The vector turned about z by the angle of (cos, sin)."""
    x, y = rotated(v[0], v[1], (c, s))
    return [x, y, v[2]]
