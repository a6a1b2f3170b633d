"""Convex polygons, the cross-sections of prisms: checks and moments of area."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from ..errors import RobotError

Point = tuple[float, float]
FLAT = 1e-12  # beside the square of the polygon's size: an area or a turn this small is none


@dataclass(frozen=True, slots=True)
class Area:
    """Moments of a plane area: m2, centroid in m, integrals of xx, yy, xy about it in m4."""

    area: float
    center: Point
    xx: float
    yy: float
    xy: float

    def minus(self, hole: Area) -> Area:
        """This area with `hole` cut out of it."""
        area = self.area - hole.area
        x, y = (
            (self.area * a - hole.area * b) / area
            for a, b in zip(self.center, hole.center, strict=True)
        )
        moments = [self.xx - hole.xx, self.yy - hole.yy, self.xy - hole.xy]
        for piece, sign in ((self, 1.0), (hole, -1.0)):  # parallel axes
            u, v = piece.center[0] - x, piece.center[1] - y
            shifts = (u * u, v * v, u * v)
            moments = [m + sign * piece.area * s for m, s in zip(moments, shifts, strict=True)]
        return Area(area, (x, y), *moments)


def area_of(points: Sequence[Point]) -> Area:
    """The moments of a simple polygon, whichever way round its corners go (Green's theorem)."""
    x0, y0 = points[0]  # summed from a corner: an origin far away would cost digits
    local = [(x - x0, y - y0) for x, y in points]
    area = sx = sy = xx = yy = xy = 0.0
    for (x1, y1), (x2, y2) in _edges(local):
        cross = x1 * y2 - x2 * y1
        area += cross / 2
        sx += cross * (x1 + x2) / 6
        sy += cross * (y1 + y2) / 6
        xx += cross * (x1 * x1 + x1 * x2 + x2 * x2) / 12
        yy += cross * (y1 * y1 + y1 * y2 + y2 * y2) / 12
        xy += cross * (2 * x1 * y1 + x1 * y2 + x2 * y1 + 2 * x2 * y2) / 24
    x, y = sx / area, sy / area
    sign = math.copysign(1.0, area)
    central = (xx - area * x * x, yy - area * y * y, xy - area * x * y)
    return Area(abs(area), (x0 + x, y0 + y), *(sign * m for m in central))


def check_convex(key: str, points: Sequence[Point]) -> None:
    """Raise a RobotError that names the corner or edge (from 1) if the polygon is not convex."""
    count = len(points)
    if count < 3:
        raise wrong(key, "at least 3 corners", f"{count}")
    if not all(math.isfinite(x) for point in points for x in point):
        raise wrong(key, "finite numbers", list(points))
    size = max(math.dist(a, b) for a in points for b in points)
    for i, j in combinations(range(count), 2):
        if math.dist(points[i], points[j]) <= FLAT * size:
            raise wrong(key, "corners apart from each other", f"{i + 1} and {j + 1} in one place")
    turns = [_turn(points[i - 1], points[i], points[(i + 1) % count]) for i in range(count)]
    flat = FLAT * size * size
    if all(abs(turn) <= flat for turn in turns):
        raise wrong(key, "a polygon with an area", "corners on one line")
    for i in range(count):
        for j in range(i + 2, count - (i == 0)):
            if _cross(points[i], points[i + 1], points[j], points[(j + 1) % count]):
                edges = f"edges from corners {i + 1} and {j + 1} that cross"
                raise wrong(key, "a polygon that does not cut itself", edges)
    area_sign = math.copysign(1.0, sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in _edges(points)))
    for i, turn in enumerate(turns):
        if turn * area_sign < -flat:
            x, y = points[i]
            corner = f"a corner that points inward, {i + 1} at [{x:g}, {y:g}]"
            raise wrong(key, "a convex polygon (cut others into convex ones)", corner)


def inside(points: Sequence[Point], point: Point) -> bool:
    """Whether a point is in a convex polygon or on its edge."""
    x, y = point
    size = max(math.dist(a, b) for a in points for b in points)
    turns = [_turn(a, b, (x, y)) for a, b in _edges(points)]
    return all(t >= -FLAT * size**2 for t in turns) or all(t <= FLAT * size**2 for t in turns)


def wrong(key: str, expected: str, found: object) -> RobotError:
    """The error for a wrong value: what was expected, what was found."""
    return RobotError(f"{key}: expected {expected}, found {found}")


def _edges(points: Sequence[Point]) -> list[tuple[Point, Point]]:
    return list(zip(points, [*points[1:], points[0]], strict=True))


def _turn(a: Point, b: Point, c: Point) -> float:
    """Twice the area of a triangle, positive if it goes round counterclockwise."""
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])


def _cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether the segments a-b and c-d share a point; ends that touch count."""
    turns = (_turn(a, b, c), _turn(a, b, d), _turn(c, d, a), _turn(c, d, b))
    if turns[0] * turns[1] < 0 and turns[2] * turns[3] < 0:
        return True
    pairs = ((a, b, c), (a, b, d), (c, d, a), (c, d, b))
    return any(turn == 0 and _between(*pair) for turn, pair in zip(turns, pairs, strict=True))


def _between(a: Point, b: Point, p: Point) -> bool:
    """Whether p, on the line through a and b, is between them."""
    return all(min(a[k], b[k]) <= p[k] <= max(a[k], b[k]) for k in (0, 1))
