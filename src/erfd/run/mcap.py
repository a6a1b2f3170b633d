"""Write a run as an MCAP file for Foxglove: JSON messages, with their schemas and units inside.

| topic | schema | what |
|---|---|---|
| `/joint_states`, `/joint_states_given` | `foxglove.JointStates` | achieved, programmed |
| `/motor_states` | `erfd.MotorStates` | motion, torques and limits at the rotors |
| `/tool` | `foxglove.PoseInFrame` | pose of the tool in the robot's base |
| `/deviation` | `erfd.Deviation` | of the tool from the program |
| `/events` | `foxglove.Log` | one sentence for each event, at its beginning |

The robot is attached as `robot.toml`. Numbers that are not finite (a motor without a limit) are
left out: JSON has no word for them.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import __version__
from ..ground.arrays import Array
from ..ground.files import write_bytes
from ..ground.optional import import_optional

if TYPE_CHECKING:
    from .run import Run

Json = dict[str, Any]

_STATES = {
    "/joint_states": (
        "foxglove.JointStates", "joints",
        {"position": "q", "velocity": "qd", "acceleration": "qdd", "effort": "u"},
    ),
    "/joint_states_given": (
        "foxglove.JointStates", "joints",
        {"position": "q_given", "velocity": "qd_given", "acceleration": "qdd_given"},
    ),
    "/motor_states": (
        "erfd.MotorStates", "motors",
        {
            "position": "q_a", "velocity": "qd_a", "acceleration": "qdd_a", "torque": "u_a",
            "torque_wanted": "u_a_wanted", "torque_max": "u_a_max", "saturated": "saturated",
            "power": "power", "energy": "energy",
        },
    ),
}  # fmt: skip
_UNITS = {
    "position": "rad (m if it slides)", "velocity": "rad/s (m/s if it slides)",
    "acceleration": "rad/s2 (m/s2 if it slides)", "effort": "N m (N if it slides)",
    "torque": "N m", "torque_wanted": "N m", "torque_max": "N m", "power": "W", "energy": "J",
    "saturated": "the limit the motor is at: -1, 0 (none) or 1", "distance": "m", "angle": "rad",
    "x": "m", "y": "m", "z": "m",
}  # fmt: skip
_TEXT, _WHOLE = {"type": "string"}, {"type": "integer", "minimum": 0}
INFO, WARNING, ERROR = 2, 3, 4
"""Levels of `foxglove.Log`."""
GRAVE = ("stall", "joint stop", "run-away")
"""Events that are errors: the arm is not under control."""


def write_mcap(run: Run, path: str | Path, *, program: str = "") -> None:
    """Write the run as an MCAP file; t = 0 s is time 0 of the file (or t[0], if it is before).

    Args:
        run: The run.
        path: The file.
        program: The text of the program that asked for the motion.
    """
    writer_module = import_optional("mcap.writer", "an MCAP file", "runs")
    from ..robot.readers.toml import toml_text as robot_text

    sink = io.BytesIO()
    writer = writer_module.Writer(sink)
    writer.start(profile="", library=f"erfd {__version__}")
    about = {"version": __version__, "robot": run.robot.name, "program": program}
    writer.add_metadata("erfd", about)
    robot = robot_text(run.robot, "rad").encode()
    writer.add_attachment(0, 0, "robot.toml", "application/toml", robot)
    schemas: dict[str, int] = {}
    channels = {}
    for topic, (name, schema) in _schemas().items():
        if name not in schemas:
            data = json.dumps({"title": name} | schema).encode()
            schemas[name] = writer.register_schema(name, "jsonschema", data)
        channels[topic] = writer.register_channel(topic, "json", schemas[name])
    messages = sorted([*_moments(run), *_log(run)], key=lambda message: message[0])
    for time, topic, body in messages:
        stamp = {"sec": time // 10**9, "nsec": time % 10**9}
        data = json.dumps({"timestamp": stamp} | body, allow_nan=False).encode()
        writer.add_message(channels[topic], time, data, time)
    writer.finish()
    write_bytes(path, sink.getvalue())


def _moments(run: Run) -> Iterator[tuple[int, str, Json]]:
    """The messages (time in ns, topic, content) of every moment of the run."""
    names = {
        "joints": [joint.name for joint in run.robot.joints],
        "motors": [f"motor {i + 1}" for i in range(run.robot.n)],
    }
    turns = quaternions(run["pose"][:, :3, :3])
    for k in range(len(run)):
        time = _nanoseconds(run, float(run["t"][k]))
        for topic, (_, group, entries) in _STATES.items():
            rows = {key: run[name][k] for key, name in entries.items() if name in run.data}
            if not rows:  # a simulation follows no program
                continue
            states = [
                {"name": name} | _finite({key: row[i] for key, row in rows.items()})
                for i, name in enumerate(names[group])
            ]
            yield time, topic, {group: states}
        place = dict(zip("xyz", run["pose"][k, :3, 3].tolist(), strict=True))
        turn = dict(zip("xyzw", turns[k].tolist(), strict=True))
        yield time, "/tool", {"frame_id": "base", "pose": {"position": place, "orientation": turn}}
        if "deviation" in run.data:
            distance, angle = run["deviation"][k].tolist()
            yield time, "/deviation", {"distance": distance, "angle": angle}


def _log(run: Run) -> Iterator[tuple[int, str, Json]]:
    for event in run.events:
        level = ERROR if event.kind in GRAVE else WARNING if event.fails else INFO
        entry = {"level": level, "message": str(event), "name": "erfd", "file": ""}
        entry["line"] = event.line  # of the program; 0 if there is none
        yield _nanoseconds(run, event.start), "/events", entry


def _nanoseconds(run: Run, t: float) -> int:
    return round((t - min(float(run["t"][0]), 0.0)) * 1e9)


def _finite(values: dict[str, Any]) -> dict[str, float]:
    return {key: float(value) for key, value in values.items() if math.isfinite(value)}


def quaternions(turns: Array) -> Array:
    """Unit quaternions (N, 4), x y z w, of rotation matrices (N, 3, 3)."""
    (a, r01, r02), (r10, b, r12), (r20, r21, c) = np.moveaxis(turns, 0, -1)
    x, y, z = r21 - r12, r02 - r20, r10 - r01
    # 4 p p^T of the quaternion p: any row is a multiple of p, the largest the most exact one
    outer = np.array(
        [
            [1 + a - b - c, r01 + r10, r02 + r20, x],
            [r01 + r10, 1 - a + b - c, r12 + r21, y],
            [r02 + r20, r12 + r21, 1 - a - b + c, z],
            [x, y, z, 1 + a + b + c],
        ]
    )
    best = np.einsum("iik->ik", outer).argmax(axis=0)
    rows = outer[best, :, np.arange(len(best))]
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def _object(**properties: Json) -> Json:
    return {"type": "object", "properties": properties}


def _number(key: str) -> Json:
    return {"type": "number", "description": _UNITS[key]}


def _schemas() -> dict[str, tuple[str, Json]]:
    """The name and the JSON schema of the messages of every topic."""
    stamp = _object(sec=_WHOLE, nsec=_WHOLE) | {"title": "time"}
    schemas = {}
    for topic, (schema, group, _) in _STATES.items():
        keys = dict.fromkeys(k for s, _, keys in _STATES.values() if s == schema for k in keys)
        state = _object(name=_TEXT, **{key: _number(key) for key in keys})
        states = {"type": "array", "items": state}
        schemas[topic] = (schema, _object(timestamp=stamp, **{group: states}))
    place = _object(**{key: _number(key) for key in "xyz"})
    turn = _object(**{key: {"type": "number"} for key in "xyzw"})
    pose = _object(position=place, orientation=turn)
    schemas["/tool"] = (
        "foxglove.PoseInFrame",
        _object(timestamp=stamp, frame_id=_TEXT, pose=pose),
    )
    gap = _object(timestamp=stamp, distance=_number("distance"), angle=_number("angle"))
    schemas["/deviation"] = ("erfd.Deviation", gap)
    texts = dict.fromkeys(("message", "name", "file"), _TEXT)
    log = _object(timestamp=stamp, level=_WHOLE, line=_WHOLE, **texts)
    schemas["/events"] = ("foxglove.Log", log)
    return schemas
