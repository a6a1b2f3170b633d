"""The geoms of a compiled MuJoCo model as shapes of links."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import RobotError
from ....ground.arrays import Array
from ...mesh import Mesh
from ...pose import Pose, as_mat3, snap
from ..link_tree import FileShape

SHOWN = 3
"""Geoms of groups below this are drawn, as MuJoCo does it unless told otherwise."""
PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = range(8)
"""The types of geoms, by their numbers in MuJoCo."""


def shapes_of(model: Any, body: int) -> tuple[tuple[FileShape, ...], tuple[FileShape, ...]]:
    """What of a body is drawn, and what collides."""
    first, count = int(model.body_geomadr[body]), int(model.body_geomnum[body])
    own = [(g, _shape(model, g)) for g in range(first, first + count)] if count else []
    shapes = [(g, shape) for g, shape in own if shape is not None]
    drawn = [s for g, s in shapes if model.geom_group[g] < SHOWN and model.geom_rgba[g, 3] > 0]
    solid = [s for g, s in shapes if model.geom_contype[g] or model.geom_conaffinity[g]]
    return tuple(drawn or solid), tuple(solid)


def pose_at(position: Array, quaternion: Array) -> Pose:
    """The pose with this position in m and this quaternion w x y z."""
    w, x, y, z = (float(v) for v in quaternion / np.linalg.norm(quaternion))
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return Pose.of(as_mat3([[snap(v) for v in row] for row in rows]), position.tolist())


def _shape(model: Any, geom: int) -> FileShape | None:
    """A geom as a shape; None for planes, height fields and what is none."""
    kind, size = int(model.geom_type[geom]), model.geom_size[geom]
    pose = pose_at(model.geom_pos[geom], model.geom_quat[geom])
    material = int(model.geom_matid[geom])
    rgba = model.geom_rgba[geom] if material < 0 else model.mat_rgba[material]
    color = "#" + "".join(f"{round(255 * min(max(float(x), 0.0), 1.0)):02x}" for x in rgba[:3])
    if kind == SPHERE:
        return FileShape("sphere", (float(size[0]),), pose, color)
    if kind in (CAPSULE, CYLINDER):
        lengths = (float(size[0]), 2 * float(size[1]))
        return FileShape("capsule" if kind == CAPSULE else "cylinder", lengths, pose, color)
    if kind == BOX:
        return FileShape("box", tuple(2 * float(x) for x in size), pose, color)
    mesh = None
    if kind == ELLIPSOID:
        mesh = _ellipsoid(size)
    elif kind == MESH and model.geom_dataid[geom] >= 0:
        mesh = _mesh(model, int(model.geom_dataid[geom]))
    return None if mesh is None else FileShape("mesh", (), pose, color, mesh=mesh)


def _mesh(model: Any, number: int) -> Mesh | None:
    vertex, count = int(model.mesh_vertadr[number]), int(model.mesh_vertnum[number])
    face, faces = int(model.mesh_faceadr[number]), int(model.mesh_facenum[number])
    points = model.mesh_vert[vertex : vertex + count].astype(np.float32)
    try:
        return Mesh(points, model.mesh_face[face : face + faces])
    except RobotError:
        return None


def _ellipsoid(size: Array, rows: int = 12, columns: int = 24) -> Mesh:
    """An ellipsoid of these half axes in m: rings of vertices from pole to pole."""
    polar = np.pi * np.arange(rows + 1) / rows
    around = 2 * np.pi * np.arange(columns) / columns
    a, b = (grid.ravel() for grid in np.meshgrid(polar, around, indexing="ij"))
    points = np.column_stack([np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a)]) * size
    k = np.arange(rows * columns)
    right = k - k % columns + (k + 1) % columns
    lower = np.column_stack([k, k + columns, right + columns])
    upper = np.column_stack([k, right + columns, right])
    return Mesh(points.astype(np.float32), np.concatenate([lower, upper]))
