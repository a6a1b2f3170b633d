"""What a pose asks of a wrist: where its centre is, and how it is turned."""

from __future__ import annotations

from dataclasses import dataclass

from ...dynamics.vectors import Matrix, Vector, mat_mul, mat_vec, transpose
from ...ground.arrays import Array
from ...robot.pose import Mat3, Pose, matrix_product


@dataclass(frozen=True, slots=True)
class WristTarget:
    """A pose for the solver: the wrist centre in frame 0 (m), and the columns of R06 R6^T."""

    center: Vector
    columns: Matrix


IDENTITY: Mat3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def wrist_target(
    poses: Array, tool: Pose, center: tuple[float, float, float], last: Mat3, base: Pose
) -> WristTarget:
    """The wrist centres and wrist rotations that tool poses (..., 4, 4) in the base ask for.

    Args:
        poses: Tool poses in the robot's base.
        tool: The tool frame in frame 6.
        center: The wrist centre in frame 6, m.
        last: The constant rotation of joint 6.
        base: Frame 0 in the robot's base.
    """
    rows = [[poses[..., i, j] for j in range(3)] for i in range(3)]
    from_tool, from_base = _transposed(tool.rotation), _transposed(base.rotation)
    to_center = mat_vec(from_tool, [c - p for c, p in zip(center, tool.xyz, strict=True)])
    offset = mat_vec(rows, to_center)
    shift = base.xyz
    point: Vector = [poses[..., i, 3] + (offset[i] - shift[i]) for i in range(3)]
    after = matrix_product(from_tool, _transposed(last))
    columns = transpose(rows if after == IDENTITY else mat_mul(rows, after))
    if from_base != IDENTITY:
        point = mat_vec(from_base, point)
        columns = [mat_vec(from_base, column) for column in columns]
    return WristTarget(point, columns)


def _transposed(r: Mat3) -> Mat3:
    """The transpose of a rotation, as tuples."""
    (a, b, c), (d, e, f), (g, h, i) = r
    return ((a, d, g), (b, e, h), (c, f, i))
