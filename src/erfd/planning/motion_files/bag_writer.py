"""Write a JointTrajectory of ROS 2 into a bag: one MCAP file, or a folder that `ros2 bag` plays."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...ground.arrays import Array
from ...ground.files import read_bytes, write_bytes
from ...ground.optional import import_optional
from .bag_file import COMMAND

TOPIC = "/joint_trajectory_controller/joint_trajectory"
"""Where ROS 2's joint_trajectory_controller listens, by its usual name."""


def write_bag(
    path: Path, joints: list[str], times: NDArray[np.int64], q: Array, qd: Array, topic: str = TOPIC
) -> None:
    """Write one message; a path that ends in `.mcap` becomes a file, any other a folder.

    Args:
        path: The file or the folder; a folder must be a new one.
        joints: The names of the joints.
        times: Times of the points from the first one, ns, (N,).
        q: Positions in rad (m), (N, n).
        qd: Velocities at the points in rad/s (m/s), (N, n).
        topic: The topic of the message.
    """
    if not topic.strip("/") or not topic.replace("_", "").replace("/", "").isalnum():
        raise InputError(f"topic: expected a name such as {TOPIC}, found {topic!r:.60}")
    bags = import_optional("rosbags.rosbag2", "a bag", "bags")
    single = path.suffix.lower() == ".mcap"
    if not single and path.exists():
        raise InputError(f"{path}: expected a new folder for the bag, found one that is there")
    try:
        place = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part"))
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None
    try:
        # the folder's name is that of the file inside it
        folder = place / path.name.removesuffix(path.suffix if single else "")
        _write(bags, folder, joints, times, q, qd, topic)
        if single:
            write_bytes(path, read_bytes(next(folder.glob("*.mcap"))))
        else:
            os.replace(folder, path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _write(
    bags: Any,
    folder: Path,
    joints: list[str],
    times: NDArray[np.int64],
    q: Array,
    qd: Array,
    topic: str,
) -> None:
    """Write the bag with its schema, by the definitions of ROS 2 Humble, which later ones keep."""
    stores = import_optional("rosbags.typesys", "a bag", "bags")
    store = stores.get_typestore(stores.Stores.ROS2_HUMBLE)
    kinds, nothing = store.types, np.zeros(0)
    duration = kinds["builtin_interfaces/msg/Duration"]
    point = kinds["trajectory_msgs/msg/JointTrajectoryPoint"]
    points = [
        point(positions, velocities, nothing, nothing, duration(ns // 10**9, ns % 10**9))
        for ns, positions, velocities in zip(times.tolist(), q, qd, strict=True)
    ]
    stamp = kinds["builtin_interfaces/msg/Time"](0, 0)
    message = kinds[COMMAND](kinds["std_msgs/msg/Header"](stamp, ""), joints, points)
    with bags.Writer(folder, version=9, storage_plugin=bags.StoragePlugin.MCAP) as writer:
        connection = writer.add_connection(topic, COMMAND, typestore=store)
        writer.write(connection, 0, store.serialize_cdr(message, COMMAND))
