"""The shapes of links and of things in the collision library Coal, and how far apart they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ground.arrays import Array
from ..ground.optional import import_optional
from ..mechanics.kinematics import pose_matrix
from ..robot.model import Link, Robot
from ..robot.visual import Visual
from .mesh import prism_mesh
from .model import Cell, CellObject, Mesh


@dataclass(frozen=True, slots=True, eq=False)
class ShapedBody:
    """A shape of a moving link: the number of the link, its place in the link's frame (4, 4).

    `reach` is the radius in m of a sphere about its middle that holds all of it.
    """

    link: int
    place: Array
    geometry: Any
    reach: float


@dataclass(frozen=True, slots=True, eq=False)
class Obstacle:
    """What a shape may meet, in Coal's terms, and the box around it in its own axes, m.

    It is fixed to the link `carrier` (its number from 0; -1: the world), in whose frame it is.
    `thing` is the number of what it is a part of.
    """

    geometry: Any
    pose: Any
    rotation: Array
    origin: Array
    center: Array
    half: Array
    thing: int = 0
    carrier: int = -1


@dataclass(frozen=True, slots=True, eq=False)
class ShapeScene:
    """The shapes of a robot and what they may meet; `pairs` (P, 2) of them may not touch."""

    coal: Any
    bodies: tuple[ShapedBody, ...]
    obstacles: tuple[Obstacle, ...]
    pairs: NDArray[np.int64]
    request: Any
    result: Any

    @classmethod
    def of(cls, robot: Robot, cell: Cell) -> ShapeScene:
        """The shapes of all links but the base, and of all things.

        Raises:
            MissingDependencyError: The package coal is not installed.
        """
        coal = import_optional("coal", "clearance", "studio")
        bodies = bodies_of(coal, robot)
        names = [link.name for link in robot.links]
        pairs = [
            (b, o)
            for b, body in enumerate(bodies)
            for o, thing in enumerate(cell.things)
            if names[body.link] not in thing.touching
        ]
        obstacles = tuple(_obstacle(coal, thing, k) for k, thing in enumerate(cell.things))
        return cls.with_pairs(coal, bodies, obstacles, pairs)

    @classmethod
    def with_pairs(
        cls,
        coal: Any,
        bodies: tuple[ShapedBody, ...],
        obstacles: tuple[Obstacle, ...],
        pairs: Sequence[tuple[int, int]],
    ) -> ShapeScene:
        """Shapes, what they may meet, and which of both may not touch."""
        request = coal.DistanceRequest()
        request.enable_signed_distance = True
        numbers = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        return cls(coal, bodies, obstacles, numbers, request, coal.DistanceResult())

    @property
    def carriers(self) -> NDArray[np.int64]:
        """The link (from 0; -1: the world) that the obstacle of each pair is fixed to, (P,)."""
        return np.array([o.carrier for o in self.obstacles], dtype=np.int64)[self.pairs[:, 1]]

    def gap(self, body: int, obstacle: int, place: Array) -> float:
        """The distance in m (below 0: how deep) of a shape that is at `place` (4, 4), world."""
        pose = self.coal.Transform3s(place[:3, :3], place[:3, 3])
        self.result.clear()
        shape, thing = self.bodies[body].geometry, self.obstacles[obstacle]
        gap = self.coal.distance(shape, pose, thing.geometry, thing.pose, self.request, self.result)
        return float(gap)

    def nearest_points(self) -> Array:
        """Where the two of the last `gap` are nearest, (2, 3), world coordinates."""
        found = self.result.getNearestPoint1(), self.result.getNearestPoint2()
        return np.array(found, dtype=np.float64)

    def least_gaps(self, bodies: NDArray[np.int64], things: Any, centers: Array) -> Array:
        """Distances (K,) in m that shapes surely have from things; deep below 0 if they may meet.

        Args:
            bodies: Numbers of the shapes, (K,).
            things: Numbers of the things, (K,).
            centers: The middles of the shapes, (K, 3), world coordinates.
        """
        reach = np.array([body.reach for body in self.bodies])[bodies]
        rotation, origin, center, half = (
            np.array([getattr(obstacle, name) for obstacle in self.obstacles])[things]
            for name in ("rotation", "origin", "center", "half")
        )
        local = np.einsum("ki,kij->kj", centers - origin, rotation) - center
        outside = np.maximum(np.abs(local) - half, 0.0)
        # a box that the sphere enters says nothing; penetration may be as deep as both are wide
        gap = np.linalg.norm(outside, axis=1) - reach
        deepest = -2 * (reach + np.linalg.norm(half, axis=1))
        return np.asarray(np.where(gap > 0, gap, deepest))


def shapes_of(link: Link) -> tuple[Visual, ...]:
    """What of a link collides: its collision shapes, the visuals where there are none."""
    return link.collisions or link.visuals


def bodies_of(coal: Any, robot: Robot) -> tuple[ShapedBody, ...]:
    """The shapes of all links but the base; meshes count as their convex hulls."""
    return tuple(
        ShapedBody(i, pose_matrix(visual.pose), *primitive(coal, visual)[::2])
        for i, link in enumerate(robot.links)
        for visual in shapes_of(link)
    )


def primitive(coal: Any, visual: Visual) -> tuple[Any, Array, float]:
    """Coal's geometry about its own origin, half of the box around it (3,), and its reach, m."""
    size = visual.size
    if visual.shape == "sphere":
        return coal.Sphere(size[0]), np.full(3, size[0]), size[0]
    if visual.shape == "box":
        half = np.array(size) / 2
        return coal.Box(*size), half, float(np.linalg.norm(half))
    mesh = prism_mesh(visual) if visual.shape == "prism" else visual.mesh
    if mesh is not None:
        reach = float(np.linalg.norm(mesh.vertices, axis=1).max())
        return _hull(coal, mesh), np.abs(mesh.vertices).max(axis=0), reach
    radius, length = size
    if visual.shape == "capsule":
        reach = radius + length / 2
        return coal.Capsule(*size), np.array([radius, radius, reach]), reach
    half = np.array([radius, radius, length / 2])
    return coal.Cylinder(*size), half, float(np.hypot(radius, length / 2))


def _obstacle(coal: Any, thing: CellObject, number: int) -> Obstacle:
    """A thing of the cell in Coal's terms."""
    place = pose_matrix(thing.placement)
    rotation, origin = place[:3, :3], place[:3, 3]
    if isinstance(thing.shape, Mesh):
        points = thing.shape.vertices
        geometry = (_hull if thing.convex else _triangles)(coal, thing.shape)
        low, high = points.min(axis=0), points.max(axis=0)
    else:
        geometry, half, _ = primitive(coal, thing.shape)
        low, high = -half, half
    pose = coal.Transform3s(rotation, origin)
    box = (low + high) / 2, (high - low) / 2
    return Obstacle(geometry, pose, rotation, origin, *box, number)


def _triangles(coal: Any, mesh: Mesh) -> Any:
    """Coal's geometry of a mesh as a surface."""
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(mesh.faces), len(mesh.vertices))
    model.addVertices(mesh.vertices)
    model.addTriangles(mesh.faces)
    model.endModel()
    return model


def _hull(coal: Any, mesh: Mesh) -> Any:
    """Coal's geometry of the convex hull of a mesh."""
    model = _triangles(coal, mesh)
    model.buildConvexHull(True, "Qt")
    return model.convex
