"""Motion files as others write them: CSV of any shape, ROS 2 YAML, bags."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

STATE = "sensor_msgs/msg/JointState"
COMMAND = "trajectory_msgs/msg/JointTrajectory"


def smooth(t: np.ndarray, n: int, speed: float = 1.0) -> np.ndarray:
    """Positions (N, n) of a smooth motion that is moving at every time, also the first."""
    rate = speed * (1 + 0.3 * np.arange(n))
    return 0.4 * np.sin(np.outer(t, rate) + 0.3 * np.arange(n))


def write_csv(path: Path, titles: Sequence[str], columns: np.ndarray, separator: str = ",",
              comma: bool = False) -> Path:  # fmt: skip
    rows = [separator.join(map(repr, row)) for row in columns.tolist()]
    if comma:
        rows = [row.replace(".", ",") for row in rows]
    path.write_text("\n".join([separator.join(titles), *rows]) + "\n", encoding="utf-8")
    return path


def write_command(path: Path, joints: Sequence[str], t: np.ndarray, q: np.ndarray,
                  qd: np.ndarray | None = None) -> Path:  # fmt: skip
    """A JointTrajectory as `ros2 topic echo` prints it."""
    lines = ["joint_names:", *(f"- {joint}" for joint in joints), "points:"]
    for k, time in enumerate(t.tolist()):
        lines.append(f"- positions: {q[k].tolist()}")
        lines += [] if qd is None else [f"  velocities: {qd[k].tolist()}"]
        sec = int(time)
        lines.append(f"  time_from_start: {{sec: {sec}, nanosec: {round((time - sec) * 1e9)}}}")
    path.write_text("\n".join(lines) + "\n---\n")
    return path


def write_states(
    path: Path, joints: Sequence[str], stamps: Sequence[int], q: np.ndarray,
    topics: Sequence[str] = ("/joint_states",), mcap: bool = True,
) -> Path:  # fmt: skip
    """A bag of ROS 2 of JointState messages, each with its joints turned by one more place."""
    from rosbags.rosbag2 import StoragePlugin, Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    kinds = store.types
    plugin = StoragePlugin.MCAP if mcap else StoragePlugin.SQLITE3
    with Writer(path, version=9, storage_plugin=plugin) as writer:
        for topic in topics:
            connection = writer.add_connection(topic, STATE, typestore=store)
            for k, stamp in enumerate(stamps):
                order = np.roll(np.arange(len(joints)), k)
                time = kinds["builtin_interfaces/msg/Time"](stamp // 10**9, stamp % 10**9)
                message = kinds[STATE](
                    kinds["std_msgs/msg/Header"](time, ""), [joints[j] for j in order], q[k][order],
                    np.zeros(0), np.zeros(0),
                )  # fmt: skip
                writer.write(connection, stamp + 10**6, store.serialize_cdr(message, STATE))
    return path
