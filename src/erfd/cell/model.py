"""The cell as data: things with a shape and a place in the world, in m and rad."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import RobotError
from ..robot.model import Robot, Visual
from ..robot.pose import IDENTITY, Pose


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """Triangles: `vertices` (V, 3) in m and `faces` (F, 3), numbers of vertices; read-only."""

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]

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
