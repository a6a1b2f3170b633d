"""Meshes from STL and OBJ files, read by trimesh."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..errors import RobotError
from ..ground.optional import import_optional
from ..robot.visual import Visual
from .model import Mesh

KINDS = (".stl", ".obj")
LARGEST = 64 * 2**20
"""The largest mesh file that is read, in bytes."""


def load_mesh(path: Path, scale: float = 1.0) -> Mesh:
    """The triangles of a file, all its parts together; `scale` turns its unit into m."""
    kind = path.suffix.lower()
    if kind not in KINDS:
        raise RobotError(f"{path.name}: expected a name that ends in .stl or .obj")
    trimesh = import_optional("trimesh", "a mesh", "cad")
    try:
        size = path.stat().st_size
    except OSError as error:
        raise RobotError(f"{path}: cannot be read: {error.strerror}") from None
    if size > LARGEST:
        megabytes = f"{size / 2**20:.0f} MB"
        raise RobotError(f"{path.name}: expected at most {LARGEST // 2**20} MB, found {megabytes}")
    try:
        with path.open("rb") as file:
            loaded = trimesh.load_mesh(file, file_type=kind[1:], process=False, skip_materials=True)
        vertices, faces = np.asarray(loaded.vertices), np.asarray(loaded.faces)
    except Exception as error:  # trimesh raises whatever a damaged file leads it to
        raise RobotError(f"{path.name}: not a mesh that can be read: {error}") from None
    try:
        return Mesh(vertices.reshape(-1, 3) * scale, faces.reshape(-1, 3))
    except RobotError as error:
        raise RobotError(f"{path.name}: {error}") from None


def prism_mesh(visual: Visual) -> Mesh:
    """The triangles of a prism whose corners make a convex polygon, about its middle."""
    corners, half = visual.points, visual.size[0] / 2
    count = len(corners)
    faces = []
    for k in range(count):
        a, b = k, (k + 1) % count
        faces += [[a, b, b + count], [a, b + count, a + count]]
    for k in range(1, count - 1):
        faces += [[0, k + 1, k], [count, count + k, count + k + 1]]
    return Mesh(np.array([[x, y, z] for z in (-half, half) for x, y in corners]), np.array(faces))
