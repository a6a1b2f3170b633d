"""A trajectory as CSV: columns t, q1..qn, qd1..qdn. Files are read by `motion_files.read`."""

from __future__ import annotations

import numpy as np

from .motion_files.read import read_trajectory
from .trajectory import Trajectory

__all__ = ["read_trajectory", "trajectory_text"]


def trajectory_text(trajectory: Trajectory) -> str:
    """A trajectory as CSV that `read_trajectory` reads: t, q1..qn, qd1..qdn; s, rad (m), rad/s.

    >>> import erfd
    >>> print(trajectory_text(erfd.Trajectory([0.0, 0.5], [[0.0], [0.1]])), end="")
    t,q1,qd1
    0.0,0.0,0.0
    0.5,0.1,0.2
    """
    names = [f"{what}{i}" for what in ("q", "qd") for i in range(1, trajectory.n + 1)]
    rows = np.column_stack([trajectory.t, trajectory.q, trajectory.qd]).tolist()
    lines = [",".join(["t", *names]), *(",".join(map(repr, row)) for row in rows)]
    return "\n".join(lines) + "\n"
