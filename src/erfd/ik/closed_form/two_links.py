"""Two links in a plane that reach for a point: a triangle, with the elbow on either side."""

from __future__ import annotations

from ...dynamics.vectors import Scalar
from .scalars import LOOSE, Scalars, rotated

Turn = tuple[Scalar, Scalar]
"""(cos, sin) of an angle."""


def two_links(
    f: Scalars,
    point: tuple[Scalar, Scalar],
    lengths: tuple[float, float],
    at: tuple[tuple[float, float], tuple[float, float]],
    bend: Scalar,
) -> tuple[Turn, Turn, Turn, Scalar]:
    """The turns of the first link, of the second one against it, and of both; what is missing in m.

    `at` are the angles (cos, sin) at which the links lie in their own frames; `bend` 1 or -1.
    """
    (px, py), (a, b) = point, lengths
    reach2 = px * px + py * py
    ck = f.within((reach2 - (a * a + b * b)) / (2 * a * b), 1.0)
    area = (reach2 - (a - b) ** 2) * ((a + b) ** 2 - reach2)  # Heron
    sk = bend * f.sqrt(f.positive(area)) / (2 * a * b)
    (ca, sa), (cg, sg) = at
    c3, s3 = rotated(ck, sk, (cg, -sg))
    u, v = a + b * ck, b * sk
    cp, sp = f.unit(px * u + py * v, py * u - px * v, reach2 < LOOSE**2, 1.0, 0.0)
    c2, s2 = rotated(cp, sp, (ca, -sa))
    reach = f.sqrt(reach2)
    miss = f.positive(f.larger(reach - (a + b), abs(a - b) - reach))
    return (c2, s2), (c3, s3), rotated(c2, s2, (c3, s3)), miss
