"""Make meshes as small as a picture needs: fewer triangles, the same form."""

from __future__ import annotations

import numpy as np

from ....errors import MissingDependencyError, RobotError
from ....ground.optional import import_optional
from ...mesh import Mesh

TRIANGLES = 20_000
"""Triangles of all drawn meshes of a robot together; the budget that they are decimated to."""
FEWEST = 24
"""Triangles that every mesh may keep whatever the budget."""
LARGEST_BUDGET = 60_000
"""No robot has more, however many meshes it has: what is beyond is not drawn."""


def within_budget(
    meshes: list[Mesh], budget: int = TRIANGLES, uses: list[int] | None = None
) -> list[Mesh]:
    """The meshes with at most `budget` triangles together, each with its part of them.

    `uses` says how often each of them is drawn.
    """
    meshes = [merged(mesh) for mesh in meshes]
    times = uses or [1] * len(meshes)
    total = sum(len(mesh.faces) * k for mesh, k in zip(meshes, times, strict=True))
    if total <= budget:
        return meshes
    return [decimated(mesh, max(FEWEST, int(len(mesh.faces) * budget / total))) for mesh in meshes]


def merged(mesh: Mesh) -> Mesh:
    """The mesh with one vertex a place, without triangles that have no area."""
    extent = float(np.ptp(mesh.vertices, axis=0).max())
    return _on_grid(mesh, 1e-6 * extent) or mesh


def decimated(mesh: Mesh, triangles: int) -> Mesh:
    """The mesh with at most so many triangles: by quadric error, then on a coarser grid."""
    if len(mesh.faces) <= triangles:
        return mesh
    small = _by_quadrics(mesh, triangles)
    extent = float(np.ptp(mesh.vertices, axis=0).max())
    cells = 4.0 * np.sqrt(triangles)
    while len(small.faces) > 1.02 * triangles and cells > 1:  # many loose pieces
        small = _on_grid(mesh, extent / cells) or small
        cells *= 0.8
    return small


def _by_quadrics(mesh: Mesh, triangles: int) -> Mesh:
    try:
        library = import_optional("fast_simplification", "a small mesh", "cad")
        points, faces = library.simplify(
            mesh.vertices.astype(np.float32), mesh.faces.astype(np.int32), target_count=triangles
        )
        # beyond the box of the original there is nothing: edges that fold over leave spikes
        low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
        return Mesh(np.clip(points, low, high).astype(np.float32), faces)
    except (MissingDependencyError, RobotError, ValueError):
        return mesh


def _on_grid(mesh: Mesh, step: float) -> Mesh | None:
    """The mesh with vertices that share a cell of a grid merged; None if nothing is left."""
    low = mesh.vertices.min(axis=0)
    cells = np.round((mesh.vertices - low) / step).astype(np.int64) if step > 0 else mesh.vertices
    _, first, number = np.unique(cells, axis=0, return_index=True, return_inverse=True)
    faces = number.reshape(-1)[mesh.faces]
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (a != c)]
    if not len(faces):
        return None
    used, corners = np.unique(faces, return_inverse=True)
    return Mesh(mesh.vertices[first][used], corners.reshape(-1, 3))
