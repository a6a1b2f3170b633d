"""Shapes for the 3D view, from the sections of parts.

Holes are not drawn, hollow sections look solid, and a mesh is shown as its bounding box.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ..pose import IDENTITY, Pose
from ..visual import Visual
from .database import PlacedPart, Section
from .mesh import MeshShape
from .shapes import Box, Cylinder, Prism, SemiCylinder, Sphere

ARC_EDGES = 12
"""Edges of the polygon that stands for half a circle."""


def visuals_of(uses: Iterable[PlacedPart], frame: Pose) -> tuple[Visual, ...]:
    """The visible shapes of the parts, in the outer frame of `frame`."""
    return tuple(
        _visual(section, frame @ use.pose @ section.pose)
        for use in uses
        for section in use.part.sections
        if section.visible and not section.hole
    )


def _visual(section: Section, pose: Pose) -> Visual:
    kind, size, inner = _outline(section.shape)
    return Visual(kind, size, _rounded(pose @ inner), section.color)


def _outline(shape: Any) -> tuple[Any, tuple[float, ...], Pose]:
    """Shape and size of a visual, and where it is in the frame of the section."""
    match shape:
        case Cylinder():
            return "cylinder", (shape.radius, shape.length), IDENTITY
        case Sphere():
            return "sphere", (shape.radius,), IDENTITY
        case Box():
            return "box", shape.size, IDENTITY
        case Prism():
            return "prism", (shape.length, *(x for point in shape.points for x in point)), IDENTITY
        case SemiCylinder():
            angles = [math.pi * k / ARC_EDGES for k in range(ARC_EDGES + 1)]
            arc = [f(a) * shape.radius for a in angles for f in (math.cos, math.sin)]
            return "prism", (shape.length, *(round(x, 9) for x in arc)), IDENTITY
        case MeshShape():
            pairs = list(zip(shape.low, shape.high, strict=True))
            x, y, z = ((a + b) / 2 for a, b in pairs)
            return "box", tuple(b - a for a, b in pairs), Pose((x, y, z))
    raise AssertionError(f"no outline for {shape}")


def _rounded(pose: Pose) -> Pose:
    """The pose rounded: 0.3 m, not the 0.3 m + 6e-17 m that a chain of poses leaves."""
    degree = math.pi / 180
    x, y, z = (round(v, 12) + 0.0 for v in pose.xyz)
    a, b, c = (round(v / degree, 9) * degree + 0.0 for v in pose.rpy)
    return Pose((x, y, z), (a, b, c))
