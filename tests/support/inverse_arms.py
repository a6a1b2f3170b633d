"""Arms for the tests of inverse kinematics: random ones with a spherical wrist, and positions."""

from __future__ import annotations

import math
import os

import numpy as np

import erfd
from support.seeds import seeded

COUNT = int(os.environ.get("ERFD_IK", "10000"))
"""Poses per robot; a million in the soak test."""
STRUCTURES = ("elbow", "crossing", "sliding", "parallel")


def spherical_robot(seed: int, structure: str, right_angles: bool) -> erfd.Robot:
    """A random arm with a spherical wrist; its frames are shifted and turned along their axes.

    `right_angles`: the wrist's axes are perpendicular, so that it takes every orientation.
    """
    rng = np.random.default_rng(seed)
    quarter = math.pi / 2

    def angle() -> float:  # of two axes that are not nearly parallel
        return float(rng.choice([-1, 1]) * rng.choice([quarter, rng.uniform(0.4, math.pi - 0.4)]))

    def length() -> float:
        return float(rng.choice([-1, 1]) * rng.uniform(0.1, 1.0))

    def maybe() -> float:
        return length() if rng.random() < 0.6 else 0.0

    a, d, alpha = [0.0] * 6, [0.0] * 6, [0.0] * 6
    if structure == "elbow":
        alpha[0], alpha[1] = angle(), float(rng.choice([0.0, math.pi]))
        a[0], d[0], a[1], d[1] = maybe(), maybe(), length(), maybe()
    elif structure == "parallel":
        alpha[0], alpha[1] = float(rng.choice([0.0, math.pi])), angle()
        a[0], d[0], a[1], d[1] = length(), maybe(), maybe(), maybe()
    else:
        alpha[0], alpha[1] = angle(), angle()
        a[0], d[0], a[1], d[1] = (
            0.0,
            maybe(),
            length() if structure == "crossing" else maybe(),
            maybe(),
        )
    alpha[2], a[2], d[2] = angle(), length(), maybe()
    d[3] = length()
    d[5], a[5] = maybe(), maybe()
    alpha[3], alpha[4] = (
        (quarter * rng.choice([-1, 1], 2)).tolist() if right_angles else (angle(), angle())
    )
    alpha[5] = float(rng.uniform(-math.pi, math.pi))
    kinds = ["prismatic" if structure == "sliding" and i == 2 else "revolute" for i in range(6)]
    joints = []
    carry = 0.0  # a shift of frame i along axis i + 1, taken back by the next d
    for i in range(6):
        theta = float(rng.choice([0.0, quarter, rng.uniform(-math.pi, math.pi)]))
        shift = float(rng.uniform(-0.5, 0.5)) if rng.random() < 0.5 and i < 5 else 0.0
        spin = float(rng.uniform(-math.pi, math.pi)) if rng.random() < 0.5 else 0.0
        after = erfd.Pose((0.0, 0.0, shift), (0.0, 0.0, spin))
        joints.append(
            erfd.Joint(f"j{i + 1}", kinds[i], theta, d[i] - carry, a[i], alpha[i], after)  # type: ignore[arg-type]
        )
        carry = shift
    links = tuple(erfd.Link(f"l{i + 1}", 1.0) for i in range(6))
    pose = lambda: erfd.Pose(*(tuple(rng.uniform(-1, 1, 3).tolist()) for _ in range(2)))  # noqa: E731
    return erfd.Robot("random", tuple(joints), links, base=pose(), tool=pose())


def three_parallel_robot(seed: int, right_angles: bool) -> erfd.Robot:
    """A random arm whose axes 2, 3, 4 are parallel and 5 and 6 meet; frames shifted and turned."""
    rng = np.random.default_rng(seed)
    quarter = math.pi / 2

    def angle() -> float:
        return float(rng.choice([-1, 1]) * (quarter if right_angles else rng.uniform(0.5, 2.6)))

    def length() -> float:
        return float(rng.choice([-1, 1]) * rng.uniform(0.1, 1.0))

    opposite = (float(rng.choice([0.0, math.pi])) for _ in range(2))
    alpha = [angle(), *opposite, angle(), angle(), float(rng.uniform(-3, 3))]
    maybe = [length() if rng.random() < 0.5 else 0.0 for _ in range(6)]
    a = [maybe[0], length(), length(), maybe[1], 0.0, maybe[2]]
    d = [length(), maybe[3], maybe[4], length(), length(), maybe[5]]
    joints, carry = [], 0.0
    for i in range(6):
        theta = float(rng.choice([0.0, quarter, rng.uniform(-math.pi, math.pi)]))
        shift = float(rng.uniform(-0.5, 0.5)) if rng.random() < 0.5 and i < 5 else 0.0
        spin = float(rng.uniform(-math.pi, math.pi)) if rng.random() < 0.5 else 0.0
        after = erfd.Pose((0.0, 0.0, shift), (0.0, 0.0, spin))
        joints.append(
            erfd.Joint(f"j{i + 1}", "revolute", theta, d[i] - carry, a[i], alpha[i], after)
        )
        carry = shift
    links = tuple(erfd.Link(f"l{i + 1}", 1.0) for i in range(6))
    pose = lambda: erfd.Pose(*(tuple(rng.uniform(-1, 1, 3).tolist()) for _ in range(2)))  # noqa: E731
    return erfd.Robot("random", tuple(joints), links, base=pose(), tool=pose())


def ur5() -> erfd.Robot:
    """A UR5: its published Denavit-Hartenberg numbers, all joints within one turn each way."""
    numbers = [
        (0.089159, 0.0, math.pi / 2), (0.0, -0.425, 0.0), (0.0, -0.39225, 0.0),
        (0.10915, 0.0, math.pi / 2), (0.09465, 0.0, -math.pi / 2), (0.0823, 0.0, 0.0),
    ]  # fmt: skip
    joints = tuple(
        erfd.Joint(f"j{i}", "revolute", 0.0, d, a, alpha, position_min=-2 * math.pi,
                   position_max=2 * math.pi) for i, (d, a, alpha) in enumerate(numbers, 1)
    )  # fmt: skip
    return erfd.Robot("ur5", joints, tuple(erfd.Link(f"l{i}", 1.0) for i in range(1, 7)))


def positions(robot: erfd.Robot, count: int, seed: int = 0) -> np.ndarray:
    """Joint positions within the limits; an endless joint turns once, a free slide is 2 m long."""
    rng = np.random.default_rng(seeded(seed))
    lower, upper = (
        np.array([getattr(joint, f"position_{end}") for joint in robot.joints])
        for end in ("min", "max")
    )
    lower = np.where(np.isfinite(lower), lower, -3.1)
    upper = np.where(np.isfinite(upper), upper, 3.1)
    return rng.uniform(lower, upper, (count, robot.n))


def apart(robot: erfd.Robot, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The largest difference of joint positions, full turns apart."""
    turns = np.array([joint.revolute for joint in robot.joints])
    gap = a - b
    gap = np.where(turns, (gap + np.pi) % (2 * np.pi) - np.pi, gap)
    return np.abs(gap).max(axis=-1)


def size(robot: erfd.Robot) -> float:
    """About the reach of the arm in m, by which rounding errors grow."""
    steps = [np.linalg.norm(joint.placement[1]) for joint in robot.joints]
    return 1.0 + float(sum(steps)) + float(np.linalg.norm(robot.tool.xyz))
