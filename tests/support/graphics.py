"""Motions of random arms with shapes, for graphic files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import erfd
from support.arms import random_robot

SHAPES = (
    erfd.Visual("box", (0.1, 0.2, 0.3), erfd.Pose((0.1, 0.0, 0.0), (0.3, 0.2, 0.1)), "#c8372d"),
    erfd.Visual("cylinder", (0.05, 0.3)),
    erfd.Visual("sphere", (0.08,), erfd.Pose((0.0, 0.1, 0.0))),
    erfd.Visual("capsule", (0.04, 0.2), erfd.Pose((0.0, -0.1, 0.1))),
    erfd.Visual("prism", (0.05, 0.0, 0.0, 0.2, 0.0, 0.0, 0.2), erfd.Pose((0.0, 0.0, 0.2))),
)


def motion(robot: erfd.Robot, size: int = 40, seed: int = 0) -> erfd.Run:
    """Some motion, not a possible one: the file does not care."""
    rng = np.random.default_rng(seed)
    t = np.arange(size) * 0.01
    q = rng.uniform(-1, 1, robot.n) * np.sin(3 * t)[:, None]
    data = {"t": t, "q": q, "qd": np.gradient(q, 0.01, axis=0), "qdd": 2 * q, "u_a": 3 * q}
    return erfd.Run(robot, data, ())


def mounted(seed: int, kinds: str) -> erfd.Robot:
    robot = random_robot(seed, kinds)
    mount = erfd.Pose((0.3, -0.2, 1.1), (0.4, 2.0, -1.0))
    links = tuple(replace(link, visuals=SHAPES) for link in robot.links)
    tool = erfd.Pose((0.0, 0.0, 0.2), (0.0, 0.5, 0.0))
    return replace(robot, mount=mount, links=links, tool=tool, base_visuals=SHAPES[:1])
