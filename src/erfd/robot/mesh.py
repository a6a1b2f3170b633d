"""`Mesh`: triangles in m, of a link or of a thing of the cell, and the bytes they are kept as."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from ..errors import RobotError

LARGEST_BYTES = 64 * 2**20
"""The largest mesh file that is read, in bytes."""
MOST_TRIANGLES = 2_000_000
"""Triangles of a mesh file, at most."""
_HEADER = (
    "ply\nformat binary_little_endian 1.0\ncomment m\nelement vertex {0}\nproperty {1} x\n"
    "property {1} y\nproperty {1} z\nelement face {2}\nproperty list uchar int vertex_indices\n"
    "end_header\n"
)
_OWN = re.compile(
    re.escape(_HEADER)
    .replace(r"\{0\}", r"(\d{1,8})")
    .replace(r"\{1\}", "(float|double)", 1)
    .replace(r"\{1\}", r"(?:float|double)")
    .replace(r"\{2\}", r"(\d{1,8})")
    .encode()
)


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """Triangles: `vertices` (V, 3) in m and `faces` (F, 3), numbers of vertices; read-only.

    Two meshes are equal if their numbers are; `digest` names them in 16 hexadecimal digits.
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]
    digest: str = field(init=False, default="")

    def __post_init__(self) -> None:
        vertices = np.array(self.vertices, dtype=np.float64)
        faces = np.array(self.faces, dtype=np.int64)
        if vertices.ndim != 2 or vertices.shape[1:] != (3,) or faces.shape[1:] != (3,):
            shapes = f"{vertices.shape} and {faces.shape}"
            raise RobotError(f"mesh: expected shapes (V, 3) and (F, 3), found {shapes}")
        if not len(faces):
            raise RobotError("mesh: expected at least one triangle, found none")
        if not np.isfinite(vertices).all():
            raise RobotError("mesh: expected finite vertices, found others")
        if faces.min() < 0 or faces.max() >= len(vertices):
            raise RobotError(f"mesh: expected vertex numbers below {len(vertices)}, found others")
        for name, value in (("vertices", vertices), ("faces", faces)):
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        both = blake2b((vertices + 0.0).tobytes(), digest_size=8)
        both.update(faces.tobytes())
        object.__setattr__(self, "digest", both.hexdigest())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mesh):
            return NotImplemented
        return self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"Mesh({len(self.vertices)} vertices, {len(self.faces)} triangles)"

    def to_bytes(self) -> bytes:
        """The mesh as a binary PLY file in m, which `from_bytes` reads back equal."""
        narrow = self.vertices.astype("<f4")
        exact = bool((narrow == self.vertices).all())
        numbers = narrow if exact else self.vertices.astype("<f8")
        rows = np.empty(len(self.faces), dtype=[("count", "u1"), ("corners", "<i4", 3)])
        rows["count"], rows["corners"] = 3, self.faces
        kind = "float" if exact else "double"
        head = _HEADER.format(len(numbers), kind, len(rows)).encode()
        return head + numbers.tobytes() + rows.tobytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Mesh | None:
        """The mesh in bytes that `to_bytes` wrote; None if they are of another kind.

        Raises:
            RobotError: The bytes end too early, or are no mesh.
        """
        head = _OWN.match(data)
        if head is None:
            return None
        vertices, wide, faces = int(head[1]), head[2] == b"double", int(head[3])
        if faces > MOST_TRIANGLES:
            raise RobotError(f"expected at most {MOST_TRIANGLES:,} triangles, found {faces:,}")
        size = vertices * (24 if wide else 12)
        if len(data) != head.end() + size + 13 * faces:
            found = f"{len(data) - head.end():,}"
            raise RobotError(f"expected {size + 13 * faces:,} bytes of numbers, found {found}")
        numbers = np.frombuffer(data, "<f8" if wide else "<f4", 3 * vertices, head.end())
        kinds = [("count", "u1"), ("corners", "<i4", 3)]
        rows = np.frombuffer(data, kinds, faces, head.end() + size)
        if (rows["count"] != 3).any():
            raise RobotError("expected triangles, found other polygons")
        return cls(numbers.reshape(-1, 3), rows["corners"])
