"""Poses and shapes in tables of TOML files; the data of a mesh is beside the file, or in it."""

from __future__ import annotations

import base64
import binascii
import math
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import RobotError
from ...ground.files import write_bytes
from ..mesh import LARGEST_BYTES, Mesh
from ..pose import Pose
from ..visual import SIZES, Visual
from .table import Table


def read_pose(table: Table | None, angle: float, *, done: bool = True) -> Pose:
    """Read the pose in a table; with `done` the table may hold nothing else."""
    if table is None:
        return Pose()
    xyz = table.vector("xyz", (0.0, 0.0, 0.0))
    if table.has("axis"):
        if table.has("rpy"):
            raise table.error("axis", "either axis or rpy, not both", table.data["axis"])
        axis = table.vector("axis")
        length = math.sqrt(sum(x * x for x in axis))
        if abs(length - 1) > 1e-6:
            raise table.error("axis", f"a unit vector (length 1, not {length:.6g})", list(axis))
        pitch = math.atan2(math.hypot(axis[0], axis[1]), axis[2])
        rpy = (0.0, pitch, math.atan2(axis[1], axis[0]) if axis[0] or axis[1] else 0.0)
    else:
        roll, pitch, yaw = table.vector("rpy", (0.0, 0.0, 0.0))
        rpy = (roll * angle, pitch * angle, yaw * angle)
    if done:
        table.done()
    return Pose(xyz, rpy)


def read_size(table: Table, shape: str) -> tuple[float, ...]:
    """The lengths of a primitive, then the points of a prism, as `Visual` has them."""
    if shape == "box":
        return table.numbers("size", 3)
    size = tuple(table.number(key) for key in SIZES[shape])
    points = table.pairs("points") if shape == "prism" else ()
    return (*size, *(x for point in points for x in point))


@dataclass(frozen=True, slots=True)
class ShapeTables:
    """Reads the tables of shapes of one file: `angle` is its unit in rad, `folder` where it is.

    Without a folder the data of a mesh has to be in the file itself.
    """

    angle: float
    folder: Path | None = None

    def read(self, table: Table, key: str) -> tuple[Visual, ...]:
        """The shapes in the tables of a list `key`."""
        return tuple(self._visual(entry) for entry in table.tables(key))

    def _visual(self, table: Table) -> Visual:
        shape: Any = table.choice("shape", (*SIZES, "mesh"))
        mesh: Mesh | None = None
        size: tuple[float, ...] = ()
        if shape == "mesh":
            mesh = self._mesh(table)
        else:
            size = read_size(table, shape)
        color = table.text("color", "#9aa5b1")
        pose = read_pose(table, self.angle, done=False)
        table.done()
        return table.build(lambda: Visual(shape, size, pose, color, mesh))

    def _mesh(self, table: Table) -> Mesh:
        scale = table.number("scale", 1.0)
        if scale <= 0:
            raise table.error("scale", "a factor > 0 (0.001 for a file in mm)", scale)
        if table.has("data"):
            return _from_text(table, table.text("data"))
        file = table.text("file")
        if self.folder is None:
            raise table.error("file", "the mesh itself as data, as there is no file beside", file)
        path = self.folder / file
        if not path.resolve().is_relative_to(self.folder.resolve()):
            raise table.error("file", "a file in the folder of the robot's file, or below it", file)
        from .meshes.mesh_file import one_mesh, read_parts

        return table.build(lambda: one_mesh(read_parts(path, file, scale)))


def _from_text(table: Table, text: str) -> Mesh:
    """The mesh in the text that `mesh_text` wrote."""
    try:
        unpack = zlib.decompressobj()
        data = unpack.decompress(base64.b64decode(text, validate=True), LARGEST_BYTES)
        mesh = Mesh.from_bytes(data)
    except (binascii.Error, ValueError, zlib.error, RobotError) as error:
        raise table.error("data", "the text of a mesh", f"damaged: {error}") from None
    if mesh is None:
        raise table.error("data", "the text of a mesh", text)
    return mesh


def mesh_text(mesh: Mesh) -> str:
    """The mesh as text that can stand in a file: PLY, packed."""
    return base64.b64encode(zlib.compress(mesh.to_bytes(), 6)).decode()


@dataclass(slots=True)
class MeshFolder:
    """Where the meshes of a saved robot go: `NAME.meshes`, beside its TOML file."""

    path: Path

    def keep(self, owner: str, mesh: Mesh) -> str:
        """Write a mesh, named by its link and its digest; its path as the TOML file says it."""
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", owner).strip("-")[:40] or "link"
        folder = self.path.parent / f"{self.path.stem}.meshes"
        place = folder / f"{name}-{mesh.digest}.ply"
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise RobotError(f"{folder}: cannot be made: {error.strerror}") from None
        data = mesh.to_bytes()
        if not (place.is_file() and place.stat().st_size == len(data)):
            write_bytes(place, data)
        return f"{folder.name}/{place.name}"
