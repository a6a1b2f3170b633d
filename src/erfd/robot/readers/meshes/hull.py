"""Convex hulls of meshes: what of a link counts in a collision."""

from __future__ import annotations

import numpy as np

from ....ground.arrays import Array
from ...mesh import Mesh

CORNERS = 256
"""Corners of a hull at most; one with more is replaced by one around it with fewer."""


def convex_hull(mesh: Mesh) -> Mesh | None:
    """The convex hull of a mesh, or one that holds it; None if it has no volume."""
    from scipy.spatial import ConvexHull, QhullError

    points = mesh.vertices
    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError):
        return None
    corners = points[hull.vertices]
    if len(corners) > CORNERS:
        corners = _around(corners)
    small = ConvexHull(corners)
    return _outward(small, corners)


def _around(points: Array) -> Array:
    """Few points whose hull holds all points: the outermost ones, moved outward from the middle."""
    from scipy.spatial import ConvexHull

    even = points / np.ptp(points, axis=0)  # as wide in all directions, so that none is neglected
    for finer in (2, 1):  # directions that share an outermost point make fewer points
        some = points[np.unique((even @ _directions(finer * CORNERS).T).argmax(axis=0))]
        if len(some) <= CORNERS:
            break
    hull = ConvexHull(some)
    middle = some.mean(axis=0)
    normals, room = hull.equations[:, :3], -(hull.equations[:, 3] + hull.equations[:, :3] @ middle)
    beyond = ((points - middle) @ normals.T).max(axis=0)
    return np.asarray(middle + (some - middle) * max(float((beyond / room).max()), 1.0))


def _directions(count: int) -> Array:
    """Unit vectors all around, (count, 3): a spiral on the sphere."""
    k = np.arange(count) + 0.5
    z, turn = 1 - 2 * k / count, np.pi * (1 + np.sqrt(5)) * k
    r = np.sqrt(1 - z * z)
    return np.column_stack([r * np.cos(turn), r * np.sin(turn), z])


def _outward(hull: object, points: Array) -> Mesh:
    """A hull of SciPy as a mesh whose triangles look outward."""
    corners, faces = hull.vertices, hull.simplices  # type: ignore[attr-defined]
    number = np.full(len(points), -1)
    number[corners] = np.arange(len(corners))
    a, b, c = (points[faces[:, i]] for i in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0  # type: ignore[attr-defined]
    turned = np.where(inward[:, None], faces[:, ::-1], faces)
    return Mesh(points[corners].astype(np.float32), number[turned])
