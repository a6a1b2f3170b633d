"""Distances between the links and the things of a cell, by the collision library Coal.

The links are their collision shapes, or what is drawn; the base, which does not move, is left out.
Distances are taken at the given joint positions; `motion_clearance` looks between them, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..ground.arguments import function_of
from ..ground.arrays import Array, shaped_array
from ..mechanics.kinematics import link_frames, pose_matrix
from ..robot.library import RobotLike, robot_of
from .contact import TOUCH, Contact, in_order
from .reader import CellLike, cell_of
from .shapes import ShapeScene


@dataclass(frozen=True, slots=True, eq=False)
class Clearance:
    """The smallest distance between robot and cell at each of N joint positions.

    `distances` (N,) in m, at most 10 um in a collision, infinite if there is nothing to meet;
    `pairs` (N, 2): number of the link in `links` and of the thing in `things` (-1: none);
    `points` (N, 2, 3): where they are nearest, on the link and on the thing, world coordinates.
    `touching` (K, 3): row, link and thing of every collision, `depths` (K,) in m.
    """

    distances: Array
    pairs: NDArray[np.int64]
    points: Array
    links: tuple[str, ...]
    things: tuple[str, ...]
    touching: NDArray[np.int64]
    depths: Array

    @property
    def smallest(self) -> float:
        """The smallest distance of all, m."""
        return float(self.distances.min())

    def contacts(self, t: ArrayLike) -> tuple[Contact, ...]:
        """When which link is in which thing; t (N,) are the times in s of the joint positions."""
        from ..run.events import spans

        times = shaped_array("t", t, self.distances.shape)
        contacts = []
        for link, thing in np.unique(self.touching[:, 1:], axis=0).tolist():
            own = (self.touching[:, 1:] == (link, thing)).all(axis=1)
            depths = np.full(len(times), -np.inf)
            np.maximum.at(depths, self.touching[own, 0], self.depths[own])
            for first, last in spans(depths >= 0):
                depth = float(depths[first : last + 1].max())
                names = self.links[link], self.things[thing]
                contacts.append(Contact(float(times[first]), float(times[last]), *names, depth))
        return in_order(contacts)


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
        robot: The robot; a link is its collision shapes, its visuals where it has none; meshes
            count as their convex hulls.
        cell: What stands around it: a `Cell`, or the path of its file.
        q: Joint positions in rad (m), (N, n).
        progress: Called with the part (0..1) that is done.

    Returns:
        Distances in m, which link and thing are nearest, and where; all that touches.

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
    scene = ShapeScene.of(robot, cell)
    size = len(joints)
    distances = np.full(size, np.inf)
    pairs = np.full((size, 2), -1, dtype=np.int64)
    points = np.zeros((size, 2, 3))
    touching: list[tuple[int, int, int]] = []
    depths: list[float] = []
    if len(scene.pairs) and size:
        frames = pose_matrix(cell.placed(robot).mount) @ link_frames(robot, joints)
        places = [frames[:, body.link + 1] @ body.place for body in scene.bodies]
        lower = np.stack(
            [
                scene.least_gaps(np.full(size, b), np.full(size, o), places[b][:, :3, 3])
                for b, o in scene.pairs.tolist()
            ],
            axis=1,
        )
        order = np.argsort(lower, axis=1)
        for k in range(size):
            for at in order[k].tolist():
                if lower[k, at] >= max(distances[k], TOUCH):
                    break  # sorted: nobody further can be nearer, or touch
                b, o = scene.pairs[at].tolist()
                gap = scene.gap(b, o, places[b][k])
                if gap < distances[k]:
                    distances[k], pairs[k] = gap, (scene.bodies[b].link, o)
                    points[k] = scene.nearest_points()
                if gap <= TOUCH:
                    touching.append((k, scene.bodies[b].link, o))
                    depths.append(max(-gap, 0.0))
            if progress is not None and k % 256 == 255:
                progress(k / size)
    return Clearance(
        distances, pairs, points,
        tuple(link.name for link in robot.links), tuple(thing.name for thing in cell.things),
        np.array(touching, dtype=np.int64).reshape(-1, 3), np.array(depths),
    )  # fmt: skip
