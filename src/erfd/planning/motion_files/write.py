"""Write a trajectory for others: CSV with names, a JointTrajectory of ROS 2 as YAML or bag."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...ground.arguments import instance_of, path_of, text_of
from ...ground.arrays import Array
from ...ground.files import write_text
from ..trajectory import Trajectory
from .bag_writer import TOPIC, write_bag

SUFFIXES = (".csv", ".yaml", ".yml", ".mcap")
"""Endings of the files that are written; a name without one is the folder of a bag."""


def write_trajectory(
    trajectory: Trajectory,
    path: str | Path,
    *,
    joints: Sequence[str] | None = None,
    topic: str = TOPIC,
) -> None:
    """Write a trajectory to a file that `read_trajectory` and others read.

    CSV has the columns t, then `position.NAME` and `velocity.NAME` of every joint, in s, rad (m),
    rad/s (m/s), exactly; velocities are those of the cycles. YAML, MCAP and bags hold one
    JointTrajectory for ROS 2's joint_trajectory_controller; its velocities are those *at* the
    points, by central differences, its times are rounded to ns.

    Args:
        trajectory: The motion.
        path: A file that ends in `.csv`, `.yaml`, `.yml` or `.mcap`; without an ending the folder
            of a new bag. Written beside its place, then renamed.
        joints: The names of the joints, `q1`, `q2`, ... if left out.
        topic: The topic of the message in an MCAP file or a bag.

    Raises:
        InputError: Another ending, names that do not fit, or a place that cannot be written.
        MissingDependencyError: An MCAP file or a bag, and no package that writes it.

    >>> import erfd
    >>> erfd.write_trajectory(motion, "motion.yaml", joints=names)  # doctest: +SKIP
    """
    instance_of("trajectory", trajectory, Trajectory)
    path = path_of("path", path)
    suffix = path.suffix.lower()
    if suffix not in (*SUFFIXES, ""):
        raise InputError(
            f"{path}: expected a name that ends in one of {', '.join(SUFFIXES)}, or a bag's without"
        )
    names = _names(trajectory.n, joints)
    if suffix in (".mcap", ""):
        write_bag(
            path, names, _nanoseconds(trajectory), trajectory.q, _at_points(trajectory),
            text_of("topic", topic),
        )  # fmt: skip
        return
    write_text(path, (_csv if suffix == ".csv" else _yaml)(trajectory, names))


def _names(n: int, joints: Sequence[str] | None) -> list[str]:
    """The names of the joints, which no format has to quote."""
    if joints is None:
        return [f"q{i + 1}" for i in range(n)]
    listed = list(joints) if isinstance(joints, list | tuple) else []
    fit = all(isinstance(j, str) and j.strip() == j and j.isprintable() and j for j in listed)
    if len(listed) != n or not fit or len(set(listed)) < n or set('",;|') & set("".join(listed)):
        expected = f"joints: expected {n} different names without separators, one for each joint"
        raise InputError(f"{expected}, found {joints!r:.80}")
    return listed


def _csv(trajectory: Trajectory, names: list[str]) -> str:
    titles = [f"{what}.{name}" for what in ("position", "velocity") for name in names]
    rows = np.column_stack([trajectory.t, trajectory.q, trajectory.qd]).tolist()
    return "\n".join([",".join(["t", *titles]), *(",".join(map(repr, row)) for row in rows)]) + "\n"


def _yaml(trajectory: Trajectory, names: list[str]) -> str:
    """Text that every YAML reader takes: names in double quotes, numbers with all their digits."""
    listed = ", ".join(f'"{name}"' for name in (n.replace("\\", "\\\\") for n in names))
    lines = [f"joint_names: [{listed}]", "points:"]
    rates = _at_points(trajectory)
    times = _nanoseconds(trajectory).tolist()
    for time, q, qd in zip(times, trajectory.q.tolist(), rates.tolist(), strict=True):
        lines += [
            f"- positions: [{_numbers(q)}]",
            f"  velocities: [{_numbers(qd)}]",
            f"  time_from_start: {{sec: {time // 10**9}, nanosec: {time % 10**9}}}",
        ]
    return "\n".join(lines) + "\n"


def _nanoseconds(trajectory: Trajectory) -> NDArray[np.int64]:
    """The times from the first one, in ns, (N,)."""
    return np.asarray(np.round((trajectory.t - trajectory.t[0]) * 1e9).astype(np.int64))


def _numbers(values: list[float]) -> str:
    """Numbers with a point, also in 1.0e-07: else YAML 1.1 takes them for text."""
    texts = map(repr, values)
    return ", ".join(t if "." in t or "e" not in t else t.replace("e", ".0e") for t in texts)


def _at_points(trajectory: Trajectory) -> Array:
    """Velocities at the points: the start's own, the mean of two cycles, the last cycle's."""
    qd = trajectory.qd
    return np.vstack([qd[:1], (qd[1:-1] + qd[2:]) / 2, qd[-1:]])
