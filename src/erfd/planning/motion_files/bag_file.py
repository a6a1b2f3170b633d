"""Motions from bags of ROS 1 and 2: JointState samples, or one JointTrajectory command."""

from __future__ import annotations

import gc
import traceback
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InputError
from ...ground.arrays import Array
from ...ground.optional import import_optional
from .ros_yaml import command_table
from .table import MotionTable, table_of

STATE = "sensor_msgs/msg/JointState"
COMMAND = "trajectory_msgs/msg/JointTrajectory"


def read_bag(path: Path, topic: str | None = None) -> MotionTable:
    """The table of one topic of a bag; `topic` names it where there are several to choose from."""
    if not path.exists():
        raise InputError(f"{path}: no such file")
    rosbags = import_optional("rosbags.highlevel", "a bag", "bags")
    stores = import_optional("rosbags.typesys", "a bag", "bags")
    default = stores.get_typestore(stores.Stores.ROS2_HUMBLE)
    try:
        with rosbags.AnyReader([path], default_typestore=default) as reader:
            kind, found = _messages(path.name, reader, topic)
    except InputError:
        raise
    # a damaged bag ends in whatever its bytes happen to mean to the reader
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        _let_go(error)
        raise InputError(f"{path.name}: cannot be read as a bag: {reason:.120}") from None
    if kind == STATE:
        return _states(path.name, found)
    if len(found) != 1:
        expected = f"{path.name}: expected one JointTrajectory on its topic"
        raise InputError(f"{expected}, found {len(found)}")
    return _command(path.name, found[0][1])


def _let_go(error: BaseException) -> None:
    """Close the damaged file, which the reader leaves open in the frames of its error."""
    chain: BaseException | None = error
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        while chain is not None:
            traceback.clear_frames(chain.__traceback__)
            chain.__traceback__, chain = None, chain.__context__
        gc.collect(1)  # the young objects: all of them would take a tenth of a second


def _messages(name: str, reader: Any, topic: str | None) -> tuple[str, list[tuple[int, Any]]]:
    """The type of the topic, and its messages with the time in ns at which they were written."""
    fitting = {c.topic: c.msgtype for c in reader.connections if c.msgtype in (STATE, COMMAND)}
    listed = ", ".join(sorted(fitting)) or "none"
    if topic is not None and topic not in fitting:
        expected = f"{name}: topic: expected one with JointState or JointTrajectory"
        raise InputError(f"{expected} ({listed:.200}), found {topic!r:.60}")
    if topic is None and len(fitting) != 1:
        expected = f"{name}: expected one topic with JointState or JointTrajectory"
        hint = "; `topic` chooses one" if fitting else ""
        raise InputError(f"{expected}, found {listed:.200}{hint}")
    chosen = next(iter(fitting)) if topic is None else topic
    connections = [c for c in reader.connections if c.topic == chosen]
    return fitting[chosen], [
        (stamp, reader.deserialize(raw, connection.msgtype))
        for connection, stamp, raw in reader.messages(connections=connections)
    ]


def _states(name: str, messages: list[tuple[int, Any]]) -> MotionTable:
    """The columns of JointState messages, those with most joints, by the time in their header."""
    groups = Counter(tuple(sorted(message.name)) for _, message in messages)
    if not groups:
        raise InputError(f"{name}: expected at least two JointState messages, found none")
    joints = max(groups, key=lambda names: (len(names), groups[names]))
    if len(set(joints)) < len(joints):
        raise InputError(f"{name}: name: expected different joints, found {', '.join(joints):.80}")
    chosen = [(t, m) for t, m in messages if tuple(sorted(m.name)) == joints]
    stamps = [m.header.stamp.sec * 10**9 + m.header.stamp.nanosec for _, m in chosen]
    if not all(stamps):  # a publisher without a clock
        stamps = [t for t, _ in chosen]
    columns: dict[str, Array] = {"time [s]": np.array([1e-9 * (t - stamps[0]) for t in stamps])}
    for key in ("position", "velocity"):
        rows = [getattr(m, key) for _, m in chosen]
        if key == "velocity" and not all(len(row) for row in rows):
            continue
        for k, row in enumerate(rows, 1):
            if len(row) != len(joints):
                expected = f"{name}: message {k}: {key}: expected {len(joints)} numbers"
                raise InputError(f"{expected}, found {len(row)}")
        # each message may have its joints in another order
        order = [[list(m.name).index(joint) for joint in joints] for _, m in chosen]
        table = np.array([np.asarray(row)[o] for row, o in zip(rows, order, strict=True)])
        columns |= {f"{key}.{joint}": table[:, j] for j, joint in enumerate(joints)}
    return table_of(name, "ROS bag", columns)


def _command(name: str, message: Any) -> MotionTable:
    """The columns of one JointTrajectory message."""
    points = message.points
    times = [p.time_from_start.sec + 1e-9 * p.time_from_start.nanosec for p in points]
    rows = {
        key: [list(map(float, getattr(p, key))) for p in points]
        for key in ("positions", "velocities", "accelerations")
    }
    return command_table(name, "ROS bag", list(message.joint_names), np.array(times), rows)
