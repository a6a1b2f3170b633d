"""How near the links of a robot come to each other on a motion, and which of them touch.

Left out are neighbours, links that may touch (`Robot.touching`), and shapes that touch at rest:
those of a housing and what turns in it never part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..ground.arguments import function_of
from ..ground.arrays import Array
from ..ground.optional import import_optional
from ..mechanics.kinematics import link_frames, pose_matrix
from ..robot.library import RobotLike, robot_of
from ..robot.model import BASE, Robot
from ..robot.visual import Visual
from .motion_clearance import MotionClearance, motion_of, scene_clearance
from .shapes import Obstacle, ShapeScene, bodies_of, primitive, shapes_of

NEAR_ITSELF = 0.05
"""Of links that stay further apart than this, m, nothing is said."""
STRIDE = 4
"""Of so many samples of a motion one is looked at to see which links stay far apart."""
AT_REST = 1e-3
"""Shapes that are nearer than this at rest, m, are taken to touch there."""


@dataclass(frozen=True, slots=True, eq=False)
class OwnShapes:
    """The shapes of a robot that may not touch each other.

    `touching` are the pairs of links, by name, of which shapes touch at rest: they are left out.
    """

    scene: ShapeScene
    names: tuple[str, ...]
    touching: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, robot: Robot) -> OwnShapes:
        """Those of a robot, worked out once.

        Raises:
            MissingDependencyError: The package coal is not installed.
        """
        return robot.once(OwnShapes, lambda: _own_shapes(robot))


def self_clearance(
    robot: RobotLike,
    t: ArrayLike,
    q: ArrayLike,
    *,
    progress: Callable[[float], None] | None = None,
) -> MotionClearance:
    """How near the links of a robot come to each other on a motion, between its samples, too.

    Left out are neighbouring links, those that `robot.touching` names, and shapes that are nearer
    than 1 mm with all joints at 0 (or at their limit next to it).

    Args:
        robot: The robot; a link is its collision shapes, its visuals where it has none; meshes
            count as their convex hulls.
        t: Increasing times in s, (N,).
        q: Joint positions in rad (m), (N, n).
        progress: Called with the part (0..1) that is done.

    Returns:
        The smallest distance of every two links, and all contacts; `thing` is the link nearer to
        the base, "base" what does not move.

    Raises:
        InputError: The times do not increase, or an argument does not fit.
        MissingDependencyError: The package coal is not installed.

    >>> import erfd
    >>> erfd.self_clearance("lola15", [0, 1], [[0] * 6, [0.5] * 6]).contacts
    ()
    """
    robot = robot_of(robot)
    if progress is not None:
        function_of("progress", progress)
    times, joints = motion_of(robot, t, q)
    own = OwnShapes.of(robot)
    scene = own.scene
    if len(joints):
        near = may_come_near(robot, scene, joints)
        scene = ShapeScene.with_pairs(scene.coal, scene.bodies, scene.obstacles, near)
    return scene_clearance(robot, scene, own.names, times, joints, progress)


def may_come_near(robot: Robot, scene: ShapeScene, q: Array) -> list[tuple[int, int]]:
    """Those pairs of a scene of which the spheres around may come nearer than 0.05 m on a motion.

    Looked at is every `STRIDE`-th sample; between two of them no point of a link goes further,
    seen from another one, than the joints between them turn times the way along the links.
    """
    rows = np.unique(np.append(np.arange(0, len(q), STRIDE), len(q) - 1))
    frames = pose_matrix(robot.mount) @ link_frames(robot, q[rows])
    turned = np.concatenate([np.zeros((1, robot.n)), np.cumsum(np.abs(np.diff(q, axis=0)), axis=0)])
    window = min(STRIDE // 2 + 2, len(q) - 1)
    most = (turned[window:] - turned[: len(turned) - window]).max(axis=0)  # of each joint
    slides = np.array([not joint.revolute for joint in robot.joints])
    lengths = np.linalg.norm(np.diff(frames[:, :, :3, 3], axis=1), axis=2).max(axis=0)
    lengths = lengths + most * slides
    kept = []
    bodies, things = _centers(scene, frames)
    for k, o in scene.pairs.tolist():
        body, obstacle = scene.bodies[k], scene.obstacles[o]
        gap = float(np.linalg.norm(bodies[k] - things[o], axis=1).min()) - body.reach
        gap -= float(np.linalg.norm(obstacle.half))
        # the way of a point of the shape, seen from the other one: joint by joint
        own = np.arange(obstacle.thing, body.link + 1)
        inside = float(np.linalg.norm(body.place[:3, 3])) + body.reach
        beyond = np.cumsum(lengths[own][::-1])[::-1] + inside
        way = float((most[own] * np.where(slides[own], 1.0, beyond)).sum())
        if gap - way < NEAR_ITSELF:
            kept.append((k, o))
    return kept


def _centers(scene: ShapeScene, frames: Array) -> tuple[list[Array], list[Array]]:
    """The middles of shapes and of obstacles, each (R, 3), with frames (R, n + 1, 4, 4), world."""

    def placed(frame: int, middle: Array) -> Array:
        return np.asarray(frames[:, frame, :3, :3] @ middle + frames[:, frame, :3, 3])

    bodies = [placed(body.link + 1, body.place[:3, 3]) for body in scene.bodies]
    middles = [o.origin + o.rotation @ o.center for o in scene.obstacles]
    things = [
        placed(o.thing, middle) if o.thing else middle[None]
        for o, middle in zip(scene.obstacles, middles, strict=True)
    ]
    return bodies, things


def _own_shapes(robot: Robot) -> OwnShapes:
    coal = import_optional("coal", "clearance", "studio")
    names = (BASE, *(link.name for link in robot.links))
    bodies = bodies_of(coal, robot)
    obstacles = tuple(_obstacles(coal, robot))
    allowed = {frozenset(pair) for pair in robot.touching}
    apart = {(a, b) for a, b in _strangers(robot) if frozenset((names[a], names[b])) not in allowed}
    pairs = [
        (k, o)
        for k, body in enumerate(bodies)
        for o, obstacle in enumerate(obstacles)
        if (obstacle.thing, body.link + 1) in apart
    ]
    scene = ShapeScene.with_pairs(coal, bodies, obstacles, pairs)
    frames = pose_matrix(robot.mount) @ link_frames(robot, rest_position(robot))
    kept, left_out = [], set()
    for k, o in pairs:
        if _gap_at(scene, k, o, frames) > AT_REST:
            kept.append((k, o))
        else:
            left_out.add((obstacles[o].thing, bodies[k].link + 1))
    touching = tuple((names[a], names[b]) for a, b in sorted(left_out))
    return OwnShapes(ShapeScene.with_pairs(coal, bodies, obstacles, kept), names, touching)


def rest_position(robot: Robot) -> Array:
    """All joints at 0, or at the limit next to it, rad (m), (n,)."""
    low = np.array([joint.position_min for joint in robot.joints])
    high = np.array([joint.position_max for joint in robot.joints])
    return np.clip(np.zeros(robot.n), low, high)


def _strangers(robot: Robot) -> Iterator[tuple[int, int]]:
    """Pairs of what moves as one (0: the base) that are no neighbours.

    Between neighbours there is nothing that has a shape.
    """
    base = robot.base_collisions or robot.base_visuals
    shaped = [bool(base), *(bool(shapes_of(link)) for link in robot.links)]
    numbers = [number for number, has in enumerate(shaped) if has]
    yield from ((a, b) for (i, a), (j, b) in combinations(enumerate(numbers), 2) if j > i + 1)


def _obstacles(coal: Any, robot: Robot) -> Iterator[Obstacle]:
    """All shapes as what others may meet: those of the base in the world, of links on them."""
    mount = pose_matrix(robot.mount)
    for visual in robot.base_collisions or robot.base_visuals:
        yield _obstacle(coal, visual, mount @ pose_matrix(visual.pose), 0)
    for number, link in enumerate(robot.links, 1):
        for visual in shapes_of(link):
            yield _obstacle(coal, visual, pose_matrix(visual.pose), number)


def _obstacle(coal: Any, visual: Visual, place: Array, number: int) -> Obstacle:
    geometry, half, _ = primitive(coal, visual)
    rotation, origin = place[:3, :3], place[:3, 3]
    pose = coal.Transform3s(rotation, origin)
    box = np.zeros(3), half
    return Obstacle(geometry, pose, rotation, origin, *box, number, number - 1)


def _gap_at(scene: ShapeScene, body: int, obstacle: int, frames: Array) -> float:
    """The distance in m of a shape from an obstacle with the links at `frames` (n + 1, 4, 4)."""
    shape, carrier = scene.bodies[body], scene.obstacles[obstacle].carrier
    place = frames[shape.link + 1] @ shape.place
    if carrier >= 0:
        place = np.linalg.inv(frames[carrier + 1]) @ place
    return scene.gap(body, obstacle, place)
