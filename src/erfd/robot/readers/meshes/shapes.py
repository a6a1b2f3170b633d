"""The shapes of a robot file as those of a `Robot`: meshes read, made small, and their hulls."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from ....errors import MissingDependencyError, RobotError
from ...mesh import Mesh
from ...pose import Pose
from ...visual import Visual
from ..link_tree import FileShape, LinkTree
from .decimate import LARGEST_BUDGET, TRIANGLES, within_budget
from .find import FileFinder
from .hull import convex_hull
from .mesh_file import MeshPart, one_mesh, read_parts

SECONDS = 60.0
"""After this time no more meshes of a robot are read."""
TOTAL = 6_000_000
"""Triangles of all meshes of a robot that are read, at most."""
Key = tuple[str, tuple[float, ...], str]


@dataclass(slots=True)
class ShapeReader:
    """Reads the shapes of one file; `skipped` says what could not be read, and why."""

    finder: FileFinder
    budget: int = TRIANGLES
    skipped: dict[str, str] = field(default_factory=dict)
    parts: dict[Key, list[MeshPart]] = field(default_factory=dict)
    hulls: dict[Key, Mesh | None] = field(default_factory=dict)

    def read(self, drawn: Iterable[FileShape], colliding: Iterable[FileShape]) -> None:
        """Read all meshes that are drawn and those that collide (else the hulls of the drawn)."""
        drawn, colliding = list(drawn), list(colliding)
        end, total = time.monotonic() + SECONDS, 0
        whole: dict[Key, list[MeshPart]] = {}
        for shape in (*drawn, *colliding):
            key = _key(shape)
            if shape.kind != "mesh" or key in whole or shape.file in self.skipped:
                continue
            if time.monotonic() > end or total > TOTAL:
                limit = f"{SECONDS:g} s" if total <= TOTAL else f"{TOTAL:,} triangles"
                self.skipped[shape.file] = f"the meshes before it took {limit}"
                continue
            parts = self._parts(shape)
            if parts:
                whole[key] = parts
                total += sum(len(part.mesh.faces) for part in parts)
        self.hulls = {key: convex_hull(one_mesh(parts)) for key, parts in whole.items()}
        shown = list(dict.fromkeys(_key(s) for s in drawn if s.kind == "mesh" and _key(s) in whole))
        count = Counter(_key(shape) for shape in drawn)
        uses = [count[key] for key in shown for _ in whole[key]]
        small = within_budget([p.mesh for key in shown for p in whole[key]], self.budget, uses)
        left = LARGEST_BUDGET
        for key in shown:
            own = [MeshPart(small.pop(0), part.color) for part in whole[key]]
            left -= sum(len(part.mesh.faces) for part in own)
            if left >= 0:
                self.parts[key] = own
            else:
                self.skipped[key[0]] = f"the meshes before it have {LARGEST_BUDGET:,} triangles"

    def _parts(self, shape: FileShape) -> list[MeshPart]:
        if shape.mesh is not None:
            return [MeshPart(shape.mesh, None)]
        try:
            path = self.finder.find(shape.file)
            if path is None:
                unknown = shape.file.startswith("<")
                self.skipped[shape.file] = "unknown shape" if unknown else "no such file"
                return []
            return read_parts(path, path.name, np.array(shape.scale))
        except MissingDependencyError as error:
            self.skipped[shape.file] = str(error).partition(": ")[2]
        except RobotError as error:
            if "within the folder" in str(error):
                raise
            self.skipped[shape.file] = str(error).partition(": ")[2]
        return []

    def visuals(self, tree: LinkTree, link: str, shape: FileShape, outer: Pose) -> list[Visual]:
        """What a shape of a link is drawn as, `outer` the pose of that link."""
        pose, where = outer @ shape.pose, f"link {link!r}: visual"
        color = {} if shape.color is None else {"color": shape.color}
        if shape.kind != "mesh":
            return [tree.build(where, Visual, shape.kind, shape.size, pose, **color)]
        return [
            Visual("mesh", (), pose, mesh=part.mesh)
            if part.color is None and shape.color is None
            else Visual("mesh", (), pose, str(part.color or shape.color), part.mesh)
            for part in self.parts.get(_key(shape), ())
        ]

    def collisions(self, tree: LinkTree, link: str, shape: FileShape, outer: Pose) -> list[Visual]:
        """What a shape of a link collides as: itself, or the convex hull of a mesh."""
        pose = outer @ shape.pose
        if shape.kind != "mesh":
            return [tree.build(f"link {link!r}: collision", Visual, shape.kind, shape.size, pose)]
        hull = self.hulls.get(_key(shape))
        return [] if hull is None else [Visual("mesh", (), pose, mesh=hull)]

    def skipped_line(self, most: int = 4) -> str:
        """What was skipped, as part of a sentence; empty if nothing was."""
        if not self.skipped:
            return ""
        reasons: dict[str, list[str]] = {}
        for name, reason in self.skipped.items():
            reasons.setdefault(reason, []).append(name)
        parts = []
        for reason, names in reasons.items():
            more = f" and {len(names) - most} more" if len(names) > most else ""
            parts.append(f"{', '.join(names[:most])}{more} ({reason})")
        hint = ""
        missing = [n for n, reason in self.skipped.items() if reason == "no such file"]
        packages = {n.split("/")[2] for n in missing if "://" in n and n.count("/") > 2}
        if packages and self.finder.within is None:
            hint = "; where is " + ", ".join(sorted(packages)) + "? (--package NAME=DIR)"
        return f"skipped {len(self.skipped)} shapes: {'; '.join(parts)}{hint}"


def _key(shape: FileShape) -> Key:
    return shape.file, shape.scale, "" if shape.mesh is None else shape.mesh.digest
