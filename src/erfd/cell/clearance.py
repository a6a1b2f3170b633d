"""Distances between the links and the things of a cell, by the collision library Coal.

The links are their visual primitives; the base, which does not move, is left out. Distances are
taken at the given joint positions, not between them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..ground.arguments import function_of
from ..ground.arrays import Array, shaped_array
from ..ground.optional import import_optional
from ..mechanics.kinematics import link_frames, pose_matrix
from ..robot.library import RobotLike, robot_of
from ..robot.model import Visual
from .mesh import prism_mesh
from .model import CellObject, Mesh
from .reader import CellLike, cell_of


@dataclass(frozen=True, slots=True)
class Contact:
    """A time span (s) in which a link penetrates an object, `depth` m at most (0: a surface)."""

    start: float
    end: float
    link: str
    thing: str
    depth: float

    def __str__(self) -> str:
        when = f"{self.start:.2f}-{self.end:.2f} s"
        return f"{self.link} collides with {self.thing} at {when}"


@dataclass(frozen=True, slots=True, eq=False)
class Clearance:
    """The smallest distance between robot and cell at each of N joint positions.

    `distances` (N,) in m, below or at 0 in a collision, infinite if there is nothing to meet;
    `pairs` (N, 2): number of the link in `links` and of the thing in `things` (-1: none);
    `points` (N, 2, 3): where they are nearest, on the link and on the thing, world coordinates.
    """

    distances: Array
    pairs: NDArray[np.int64]
    points: Array
    links: tuple[str, ...]
    things: tuple[str, ...]

    @property
    def smallest(self) -> float:
        """The smallest distance of all, m."""
        return float(self.distances.min())

    def contacts(self, t: ArrayLike) -> tuple[Contact, ...]:
        """When which link is in which thing; t (N,) are the times in s of the joint positions."""
        from ..run.events import spans

        times = shaped_array("t", t, self.distances.shape)
        contacts = []
        collides = self.distances <= 0
        for pair in sorted({(int(a), int(b)) for a, b in self.pairs[collides]}):
            for first, last in spans(collides & (self.pairs == pair).all(axis=1)):
                depth = float(-self.distances[first : last + 1].min())
                names = self.links[pair[0]], self.things[pair[1]]
                contacts.append(Contact(float(times[first]), float(times[last]), *names, depth))
        return tuple(sorted(contacts, key=lambda contact: (contact.start, contact.link)))


def clearance(
    robot: RobotLike,
    cell: CellLike,
    q: ArrayLike,
    *,
    progress: Callable[[float], None] | None = None,
) -> Clearance:
    """The smallest distance between the moving links and the cell at joint positions.

    The robot stands where the cell says (`Cell.mount`), else where its own mount says.

    Args:
        robot: The robot; its links are their visual primitives.
        cell: What stands around it: a `Cell`, or the path of its file.
        q: Joint positions in rad (m), (N, n).
        progress: Called with the part (0..1) that is done.

    Returns:
        Distances in m, which link and thing are nearest, and where.

    Raises:
        MissingDependencyError: The package coal is not installed.

    >>> import erfd
    >>> robot, cell = erfd.load("lola15"), erfd.load_cell("cell.toml")  # doctest: +SKIP
    >>> erfd.clearance(robot, cell, [[0.0] * 6]).smallest  # doctest: +SKIP
    """
    robot, cell = robot_of(robot), cell_of(cell)
    if progress is not None:
        function_of("progress", progress)
    joints = shaped_array("q", q, ("N", robot.n))
    coal = import_optional("coal", "clearance", "studio")
    links = tuple(link.name for link in robot.links)
    things = tuple(thing.name for thing in cell.things)
    size = len(joints)
    distances = np.full(size, np.inf)
    pairs = np.full((size, 2), -1, dtype=np.int64)
    points = np.zeros((size, 2, 3))
    bodies = [
        (i, pose_matrix(visual.pose), _primitive(coal, visual))
        for i, link in enumerate(robot.links)
        for visual in link.visuals
    ]
    fixed = [_fixed(coal, thing) for thing in cell.things]
    candidates = [
        (b, o)
        for b, (i, *_) in enumerate(bodies)
        for o, thing in enumerate(cell.things)
        if links[i] not in thing.touching
    ]
    if not candidates or not size:
        return Clearance(distances, pairs, points, links, things)
    frames = pose_matrix(cell.placed(robot).mount) @ link_frames(robot, joints)
    places = [frames[:, i + 1] @ local for i, local, _ in bodies]
    lower = np.stack(
        [_bound(places[b][:, :3, 3], bodies[b][2].reach, fixed[o]) for b, o in candidates], axis=1
    )
    order = np.argsort(lower, axis=1)
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.enable_signed_distance = True
    for k in range(size):
        for at in order[k]:
            if lower[k, at] >= distances[k]:
                break  # sorted: nobody further can be nearer
            b, o = candidates[at]
            place = places[b][k]
            pose = coal.Transform3s(place[:3, :3], place[:3, 3])
            result.clear()
            body, thing = bodies[b][2].geometry, fixed[o]
            gap = coal.distance(body, pose, thing.geometry, thing.pose, request, result)
            if gap < distances[k]:
                distances[k], pairs[k] = gap, (bodies[b][0], o)
                points[k] = np.array(result.getNearestPoint1()), np.array(result.getNearestPoint2())
        if progress is not None and k % 256 == 255:
            progress(k / size)
    return Clearance(distances, pairs, points, links, things)


@dataclass(frozen=True, slots=True, eq=False)
class _Primitive:
    """Coal's geometry, half of the sides of the box around it (3,) and the sphere's radius, m."""

    geometry: Any
    half: Array
    reach: float


@dataclass(frozen=True, slots=True, eq=False)
class _Fixed:
    """A thing of the cell in Coal's terms, and the box around it in its own axes."""

    geometry: Any
    pose: Any
    rotation: Array
    origin: Array
    center: Array
    half: Array


def _bound(centers: Array, reach: float, fixed: _Fixed) -> Array:
    """A distance (N,) that spheres about `centers` (N, 3) surely have from the thing's box."""
    local = (centers - fixed.origin) @ fixed.rotation - fixed.center
    outside = np.maximum(np.abs(local) - fixed.half, 0.0)
    # a box that the sphere enters says nothing; penetration may be as deep as both are wide
    gap: Array = np.linalg.norm(outside, axis=1) - reach
    deepest = -2 * (reach + float(np.linalg.norm(fixed.half)))
    return np.where(gap > 0, gap, deepest)


def _primitive(coal: Any, visual: Visual) -> _Primitive:
    """A primitive in Coal's terms, about its own origin."""
    size = visual.size
    if visual.shape == "sphere":
        return _Primitive(coal.Sphere(size[0]), np.full(3, size[0]), size[0])
    if visual.shape == "box":
        half = np.array(size) / 2
        return _Primitive(coal.Box(*size), half, float(np.linalg.norm(half)))
    if visual.shape == "prism":
        mesh = prism_mesh(visual)
        reach = float(np.linalg.norm(mesh.vertices, axis=1).max())
        return _Primitive(_hull(coal, mesh), np.abs(mesh.vertices).max(axis=0), reach)
    radius, length = size
    if visual.shape == "capsule":
        reach = radius + length / 2
        return _Primitive(coal.Capsule(*size), np.array([radius, radius, reach]), reach)
    half = np.array([radius, radius, length / 2])
    return _Primitive(coal.Cylinder(*size), half, float(np.hypot(radius, length / 2)))


def _fixed(coal: Any, thing: CellObject) -> _Fixed:
    """A thing of the cell in Coal's terms."""
    place = pose_matrix(thing.placement)
    rotation, origin = place[:3, :3], place[:3, 3]
    if isinstance(thing.shape, Mesh):
        points = thing.shape.vertices
        geometry = (_hull if thing.convex else _triangles)(coal, thing.shape)
        low, high = points.min(axis=0), points.max(axis=0)
    else:
        primitive = _primitive(coal, thing.shape)
        geometry, low, high = primitive.geometry, -primitive.half, primitive.half
    pose = coal.Transform3s(rotation, origin)
    return _Fixed(geometry, pose, rotation, origin, (low + high) / 2, (high - low) / 2)


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
