"""The graphic file: a motion as JSON lines, with the arm's shapes and where its links are.

The first line describes the arm, every other one is a moment:

    {"format": "erfd-graphic", "version": 1, "robot": "cmu_dd", "title": .., "toml": ..,
     "units": {"t": "s", "q": ["rad", ..], ..}, "joints": [{"name", "kind"}, ..],
     "bodies": [{"name": "base", "shapes": [{"shape", "size", "color", "pose"}, ..]}, ..]}
      (a shape "mesh" has "vertices" and "faces", too)
    {"t": 0.0, "q": [..], "qd": [..], "qdd": [..], "torque": [..], "voltage": [..],
     "poses": [[x, y, z, qx, qy, qz, qw], ..]}

`bodies` are the base and the links; `poses` are those of the links in the world (z up, m), then
the tool's; the base stands in the first line (`mount`). `toml` is the robot's file.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InputError
from ...ground.arrays import Array
from ...ground.files import read_text, write_text
from ...mechanics.kinematics import link_frames, pose_matrix
from ...robot.mesh import Mesh
from ...robot.model import Robot
from ...robot.readers import toml
from ...robot.visual import Visual
from ...run.columns import SLIDING, UNITS
from ...run.mcap import quaternions
from ...run.parquet import robot_from
from ...run.run import Run

FORMAT, VERSION = "erfd-graphic", 1
COLUMNS = {"q": "q", "qd": "qd", "qdd": "qdd", "torque": "u_a", "voltage": "voltage"}
"""Quantities of a moment, and the columns of a run that they are; a file need not have all."""


@dataclass(frozen=True, slots=True, eq=False)
class Graphic:
    """A graphic file in memory: first line, times (N,) in s, poses (N, n + 1, 7), quantities."""

    head: dict[str, Any]
    t: Array
    poses: Array
    data: dict[str, Array]

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        return f"Graphic({self.head['robot']!r}, {len(self)} moments)"

    def run(self) -> Run:
        """The motion as a `Run`, with the columns that the file has."""
        robot = robot_from(f"graphic file of {self.head['robot']}", self.head["toml"])
        columns = {"t": self.t} | {COLUMNS[name]: values for name, values in self.data.items()}
        if self.data:
            tool = link_frames(robot, self.data["q"])[:, -1] @ pose_matrix(robot.tool)
            columns["pose"] = np.asarray(tool)
        return Run(robot, {name: columns[name] for name in UNITS if name in columns}, ())


def poses_of(robot: Robot, q: Array) -> Array:
    """Poses of links 1..n and tool in the world, (N, n + 1, 7): xyz in m, quaternion x y z w."""
    frames = pose_matrix(robot.mount) @ link_frames(robot, q)[:, 1:]
    tool = frames[:, -1:] @ pose_matrix(robot.tool)
    return pose_numbers(np.concatenate([frames, tool], axis=1))


def pose_numbers(frames: Array) -> Array:
    """Frames (..., 4, 4) as positions x y z in m and quaternions x y z w, (..., 7)."""
    turns = quaternions(frames[..., :3, :3].reshape(-1, 3, 3))
    return np.concatenate([frames[..., :3, 3], turns.reshape(*frames.shape[:-2], 4)], axis=-1)


def graphic_text(run: Run, every: int = 1) -> str:
    """A run as the text of a graphic file: every `every`-th moment, and the last one."""
    rows = np.unique(np.append(np.arange(0, len(run), every), len(run) - 1))
    graphic = graphic_of(run, rows)
    columns = {"t": graphic.t} | graphic.data | {"poses": graphic.poses.round(9)}
    rows_of = zip(*(column.tolist() for column in columns.values()), strict=True)
    moments = (dict(zip(columns, values, strict=True)) for values in rows_of)
    lines = (json.dumps(line, allow_nan=False) for line in (graphic.head, *moments))
    return "\n".join(lines) + "\n"


def graphic_of(run: Run, rows: Any = slice(None)) -> Graphic:
    """A run, or some of its rows, as a graphic, without a file."""
    data = {name: run[column][rows] for name, column in COLUMNS.items() if column in run.data}
    poses = poses_of(run.robot, run["q"][rows])
    return Graphic(_head(run.robot, list(data)), run["t"][rows], poses, data)


def write_graphic(run: Run, path: str | Path, every: int = 1) -> int:
    """Write a run as a graphic file.

    Args:
        run: any motion with the columns `t` and `q`.
        path: the file, usually .jsonl.
        every: take every `every`-th moment, and the last one.

    Returns:
        The number of moments in the file.
    """
    text = graphic_text(run, every)
    write_text(Path(path), text)
    return text.count("\n") - 1


def _head(robot: Robot, names: list[str]) -> dict[str, Any]:
    bodies = [("base", robot.base_visuals), *((link.name, link.visuals) for link in robot.links)]
    return {
        "format": FORMAT,
        "version": VERSION,
        "robot": robot.name,
        "title": robot.title,
        "units": {"t": "s", "poses": "m"} | {name: _units(robot, name) for name in names},
        "joints": [{"name": joint.name, "kind": joint.kind} for joint in robot.joints],
        "mount": pose_numbers(pose_matrix(robot.mount)).tolist(),
        "bodies": [
            {"name": name, "shapes": [_shape(visual) for visual in visuals]}
            for name, visuals in bodies
        ],
        "toml": toml.toml_text(robot),
    }


def _units(robot: Robot, name: str) -> list[str]:
    """The unit of every joint, or of its motor if it has one."""
    unit = UNITS[COLUMNS[name]]
    if name == "voltage" or (name == "torque" and robot.drives):
        return [unit] * robot.n
    return [unit if joint.revolute else SLIDING[unit] for joint in robot.joints]


def _shape(visual: Visual) -> dict[str, Any]:
    place = pose_numbers(pose_matrix(visual.pose)).tolist()
    shape = {"shape": visual.shape, "size": visual.size, "color": visual.color, "pose": place}
    return shape if visual.mesh is None else shape | mesh_lists(visual.mesh)


def mesh_lists(mesh: Mesh) -> dict[str, Any]:
    """A mesh as lists of vertices (m, rounded to what can be seen) and faces."""
    return {"vertices": mesh.vertices.round(5).tolist(), "faces": mesh.faces.tolist()}


def read_graphic(path: str | Path) -> Graphic:
    """Read a graphic file.

    Args:
        path: a file that `write_graphic` wrote.

    Returns:
        The motion; its `run()` is an `erfd.Run`.

    Raises:
        InputError: if the file cannot be read; it names the line.
    """
    path = Path(path)
    lines = read_text(path).splitlines()
    head = _object(path, 1, lines[0]) if lines else {}
    if head.get("format") != FORMAT:
        raise InputError(f"{path}: expected a graphic file (write_graphic_file writes them)")
    if head.get("version") != VERSION:
        raise InputError(f"{path}: expected version {VERSION}, found {head.get('version')}")
    sizes = _sizes(path, head)
    moments = [_object(path, k, line) for k, line in enumerate(lines[1:], 2)]
    if not moments:
        raise InputError(f"{path}: expected lines of moments, found none")
    columns = {name: _column(path, moments, name, size) for name, size in sizes.items()}
    t, poses = columns.pop("t"), columns.pop("poses")
    if not (np.diff(t) > 0).all():
        k = int((np.diff(t) <= 0).argmax())
        raise InputError(f"{path}: line {k + 3}: expected a time after {t[k]:g} s")
    return Graphic(head, t, poses, columns)


def _object(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise InputError(f"{path}: line {number}: expected JSON, found {line!r:.40}") from None
    if not isinstance(value, dict):
        raise InputError(f"{path}: line {number}: expected an object, found {line:.40}")
    return value


def _sizes(path: Path, head: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    """The shape of every quantity of a moment, from the first line."""
    try:
        n = len(head["joints"])
        good = len(head["bodies"]) == n + 1 and len(head["mount"]) == 7
        shapes = [shape for body in head["bodies"] for shape in body["shapes"]]
        good &= all({"shape", "size", "color", "pose"} <= set(shape) for shape in shapes)
        good &= all(isinstance(head[key], str) for key in ("robot", "title", "toml"))
        names = [name for name in head["units"] if name in COLUMNS]
        good &= all(len(head["units"][name]) == n for name in names)
    except (KeyError, TypeError):
        good, n, names = False, 0, []
    if not good:
        raise InputError(f"{path}: line 1: expected a robot, its bodies, joints, units and mount")
    return {"t": (), "poses": (n + 1, 7)} | dict.fromkeys(names, (n,))


def _column(path: Path, moments: list[dict[str, Any]], name: str, size: tuple[int, ...]) -> Array:
    try:
        values = np.array([moment[name] for moment in moments], dtype=np.float64)
        if values.shape == (len(moments), *size) and np.isfinite(values).all():
            return values
    except (KeyError, TypeError, ValueError):
        pass
    shape = "x".join(map(str, size)) or "one"
    for k, moment in enumerate(moments, 2):  # find the line to name
        try:
            row = np.array(moment[name], dtype=np.float64)
        except (KeyError, TypeError, ValueError):
            row = np.array(np.nan)
        if row.shape != size or not np.isfinite(row).all():
            raise InputError(f"{path}: line {k}: {name}: expected {shape} finite numbers")
    raise AssertionError(name)
