"""The load that a body fixed to a link feels, in g: a pilot's head in a centrifuge."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..ground.arrays import Array, as_numbers
from ..robot.library import RobotLike, robot_of
from .kinematics import forward_kinematics, link_accelerations, link_frames, link_velocities

G = 9.81
"""m/s2 of one g."""


def felt_load(
    robot: RobotLike,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    link: int | None = None,
    point: ArrayLike = (0.0, 0.0, 0.0),
) -> Array:
    """The load felt at a point of a link or of the tool: (acceleration - gravity) / g.

    Args:
        robot: The robot.
        q: Joint coordinates (rad, m), (..., n).
        qd: Joint velocities (rad/s, m/s), (..., n).
        qdd: Joint accelerations (rad/s2, m/s2), (..., n).
        link: The link, 1 to n, or None for the tool frame.
        point: The point (m), fixed in that frame, (3,).

    Returns:
        The load in g, in the axes of that frame, (..., 3); (0, 0, 1) at rest with its z axis up.

    Raises:
        InputError: No such link, or arguments that are not finite or do not fit.

    >>> import erfd
    >>> robot = erfd.load("centrifuge3")
    >>> float(abs(erfd.felt_load(robot, [0] * 3, [2.0, 0, 0], [0] * 3)).max().round(2))
    3.26
    """
    robot = robot_of(robot)
    is_whole = isinstance(link, int | np.integer) and not isinstance(link, bool)
    if link is not None and not (is_whole and 1 <= link <= robot.n):
        raise InputError(f"link: expected 1 to {robot.n} or None, found {link!r}")
    body = robot.n if link is None else link
    spin, _ = link_velocities(robot, q, qd)
    angular, linear = link_accelerations(robot, q, qd, qdd)
    frames = link_frames(robot, q)
    frame = forward_kinematics(robot, q) if link is None else frames[..., body, :, :]
    position = as_numbers("point", point)
    if position.shape != (3,) or not np.isfinite(position).all():
        raise InputError(f"point: expected three finite numbers, found {point!r:.60}")
    arm = frame[..., :3, 3] + frame[..., :3, :3] @ position - frames[..., body, :3, 3]
    w, wd = spin[..., body - 1, :], angular[..., body - 1, :]
    a = linear[..., body - 1, :] + np.cross(wd, arm) + np.cross(w, np.cross(w, arm))
    gravity = np.array(robot.mount.rotation).T @ np.array(robot.gravity)
    return np.asarray(np.einsum("...ji,...j->...i", frame[..., :3, :3], a - gravity) / G)
