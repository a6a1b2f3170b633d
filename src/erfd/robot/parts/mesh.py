"""Read the shape of a section from a mesh: a closed surface in an STL, OBJ, PLY or OFF file."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import RobotError
from ...ground.optional import import_optional
from ..pose import Vec3, as_mat3
from .body import Body

SUFFIXES = (".stl", ".obj", ".ply", ".off")


@dataclass(frozen=True, slots=True)
class MeshShape:
    """The body inside a closed surface, in the coordinates of its file times `scale`.

    `low` and `high` are the corners of its bounding box in m.
    """

    file: str
    scale: float
    unit: Body
    low: Vec3
    high: Vec3
    kind = "mesh"


def read_mesh(path: Path, name: str, scale: float = 1.0) -> MeshShape:
    """Read a mesh file; `name` is its name in messages, `scale` turns its unit into metres."""
    import numpy as np

    if not (math.isfinite(scale) and scale > 0):
        raise RobotError(f"scale: expected a number > 0 (0.001 for a file in mm), found {scale}")
    if path.suffix.lower() not in SUFFIXES:
        raise _wrong(f"a file ending in {', '.join(SUFFIXES)}", repr(name))
    if not path.is_file():
        raise _wrong("a file", f"no file {name!r}")
    mesh = _load(path, name)
    if not len(mesh.faces):
        raise _wrong("a surface", f"no faces in {name!r}")
    if not mesh.is_watertight:
        raise _wrong("a closed surface", f"{_open_edges(mesh)} open edges in {name!r}")
    if not mesh.is_winding_consistent:
        raise _wrong("faces that all look outward", f"some that look inward in {name!r}")
    middle = mesh.bounds.mean(axis=0)
    mesh.apply_translation(-middle)  # moments about a far origin would lose digits
    mesh.apply_scale(scale)
    with np.errstate(all="ignore"):  # a flat mesh has no mass centre
        volume = float(mesh.volume)
    if abs(volume) <= 1e-12 * float(np.prod(mesh.extents)):
        raise _wrong("a surface around a volume", f"{volume:g} m3 in {name!r}")
    if volume < 0:  # inside out, which some programs write: the same body
        mesh.invert()
    offset = middle * scale
    unit = Body(
        float(mesh.volume), _vector(mesh.center_mass + offset), as_mat3(mesh.moment_inertia)
    )
    low, high = mesh.bounds + offset
    return MeshShape(name, scale, unit, _vector(low), _vector(high))


def _load(path: Path, name: str) -> Any:
    trimesh = import_optional("trimesh", "a mesh", "cad")
    try:
        mesh = trimesh.load_mesh(path)
        mesh.merge_vertices(merge_tex=True, merge_norm=True)  # colours and groups part no body
        return mesh
    except Exception as error:  # whatever the file holds: trimesh has no error of its own
        reason = " ".join(str(error).split()) or type(error).__name__
        raise _wrong("a mesh", f"{name!r}, which cannot be read: {reason}") from None


def _open_edges(mesh: Any) -> int:
    """Edges that do not lie between exactly two faces."""
    import numpy as np

    _, counts = np.unique(mesh.edges_sorted, axis=0, return_counts=True)
    return int((counts != 2).sum())


def _wrong(expected: str, found: str) -> RobotError:
    return RobotError(f"file: expected {expected}, found {found}")


def _vector(values: Any) -> Vec3:
    x, y, z = (float(v) for v in values)
    return (x, y, z)
