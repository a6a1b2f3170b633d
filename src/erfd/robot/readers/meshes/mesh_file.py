"""Read a mesh file (STL, OBJ, DAE, glTF, PLY, OFF) by trimesh: its parts, one of each colour.

A mesh is what somebody else has made: a file, what it claims to hold, and what it refers to are
limited, and what trimesh raises over a damaged file becomes one sentence.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from ....errors import MissingDependencyError, RobotError
from ....ground.arrays import Array
from ....ground.optional import import_optional
from ...mesh import LARGEST_BYTES, MOST_TRIANGLES, Mesh

SUFFIXES = (".stl", ".obj", ".dae", ".gltf", ".glb", ".ply", ".off")
"""The mesh files that can be read."""
MOST_COLORS = 16
"""Colours of a mesh that are kept; what has another one gets the nearest."""
BESIDE = (".mtl", ".bin")
"""What a mesh may bring along: the colours of an OBJ, the numbers of a glTF."""
_UNIT = re.compile(r"([-+.\deE]+) \* meters")


@dataclass(frozen=True, slots=True)
class MeshPart:
    """The triangles of one colour (#rrggbb; None: the file does not say) of a mesh file."""

    mesh: Mesh
    color: str | None


def read_parts(path: Path, name: str, scale: Array | float = 1.0) -> list[MeshPart]:
    """The parts of a mesh file in m, in its own axes.

    Args:
        path: The file.
        name: How messages call it.
        scale: Factors along x, y, z (a negative one mirrors), or one for all.

    Raises:
        RobotError: No mesh, a damaged one, or one beyond the limits.
    """
    kind = path.suffix.lower()
    if kind not in SUFFIXES:
        raise RobotError(f"{name}: expected a mesh that ends in {', '.join(SUFFIXES)}")
    data = _bytes(path, name)
    try:
        own = Mesh.from_bytes(data) if kind == ".ply" else None
    except RobotError as error:
        raise RobotError(f"{name}: {error}") from None
    if own is not None:
        return [MeshPart(_scaled(own.vertices, own.faces, scale, name), None)]
    trimesh = import_optional("trimesh", f"{name}: a mesh", "cad")
    if kind == ".dae":
        import_optional("collada", f"{name}: a mesh", "cad")
    try:
        _refuse_bombs(kind, data, name)
        scene = trimesh.load_scene(
            BytesIO(data), file_type=kind[1:], resolver=_Beside(path.parent), process=False
        )
        pieces = _pieces(scene)
    except (RobotError, MissingDependencyError):
        raise
    except Exception as error:  # whatever the file holds: trimesh has no error of its own
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise RobotError(f"{name}: not a mesh that can be read: {reason}") from None
    if not pieces:
        raise RobotError(f"{name}: expected a mesh with triangles, found none")
    return [
        MeshPart(_scaled(vertices, faces, scale, name), color)
        for color, (vertices, faces) in _by_color(pieces).items()
    ]


def one_mesh(parts: list[MeshPart]) -> Mesh:
    """All parts as one mesh, whatever their colours."""
    if len(parts) == 1:
        return parts[0].mesh
    return Mesh(*_joined([(part.mesh.vertices, part.mesh.faces) for part in parts]))


def _bytes(path: Path, name: str) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_BYTES + 1)
    except FileNotFoundError:
        raise RobotError(f"{name}: no such file") from None
    except IsADirectoryError:
        raise RobotError(f"{name}: expected a file, found a folder") from None
    except OSError as error:
        raise RobotError(f"{name}: cannot be read: {error.strerror}") from None
    if len(data) > LARGEST_BYTES:
        raise RobotError(f"{name}: expected at most {LARGEST_BYTES // 2**20} MB, found more")
    return data


def _scaled(vertices: Any, faces: Any, scale: Array | float, name: str) -> Mesh:
    """The mesh in m, its numbers no finer than what is kept (32 bits)."""
    factors = np.broadcast_to(np.asarray(scale, dtype=np.float64), (3,))
    with np.errstate(over="ignore", invalid="ignore"):
        narrow = (np.asarray(vertices, dtype=np.float64) * factors).astype(np.float32)
    corners = np.asarray(faces)[:, ::-1] if np.prod(factors) < 0 else faces
    try:
        return Mesh(narrow.astype(np.float64), corners)
    except RobotError as error:
        raise RobotError(f"{name}: {error}") from None


class _Beside:
    """What trimesh may read beside the mesh: small files of few kinds, in the same folder."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.left = folder, LARGEST_BYTES

    def get(self, name: str) -> bytes:
        """The bytes of a file beside the mesh."""
        text = str(name)
        path = self.folder / text
        inside = path.resolve().is_relative_to(self.folder.resolve())
        if not inside or path.suffix.lower() not in BESIDE or not path.is_file():
            raise FileNotFoundError(f"{text!r} is not read: expected {' or '.join(BESIDE)} beside")
        with path.open("rb") as file:
            data = file.read(self.left + 1)
        self.left -= len(data)
        if self.left < 0:
            raise MemoryError(f"expected at most {LARGEST_BYTES // 2**20} MB beside the mesh")
        return data

    __getitem__ = get

    def __contains__(self, name: object) -> bool:
        return False

    def keys(self) -> list[str]:
        """Nothing is listed."""
        return []

    def namespaced(self, namespace: str) -> _Beside:
        """The resolver of a folder below: there is none."""
        return self


def _pieces(scene: Any) -> list[tuple[Array, Any, str | None]]:
    """Vertices, faces and colour of all that a scene places, in m."""
    pieces, total = [], 0
    for node in scene.graph.nodes_geometry:
        place, key = scene.graph[node]
        mesh = scene.geometry[key]
        faces = getattr(mesh, "faces", None)
        if faces is None or not len(faces):
            continue  # lines and points are not drawn
        total += len(faces)
        if total > MOST_TRIANGLES:
            raise ValueError(f"expected at most {MOST_TRIANGLES:,} triangles, found more")
        unit = _UNIT.fullmatch(str(mesh.metadata.get("units", "")))
        factor = float(unit[1]) if unit else 1.0
        points = np.asarray(mesh.vertices, dtype=np.float64)
        points = (points @ np.asarray(place)[:3, :3].T + np.asarray(place)[:3, 3]) * factor
        faces = np.asarray(faces, dtype=np.int64)
        if np.linalg.det(np.asarray(place)[:3, :3]) < 0:
            faces = faces[:, ::-1]
        pieces.append((points, faces, _color(mesh)))
    return pieces


def _color(mesh: Any) -> str | None:
    """The colour of a mesh (the mean one, if its corners differ); None if it says nothing."""
    visual = mesh.visual
    if visual is None or not getattr(visual, "defined", False):
        return None
    if visual.kind == "texture":
        rgba = visual.material.main_color
    else:
        rgba = np.asarray(visual.face_colors, dtype=np.float64).mean(axis=0)
    return "#" + "".join(f"{round(min(max(float(x), 0.0), 255.0)):02x}" for x in rgba[:3])


def _by_color(
    pieces: list[tuple[Array, Any, str | None]],
) -> dict[str | None, tuple[Array, Any]]:
    """The pieces joined to one of each colour."""
    count: Counter[str | None] = Counter()
    for _, faces, color in pieces:
        count[color] += len(faces)
    kept = [color for color, _ in count.most_common(MOST_COLORS)]
    groups: dict[str | None, list[tuple[Array, Any]]] = {}
    for points, faces, color in pieces:
        own = color if color in kept else min(kept, key=lambda other: _unlike(color, other))
        groups.setdefault(own, []).append((points, faces))
    return {color: _joined(group) for color, group in groups.items()}


def _unlike(color: str | None, other: str | None) -> float:
    if color is None or other is None:
        return 1e9
    both = [(int(color[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5)]
    return float(sum((a - b) ** 2 for a, b in both))


def _joined(group: list[tuple[Array, Any]]) -> tuple[Array, Any]:
    starts = np.cumsum([0, *(len(points) for points, _ in group)])
    faces = [faces + start for (_, faces), start in zip(group, starts, strict=False)]
    return np.concatenate([points for points, _ in group]), np.concatenate(faces)


def _refuse_bombs(kind: str, data: bytes, name: str) -> None:
    """Raise a RobotError over a small file that claims to unfold to more than is read."""
    claimed = 0
    if kind == ".dae":
        claimed = _dae_instances(data)
    elif kind in (".gltf", ".glb"):
        claimed = _gltf_numbers(data)
    if claimed > 10 * MOST_TRIANGLES:
        raise RobotError(f"{name}: expected at most {MOST_TRIANGLES:,} triangles, found more")


def _dae_instances(data: bytes) -> int:
    """How many nodes the scenes of a DAE have when all that they refer to is put in place."""
    if b"<!ENTITY" in data:
        raise ValueError("expected XML without entities")
    root = ElementTree.fromstring(data)
    nodes = {e.get("id"): e for e in root.iter() if e.tag.endswith("}node") and e.get("id")}
    known: dict[Any, int] = {}

    def size(element: Any, depth: int) -> int:
        if depth > 64:
            raise ValueError("expected nodes at most 64 deep, found more")
        if element not in known:
            total = 1
            for child in element:
                tag = child.tag.rpartition("}")[2]
                if tag == "node":
                    total += size(child, depth + 1)
                elif tag == "instance_node":
                    other = nodes.get(str(child.get("url", "")).removeprefix("#"))
                    total += 0 if other is None else size(other, depth + 1)
                elif tag == "instance_geometry":
                    total += 1
            known[element] = total
        return known[element]

    places = [e for e in root.iter() if e.tag.endswith("}visual_scene")]
    # a thousand places of a mesh are an assembly; what is more is no link of a robot
    return 20_000 * max(sum(size(place, 0) for place in places) - 2000, 0)


def _gltf_numbers(data: bytes) -> int:
    """How many numbers the accessors of a glTF claim to have."""
    import json

    if data[:4] == b"glTF":
        data = data[20 : 20 + int.from_bytes(data[12:16], "little")]
    content = json.loads(data)
    if content.get("extensionsRequired"):
        needed = ", ".join(map(str, content["extensionsRequired"]))
        raise ValueError(f"expected a glTF without extensions, found {needed:.60}")
    if len(content.get("nodes", ())) > 20_000:
        raise ValueError("expected at most 20,000 nodes, found more")
    return int(sum(max(int(item["count"]), 0) for item in content.get("accessors", ())))
