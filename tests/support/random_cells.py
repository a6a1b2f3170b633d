"""Small cells around the path of an arm: thin, tiny and large things, some of them in the way."""

from dataclasses import replace

import numpy as np

import erfd
from erfd.cell import Cell, CellObject
from erfd.planning.moves import JointTarget, Move
from erfd.planning.plan import Plan
from erfd.robot.model import Visual

BALL = Visual("sphere", (2.5e-4,))
"""A ball of 0.5 mm."""


def with_needle(robot: erfd.Robot) -> erfd.Robot:
    """The arm with nothing but a needle of 1 mm at its tool point, besides the link before."""
    needle = Visual("capsule", (5e-4, 0.05), robot.tool)
    links = [replace(link, visuals=()) for link in robot.links]
    links[-1] = replace(links[-1], visuals=(needle,))
    links[-2] = replace(links[-2], visuals=robot.links[-2].visuals)
    return replace(robot, links=tuple(links))


def random_plan(robot: erfd.Robot, rng: np.random.Generator) -> Plan:
    """Two moves of all joints between random positions, half of their ranges at most."""
    joints = [JointTarget(tuple(rng.uniform(-0.8, 0.8, robot.n))) for _ in range(3)]
    moves = [Move("ptp", (target,), line=k) for k, target in enumerate(joints, 1)]
    return erfd.plan(robot, moves, q0=joints[0].joints)


def tool_points(robot: erfd.Robot, q: np.ndarray) -> np.ndarray:
    """The tool points of an arm at q (N, n), (N, 3), world coordinates."""
    points = erfd.forward_kinematics(robot, q)[:, :3, 3]
    return points @ np.array(robot.mount.rotation).T + np.array(robot.mount.xyz)


def random_cell(robot: erfd.Robot, planned: Plan, rng: np.random.Generator) -> Cell:
    """A ball of 0.5 mm, a sheet and a wire of 1 mm, and a big ball, near where the tool comes."""
    shapes = (
        BALL,
        Visual("box", (0.001, 0.2, 0.2)),
        Visual("cylinder", (5e-4, 0.3)),
        Visual("sphere", (0.1,)),
    )
    rows = rng.integers(len(planned.trajectory), size=len(shapes))
    centers = tool_points(robot, planned.trajectory.q[rows])
    centers += rng.normal(0, rng.choice([0.02, 0.4]), (len(shapes), 3))
    things = [
        CellObject(f"thing {k}", shape, erfd.Pose(tuple(at), tuple(rng.uniform(-3, 3, 3))))
        for k, (shape, at) in enumerate(zip(shapes, centers, strict=True))
    ]
    return Cell("small", tuple(things))
