"""The cell as data: things with a shape and a place in the world, in m and rad."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ..robot.mesh import Mesh
from ..robot.model import Robot
from ..robot.pose import IDENTITY, Pose
from ..robot.visual import Visual

__all__ = ["Cell", "CellObject", "Mesh"]


@dataclass(frozen=True, slots=True, eq=False)
class CellObject:
    """An object of the cell: a primitive (its pose is in the world) or a mesh with a pose.

    `convex` fills a mesh to its convex hull, so that its inside counts as solid; other meshes are
    surfaces. Links named in `touching` may be in contact with it.
    """

    name: str
    shape: Visual | Mesh
    pose: Pose = IDENTITY
    color: str = "#8d99a6"
    convex: bool = False
    touching: tuple[str, ...] = ()

    @property
    def placement(self) -> Pose:
        """The pose of the shape in the world."""
        return self.pose @ self.shape.pose if isinstance(self.shape, Visual) else self.pose


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """What stands around the robot, placed in the world.

    `mount` places the robot's base there (None: as the robot says).
    """

    name: str = "empty"
    things: tuple[CellObject, ...] = ()
    mount: Pose | None = None
    notes: tuple[str, ...] = field(default=())

    def placed(self, robot: Robot) -> Robot:
        """The robot where it stands in this cell."""
        return robot if self.mount is None else replace(robot, mount=self.mount)

    def __repr__(self) -> str:
        return f"Cell({self.name!r}, {len(self.things)} things)"
