"""Convex polygons: dents and crossings are found, by whatever corner one begins."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from erfd.errors import RobotError
from erfd.robot.parts.shapes import Prism
from erfd.robot.polygon import area_of, check_convex
from support.part_shapes import close, polygons


@given(polygons(), st.data())
def test_dents_are_found(corners: tuple, data: st.DataObject) -> None:
    """A corner pushed beyond the middle of a convex polygon points inward, or the edges cross."""
    assume(len(corners) > 3)
    k = data.draw(st.integers(0, len(corners) - 1))
    neighbours = np.array([corners[k - 1], corners[(k + 1) % len(corners)]])
    center = np.array(area_of(corners).center)
    inward = neighbours.mean(axis=0) + 0.1 * (center - neighbours.mean(axis=0))
    if inside_of_cut(corners, k, inward):
        dented = (*corners[:k], tuple(inward.tolist()), *corners[k + 1 :])
        with pytest.raises(RobotError, match=r"convex polygon|cut itself|apart|area"):
            check_convex("points", dented)


def inside_of_cut(corners: tuple, k: int, point: np.ndarray) -> bool:
    """Whether the point is on the far side of the line between the neighbours of corner k."""
    a, b = np.array(corners[k - 1]), np.array(corners[(k + 1) % len(corners)])
    side = lambda p: float((b - a)[0] * (p - a)[1] - (b - a)[1] * (p - a)[0])  # noqa: E731
    return side(np.array(corners[k])) * side(point) < -1e-9 * np.linalg.norm(b - a) ** 2


STAR = [(math.sin(4 * math.pi * k / 5), math.cos(4 * math.pi * k / 5)) for k in range(5)]


@pytest.mark.parametrize(
    ("corners", "sentence"),
    [
        ([(0, 0), (1, 0)], "points: expected at least 3 corners, found 2"),
        ([(0, 0), (1, 0), (1, 1), (0.2, 0.1)], "points: expected a convex polygon (cut others into convex ones), found a corner that points inward, 4 at [0.2, 0.1]"),
        ([(0, 0), (1, 1), (1, 0), (0, 1)], "points: expected a polygon that does not cut itself, found edges from corners 1 and 3 that cross"),
        (STAR, "points: expected a polygon that does not cut itself, found edges from corners 1 and 3 that cross"),
        ([(0, 0), (1, 0), (1, 0), (0, 1)], "points: expected corners apart from each other, found 2 and 3 in one place"),
        ([(0, 0), (1, 1), (2, 2)], "points: expected a polygon with an area, found corners on one line"),
        ([(0, 0), (1, 0), (3, 0), (2, 0)], "points: expected a polygon with an area, found corners on one line"),
        ([(0, 0), (2, 0), (1, 0), (1, 1)], "points: expected a polygon that does not cut itself"),
        ([(0, 0), (1, 0), (0, math.nan)], "points: expected finite numbers"),
    ],
)  # fmt: skip
def test_what_is_no_convex_polygon(corners: list, sentence: str) -> None:
    for points in (corners, [(100 + 7 * x, 7 * y - 50) for x, y in corners]):
        with pytest.raises(RobotError) as caught:
            Prism(tuple(points), 1.0)
        assert str(caught.value).startswith(sentence.split(" at [")[0])
    with pytest.raises(RobotError) as caught:
        Prism(tuple(corners), 1.0)
    assert str(caught.value).startswith(sentence)


def test_a_corner_on_an_edge_is_no_mistake() -> None:
    square = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
    close(Prism((*square[:1], (0.5, 0.0), *square[1:]), 1.0).unit, Prism(square, 1.0).unit, 1e-14)


@given(polygons(), st.integers(0, 8), st.booleans())
def test_a_polygon_by_any_of_its_corners(corners: tuple, start: int, back: bool) -> None:
    k = start % len(corners)
    turned = (corners[k:] + corners[:k])[:: -1 if back else 1]
    a, b = area_of(corners), area_of(turned)
    assert b.area == pytest.approx(a.area, rel=1e-12)
    assert b.center == pytest.approx(a.center, rel=1e-12, abs=1e-12)
    size = a.xx + a.yy
    assert (b.xx, b.yy, b.xy) == pytest.approx((a.xx, a.yy, a.xy), rel=1e-9, abs=1e-11 * size)
    Prism(turned, 1.0)  # and all of them are convex
