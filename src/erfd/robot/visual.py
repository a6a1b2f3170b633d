"""`Visual`: a shape of a link, a primitive or a mesh, to be drawn or to collide with."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..errors import RobotError
from .polygon import check_convex
from .pose import IDENTITY, Pose

if TYPE_CHECKING:
    from .mesh import Mesh

ShapeKind = Literal["cylinder", "box", "sphere", "capsule", "prism", "mesh"]
SIZES: dict[str, tuple[str, ...]] = {
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
    "sphere": ("radius",),
    "box": ("x", "y", "z"),
    "prism": ("length",),  # then x and y of each corner
}
"""The primitives, with the lengths that make them."""


def require(condition: bool, key: str, expected: str, found: object) -> None:
    """Raise a RobotError unless the condition holds: what was expected, what was found."""
    if not condition:
        raise RobotError(f"{key}: expected {expected}, found {found}")


@dataclass(frozen=True, slots=True)
class Visual:
    """A shape for the 3D view, or one to collide with: a primitive or a mesh.

    Its axis is z of its `pose`, which is in the frame of its link. `size` in m: cylinder and
    capsule (radius, length), sphere (radius,), box (x, y, z), prism (length, x1, y1, x2, y2, ...):
    a convex polygon in the plane of x and y, `length` along z. A shape "mesh" has no size but a
    `mesh`, triangles in m in its own frame.
    """

    shape: ShapeKind
    size: tuple[float, ...] = ()
    pose: Pose = IDENTITY
    color: str = "#9aa5b1"
    mesh: Mesh | None = None

    def __post_init__(self) -> None:
        if self.shape == "mesh" or self.mesh is not None:
            self._check_mesh()
            return
        kinds = ", ".join((*SIZES, "mesh"))
        require(self.shape in SIZES, "shape", f"one of {kinds}", repr(self.shape))
        names = SIZES[self.shape]
        lengths, rest = self.size[: len(names)], self.size[len(names) :]
        if self.shape == "prism":
            require(len(rest) % 2 == 0, "points", "pairs of numbers", f"{len(rest)} numbers")
            check_convex("points", self.points)
        else:
            require(len(self.size) == len(names), "size", f"{len(names)} numbers", len(self.size))
        for name, value in zip(names, lengths, strict=True):
            require(value > 0 and math.isfinite(value), name, "a length > 0", value)
        check_color(self.color)

    def _check_mesh(self) -> None:
        from .mesh import Mesh

        require(self.shape == "mesh", "mesh", f"none of a {self.shape}", repr(self.mesh))
        require(isinstance(self.mesh, Mesh), "mesh", "an erfd.cell.Mesh", repr(self.mesh))
        require(not self.size, "size", "none of a mesh", self.size)
        check_color(self.color)

    @property
    def points(self) -> tuple[tuple[float, float], ...]:
        """The corners (x, y) of a prism in m; of no other shape."""
        rest = self.size[1:] if self.shape == "prism" else ()
        return tuple(zip(rest[0::2], rest[1::2], strict=True))


def check_color(color: str) -> None:
    """Raise a RobotError unless the colour has the form `#rrggbb`."""
    digits = color[1:]
    good = len(digits) == 6 and all(c in "0123456789abcdefABCDEF" for c in digits)
    require(color[:1] == "#" and good, "color", "a colour such as '#9aa5b1'", repr(color))
