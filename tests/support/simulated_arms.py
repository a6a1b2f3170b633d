"""Arms for the tests of simulations: with friction, gears and stops."""

import math
from dataclasses import replace

import numpy as np

import erfd
from support.arms import random_robot


def pendulum(**drive: float) -> erfd.Robot:
    """A rod of 1 m and 1 kg that swings in a vertical plane; it hangs at q = 0."""
    inertia = ((0.0, 0.0, 0.0), (0.0, 1 / 12, 0.0), (0.0, 0.0, 1 / 12))
    mount = erfd.Pose((0.0, 0.0, 0.0), (math.pi / 2, 0.0, -math.pi / 2))
    link = erfd.Link("rod", 1.0, (-0.5, 0.0, 0.0), inertia)
    joint = erfd.Joint("hinge", theta=-math.pi / 2, a=1.0)
    return erfd.Robot("pendulum", (joint,), (link,), (erfd.Drive(**drive),), mount=mount)


def geared(seed: int, kinds: str, least: float = 0.0) -> erfd.Robot:
    """A random arm with random coupled gears and friction of every sort."""
    rng = np.random.default_rng(seed)
    n = len(kinds)
    drives = []
    for i in range(n):
        coupling = rng.uniform(-0.5, 0.5, n) * (np.arange(n) < i) * rng.integers(0, 2)
        drives.append(
            erfd.Drive(
                ratio=float(rng.choice([-1, 1]) * rng.uniform(1, 5)),
                coupling=tuple(coupling.tolist()) if coupling.any() else (),
                load_friction=float(rng.choice([0.0, rng.uniform(0, 0.6)])),
                coulomb=float(rng.choice([least, rng.uniform(0, 2)])),
                viscous=float(rng.uniform(0, 0.1)),
                inertia=float(rng.choice([0.0, rng.uniform(0, 0.5)])),
            )
        )
    return replace(random_robot(seed, kinds), drives=tuple(drives))


def fenced(robot: erfd.Robot, width: float) -> erfd.Robot:
    """The robot with limits of +- width at every joint."""
    joints = (replace(j, position_min=-width, position_max=width) for j in robot.joints)
    return replace(robot, joints=tuple(joints))
