"""Robots for counts and tests: one of general geometry, and the first links of another."""

from __future__ import annotations

import math
from dataclasses import replace

from ..errors import InputError
from .model import Joint, Link, Robot
from .pose import as_mat3


def general_robot(n: int) -> Robot:
    """A revolute arm of n joints with every D-H parameter and inertial component non-zero.

    The numbers have no meaning; they only leave nothing for a trace to fold away.
    """
    joints, links = [], []
    for i in range(1, n + 1):
        wave = [math.sin(12.9898 * i + 4.1414 * k) for k in range(13)]
        joints.append(
            Joint(f"joint {i}", a=wave[0] + 1.5, d=wave[1] + 1.5, alpha=0.6 + 0.3 * wave[2])
        )
        diagonal = [2.0 + 0.3 * wave[k] for k in (3, 4, 5)]
        xy, xz, yz = (0.1 * wave[k] + 0.15 for k in (6, 7, 8))
        inertia = as_mat3([[diagonal[0], xy, xz], [xy, diagonal[1], yz], [xz, yz, diagonal[2]]])
        center = (wave[9] - 1.2, wave[10] + 1.2, wave[11] - 1.2)
        links.append(Link(f"link {i}", 3.0 + wave[12], center, inertia))
    return Robot(f"general{n}", tuple(joints), tuple(links))


def first_links(robot: Robot, n: int) -> Robot:
    """The arm of the first n joints of a robot, without drives; its tool is the same in frame n."""
    if not 1 <= n <= robot.n:
        raise InputError(f"n: expected 1 to {robot.n} links of {robot.name!r}, found {n}")
    name = f"{robot.name}[:{n}]"
    joints, links = robot.joints[:n], robot.links[:n]
    gone = {link.name for link in robot.links[n:]}
    touching = tuple(pair for pair in robot.touching if not gone & {*pair})
    return replace(robot, name=name, joints=joints, links=links, drives=(), touching=touching)
