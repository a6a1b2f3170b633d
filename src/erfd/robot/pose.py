"""`Pose`: the constant rotation and translation between two frames fixed to one body."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import InputError

Vec3 = tuple[float, float, float]
Mat3 = tuple[Vec3, Vec3, Vec3]

_SNAP = 1e-12  # a rotation's entry this close to 0 or +-1 is meant to be 0 or +-1


def snap(x: float) -> float:
    """Round `x` to a whole number if it is within 1e-12 of it: cos(90 deg) becomes 0."""
    nearest = float(round(x))
    return nearest + 0.0 if abs(x - nearest) < _SNAP else x


def cos_sin(angle: float) -> tuple[float, float]:
    """(cos, sin) of an angle in rad, exact at multiples of 90 deg."""
    return snap(math.cos(angle)), snap(math.sin(angle))


def matrix_product(a: Mat3, b: Mat3) -> Mat3:
    """The product A B of two rotations, with exact zeros and ones."""
    rows = [[snap(sum(a[i][k] * b[k][j] for k in range(3))) for j in range(3)] for i in range(3)]
    return as_mat3(rows)


def as_mat3(rows: Sequence[Sequence[float]]) -> Mat3:
    """Nested tuples of floats from any nested sequence of nine numbers."""
    a, b, c = (tuple(float(x) + 0.0 for x in row) for row in rows)
    return (a, b, c)  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class Pose:
    """The pose of a frame in another: translation `xyz` in m, fixed-axis angles `rpy` in rad.

    The rotation is Rz(yaw) Ry(pitch) Rx(roll), as in URDF.

    Raises:
        InputError: Not three finite numbers each.
    """

    xyz: Vec3 = (0.0, 0.0, 0.0)
    rpy: Vec3 = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        for name, unit in (("xyz", "m"), ("rpy", "rad")):
            given = getattr(self, name)
            try:
                x, y, z = map(float, given)
            except (TypeError, ValueError, OverflowError):
                x = y = z = math.nan
            if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
                expected = f"three finite numbers ({unit})"
                raise InputError(f"pose: expected {expected} for {name}, found {given!r:.80}")
            object.__setattr__(self, name, (x, y, z))

    @property
    def rotation(self) -> Mat3:
        """The rotation matrix, exact at right angles."""
        (cr, sr), (cp, sp), (cy, sy) = (cos_sin(angle) for angle in self.rpy)
        return as_mat3(
            [
                [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
                [-sp, cp * sr, cp * cr],
            ]
        )

    @property
    def is_identity(self) -> bool:
        """Whether both frames coincide."""
        return not any(self.xyz) and not any(self.rpy)

    def __matmul__(self, other: Pose) -> Pose:
        """The product self * other: the pose `other` in the outer frame of this one."""
        return Pose.of(matrix_product(self.rotation, other.rotation), self.apply(other.xyz))

    def apply(self, point: Sequence[float]) -> Vec3:
        """The coordinates (m) in the outer frame of a point (m) given in the inner one."""
        r, p = self.rotation, self.xyz
        x, y, z = (sum(r[i][k] * point[k] for k in range(3)) + p[i] for i in range(3))
        return (x, y, z)

    def inverse(self) -> Pose:
        """The inverse: the pose of the outer frame in the inner one."""
        r = self.rotation
        transposed = as_mat3([[r[k][i] for k in range(3)] for i in range(3)])
        x, y, z = (-sum(transposed[i][k] * self.xyz[k] for k in range(3)) for i in range(3))
        return Pose.of(transposed, (x, y, z))

    @classmethod
    def of(cls, rotation: Mat3, xyz: Sequence[float]) -> Pose:
        """The pose with this rotation matrix and translation `xyz` (m)."""
        r = rotation
        cos_pitch = math.hypot(r[0][0], r[1][0])
        # at a pitch of +-90 deg only roll -+ yaw is defined, and roll takes all of it; pitch and
        # roll are then measured with the yaw taken out, which loses nothing close to there
        yaw = math.atan2(r[1][0], r[0][0]) if cos_pitch > _SNAP else 0.0
        c, s = math.cos(yaw), math.sin(yaw)
        pitch = math.atan2(-r[2][0], c * r[0][0] + s * r[1][0])
        roll = math.atan2(s * r[0][2] - c * r[1][2], c * r[1][1] - s * r[0][1])
        x, y, z = (float(v) + 0.0 for v in xyz)
        return cls((x, y, z), (roll + 0.0, pitch + 0.0, yaw + 0.0))


IDENTITY = Pose()
"""Both frames coincide."""
