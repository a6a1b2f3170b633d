"""Random shapes and poses of parts, and when two bodies agree."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from erfd.robot.parts.body import Body
from erfd.robot.parts.shapes import Box, Cylinder, Prism, SemiCylinder, Shape, Sphere
from erfd.robot.pose import Pose

lengths = st.floats(0.01, 2.0)
angles = st.floats(-math.pi, math.pi)
TURNED = 1e-11  # a Pose takes entries of a rotation within 1e-12 of 0 and 1 for 0 and 1
poses = st.builds(Pose, st.tuples(*[st.floats(-3, 3)] * 3), st.tuples(*[angles] * 3))


@st.composite
def polygons(draw: st.DrawFn) -> tuple[tuple[float, float], ...]:
    """The convex hull of random points, with an area that is not next to nothing."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count = draw(st.integers(3, 9))
    points = rng.uniform(-1, 1, (count, 2)) * draw(lengths) + rng.uniform(-2, 2, 2)
    points[:3] = points[0] + draw(lengths) * np.array([[0.0, 0.0], [1.0, 0.1], [0.3, 0.9]])
    corners = points[ConvexHull(points).vertices].tolist()
    return tuple((x, y) for x, y in corners)


@st.composite
def shapes(draw: st.DrawFn) -> Shape:
    """Any shape, hollow or not."""
    radius, length, part = draw(lengths), draw(lengths), draw(st.floats(0, 0.95))
    size = (radius, length, draw(lengths))
    inner = tuple(part * x for x in size) if part > 0.05 else None
    corners = draw(polygons())
    x, y = np.mean(corners, axis=0)
    hole = tuple((x + part * (a - x), y + part * (b - y)) for a, b in corners)
    return draw(
        st.sampled_from(
            [
                Cylinder(radius, length, part * radius),
                SemiCylinder(radius, length, part * radius),
                Sphere(radius, part * radius),
                Box(size, inner),
                Prism(corners, length, hole if part > 0.05 else ()),
            ]
        )
    )


def about_origin(body: Body) -> np.ndarray:
    """(mass, first moments, inertia about the origin): numbers that add up."""
    c = np.array(body.center)
    tensor = np.array(body.inertia) + body.mass * (c @ c * np.eye(3) - np.outer(c, c))
    return np.concatenate([[body.mass], body.mass * c, tensor.ravel()])


def close(found: Body, wanted: Body, tolerance: float) -> None:
    """Mass, centre (beside the body's size) and inertia (beside its largest entry) agree."""
    assert found.mass == pytest.approx(wanted.mass, rel=tolerance)
    tensor = np.array(wanted.inertia)
    size = math.sqrt(abs(tensor).max() / abs(wanted.mass)) + np.linalg.norm(wanted.center)
    assert np.abs(np.subtract(found.center, wanted.center)).max() < tolerance * size
    scale = max(abs(tensor).max(), abs(wanted.mass) * size**2)
    assert np.abs(np.array(found.inertia) - tensor).max() < tolerance * scale


def extruded(corners: Sequence[Sequence[float]], length: float) -> list[tuple[float, ...]]:
    return [(*p, z) for p in corners for z in (-length / 2, length / 2)]
