"""Motions from ROS 2 YAML: a JointTrajectory, alone or inside what MoveIt and `ros2` print."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InputError
from ...ground.arrays import Array
from ...ground.files import read_text
from ...ground.optional import import_optional
from .table import MotionTable, numbers, table_of

DEEPEST = 12
"""Levels in which a trajectory is looked for."""


def read_ros_yaml(path: Path) -> MotionTable:
    """The table of the one JointTrajectory in a YAML file."""
    text = read_text(path)  # a missing file comes before a missing package
    yaml = import_optional("ruamel.yaml", "a YAML file", "bags")
    try:
        # no aliases without end, no objects: the safe loader makes plain data only
        documents = list(yaml.YAML(typ="safe", pure=True).load_all(StringIO(text)))
    except (yaml.error.YAMLError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"{path.name}: cannot be read as YAML: {reason:.120}") from None
    seen: set[int] = set()
    found = [entry for document in documents for entry in _trajectories(document, DEEPEST, seen)]
    if len(found) != 1:
        expected = "expected one JointTrajectory (joint_names, points)"
        raise InputError(f"{path.name}: {expected}, found {len(found) or 'none'}")
    return _table(path.name, found[0])


def _trajectories(node: Any, depth: int, seen: set[int]) -> Iterator[dict[str, Any]]:
    """Everything in the tree that has joint names and points, once whatever its aliases."""
    if depth == 0 or not isinstance(node, dict | list) or id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, dict):
        if "joint_names" in node and "points" in node:
            yield node
            return
        for value in node.values():
            yield from _trajectories(value, depth - 1, seen)
    else:
        for value in node:
            yield from _trajectories(value, depth - 1, seen)


def _table(name: str, entry: dict[str, Any]) -> MotionTable:
    """The columns of a JointTrajectory message as plain data."""
    joints, points = entry["joint_names"], entry["points"]
    if not isinstance(joints, list) or not all(isinstance(j, str) for j in joints) or not joints:
        raise InputError(f"{name}: joint_names: expected a list of names, found {joints!r:.60}")
    if not isinstance(points, list) or not all(isinstance(p, dict) for p in points):
        raise InputError(f"{name}: points: expected a list of points, found {points!r:.60}")
    times = [_time(name, k, point.get("time_from_start")) for k, point in enumerate(points, 1)]
    rows = {
        key: [point.get(key) or [] for point in points]
        for key in ("positions", "velocities", "accelerations")
    }
    return command_table(name, "ROS 2 YAML", joints, np.array(times), rows)


def command_table(
    name: str, kind: str, joints: list[str], times: Array, rows: dict[str, list[Any]]
) -> MotionTable:
    """The table of a JointTrajectory: times in s, and a row for each point of what it has."""
    columns: dict[str, Array] = {"time_from_start [s]": times}
    for key, word in (
        ("positions", "position"), ("velocities", "velocity"), ("accelerations", "acceleration")
    ):  # fmt: skip
        values = rows[key]
        if key != "positions" and not all(len(value) for value in values):
            continue
        for k, value in enumerate(values, 1):
            if not isinstance(value, list) or len(value) != len(joints):
                expected = f"{name}: point {k}: {key}: expected {len(joints)} numbers"
                found = len(value) if isinstance(value, list) else repr(value)[:40]
                raise InputError(f"{expected}, found {found}")
        for j, joint in enumerate(joints):
            title = f"{word}.{joint}"
            if title in columns:
                raise InputError(
                    f"{name}: joint_names: expected different names, found {joint} twice"
                )
            columns[title] = numbers(name, title, [value[j] for value in values])
    return table_of(name, kind, columns, setpoints=True)


def _time(name: str, k: int, value: Any) -> float:
    """A time_from_start in s: sec and nanosec, secs and nsecs (ROS 1), or a number."""
    try:
        if isinstance(value, dict):
            whole: Any = value.get("sec", value.get("secs", 0))
            rest: Any = value.get("nanosec", value.get("nsecs", 0))
            return float(whole) + 1e-9 * float(rest)
        number: Any = value
        return float(number)
    except (TypeError, ValueError):
        expected = f"{name}: point {k}: time_from_start: expected a time"
        raise InputError(f"{expected}, found {value!r:.40}") from None
