"""What a body in the tool feels, in g: the load of a pilot's head in a centrifuge."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..api.kinematics import forward_kinematics, link_accelerations, link_frames, link_velocities
from ..robot.model import Robot

Array = NDArray[np.float64]
G = 9.81
"""m/s2 of one g."""


def felt_load(robot: Robot, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
    """(acceleration of the tool point - gravity) / g in tool coordinates, (..., 3).

    A tool at rest with its z axis up feels (0, 0, 1).
    """
    spin, _ = link_velocities(robot, q, qd)
    turn, linear = link_accelerations(robot, q, qd, qdd)
    tool = forward_kinematics(robot, q)
    arm = tool[..., :3, 3] - link_frames(robot, q)[..., -1, :3, 3]
    w, wd = spin[..., -1, :], turn[..., -1, :]
    a = linear[..., -1, :] + np.cross(wd, arm) + np.cross(w, np.cross(w, arm))
    gravity = np.array(robot.mount.rotation).T @ np.array(robot.gravity)
    return np.asarray(np.einsum("...ji,...j->...i", tool[..., :3, :3], a - gravity) / G)
