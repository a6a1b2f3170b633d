"""What a body in a link feels, in g: the load of a pilot's head in a centrifuge."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..robot.model import Robot
from .kinematics import forward_kinematics, link_accelerations, link_frames, link_velocities
from .state import Array

G = 9.81
"""m/s2 of one g."""


def felt_load(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    link: int | None = None,
    point: ArrayLike = (0.0, 0.0, 0.0),
) -> Array:
    """(acceleration - gravity) / g of a point, in the axes of its frame, (..., 3).

    The point (m) is fixed in the frame of `link` (1 to n), or in the tool frame if `link` is None.
    At rest with its z axis up it feels (0, 0, 1).

    >>> import erfd
    >>> robot = erfd.load("centrifuge3")
    >>> float(abs(erfd.felt_load(robot, [0] * 3, [2.0, 0, 0], [0] * 3)).max().round(2))
    3.26
    """
    whole = isinstance(link, int | np.integer) and not isinstance(link, bool)
    if link is not None and not (whole and 1 <= link <= robot.n):
        raise InputError(f"link: expected 1 to {robot.n} or None, found {link!r}")
    body = robot.n if link is None else link
    spin, _ = link_velocities(robot, q, qd)
    turn, linear = link_accelerations(robot, q, qd, qdd)
    frames = link_frames(robot, q)
    frame = forward_kinematics(robot, q) if link is None else frames[..., body, :, :]
    place = np.asarray(point, dtype=np.float64)
    if place.shape != (3,) or not np.isfinite(place).all():
        raise InputError(f"point: expected three finite numbers, found {point!r:.60}")
    arm = frame[..., :3, 3] + frame[..., :3, :3] @ place - frames[..., body, :3, 3]
    w, wd = spin[..., body - 1, :], turn[..., body - 1, :]
    a = linear[..., body - 1, :] + np.cross(wd, arm) + np.cross(w, np.cross(w, arm))
    gravity = np.array(robot.mount.rotation).T @ np.array(robot.gravity)
    return np.asarray(np.einsum("...ji,...j->...i", frame[..., :3, :3], a - gravity) / G)
