"""Shapes for a robot that has none: capsules from joint to joint, marked as made up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .model import Robot
from .pose import Pose, as_mat3
from .visual import Visual

MADE = "shapes: capsules from joint to joint, as its file has none"
"""What `Robot.illustrative` says of a robot with such shapes."""
COLOR = "#8d99a6"
SLIM = 0.02
"""The radius of the capsules, in lengths of the arm."""


def with_sticks(robot: Robot) -> Robot:
    """The robot itself if a link has a shape, else with a capsule for each link.

    The capsule of link i goes from the axis of joint i to that of joint i+1, the last one to the
    tool, that of the base to the axis of joint 1; what has no length gets none.
    """
    if any(link.visuals or link.collisions for link in robot.links):
        return robot
    ends = []
    for i, joint in enumerate(robot.joints):
        turn, origin = joint.placement
        rotation = np.array(turn)
        start = -rotation.T @ np.array(origin)  # the origin of frame i-1 in frame i, at q = 0
        if not joint.revolute:
            start = np.zeros(3)
        last = i == robot.n - 1
        ends.append((start, np.array(robot.tool.xyz) if last else np.zeros(3)))
    lengths = [float(np.linalg.norm(b - a)) for a, b in ends]
    radius = SLIM * max(sum(lengths) + float(np.linalg.norm(robot.base.xyz)), 0.1)
    links = tuple(
        replace(link, visuals=_capsule(a, b, radius)) if length > radius else link
        for link, (a, b), length in zip(robot.links, ends, lengths, strict=True)
    )
    base: tuple[Visual, ...] = ()
    reach = float(np.linalg.norm(robot.base.xyz))
    if reach > radius and not robot.base_visuals:
        base = _capsule(np.zeros(3), np.array(robot.base.xyz), radius)
    if not base and not any(link.visuals for link in links):
        return robot
    robot = replace(robot, links=links, illustrative=(*robot.illustrative, MADE))
    return replace(robot, base_visuals=base) if base else robot


def has_sticks(robot: Robot) -> bool:
    """Whether the shapes of the robot are made up by `with_sticks`."""
    return MADE in robot.illustrative


def _capsule(a: NDArray[np.float64], b: NDArray[np.float64], radius: float) -> tuple[Visual, ...]:
    length = float(np.linalg.norm(b - a))
    z = (b - a) / length
    x = np.cross(z, np.eye(3)[np.abs(z).argmin()])
    x /= np.linalg.norm(x)
    turn = as_mat3(np.stack([x, np.cross(z, x), z], axis=1).tolist())
    return (Visual("capsule", (radius, length), Pose.of(turn, ((a + b) / 2).tolist()), COLOR),)
