"""Read and write robots as TOML files; the format is described in docs/robot-format.md."""

from __future__ import annotations

import math
from dataclasses import fields
from pathlib import Path
from typing import Any

from ...ground.files import write_text
from ..model import SIZES, TURNINGS, Drive, Joint, Link, NamedFrame, Robot, Visual
from ..pose import Mat3, Pose, as_mat3
from .table import Table, parse_toml, read_head, read_toml

FORMAT = 1
DRIVE_KEYS = {f.name: f.default for f in fields(Drive) if isinstance(f.default, float)}
"""The numbers of a drive, with their defaults."""
CONTROL = {f.name: f.default for f in fields(Robot) if f.name in ("cycle_time", "turning")}
"""What a robot file may say of the controller, with the defaults."""
LENGTH_KEYS = ("d", "a")
ANGLE_KEYS = ("theta", "alpha")


def read(path: Path) -> Robot:
    """Read the robot in a TOML file."""
    return _robot(read_toml(path))


def loads(text: str) -> Robot:
    """The robot in the text of such a file, as `toml_text` writes it."""
    return _robot(parse_toml(text, "robot.toml"))


def _robot(top: Table) -> Robot:
    angle = read_unit(top)
    links = tuple(_link(t, i, angle) for i, t in enumerate(top.tables("link"), 1))
    base = top.table("base")
    base_visuals = tuple(_visual(t, angle) for t in base.tables("visual")) if base else ()
    return assemble(top, angle, links, base, base_visuals)


def read_unit(top: Table) -> float:
    """The unit of angle of a robot file in rad; its version is checked."""
    return read_head(top, FORMAT, ..., "rad")


def assemble(
    top: Table,
    angle: float,
    links: tuple[Link, ...],
    base: Table | None,
    base_visuals: tuple[Visual, ...],
) -> Robot:
    """Put a robot together from its links and all the rest of its file."""
    joints = tuple(_joint(t, i, angle) for i, t in enumerate(top.tables("joint"), 1))
    drives = tuple(_drive(t, len(joints)) for t in top.tables("drive"))
    values: dict[str, Any] = {
        "name": top.text("name"),
        "title": top.text("title", ""),
        "source": top.text("source", ""),
        "illustrative": top.texts("illustrative"),
        "gravity": top.numbers("gravity", 3, (0.0, 0.0, -9.81)),
        "mount": read_pose(top.table("mount"), angle),
        "base": read_pose(base, angle),
        "tool": read_pose(top.table("tool"), angle),
        "joints": joints,
        "links": links,
        "drives": drives,
        "base_visuals": base_visuals,
        "cycle_time": top.number("cycle_time", CONTROL["cycle_time"]),
        "turning": top.choice("turning", TURNINGS, CONTROL["turning"]),
        "bus_power": top.number("bus_power", math.inf, infinite=True),
        "frames": tuple(_frame(t, angle) for t in top.tables("frame")),
    }
    top.done()
    return top.build(lambda: Robot(**values))


def read_pose(table: Table | None, angle: float, *, done: bool = True) -> Pose:
    """Read the pose in a table; with `done` the table may hold nothing else."""
    if table is None:
        return Pose()
    xyz = table.vector("xyz", (0.0, 0.0, 0.0))
    if table.has("axis"):
        if table.has("rpy"):
            raise table.error("axis", "either axis or rpy, not both", table.data["axis"])
        axis = table.vector("axis")
        length = math.sqrt(sum(x * x for x in axis))
        if abs(length - 1) > 1e-6:
            raise table.error("axis", f"a unit vector (length 1, not {length:.6g})", list(axis))
        pitch = math.atan2(math.hypot(axis[0], axis[1]), axis[2])
        rpy = (0.0, pitch, math.atan2(axis[1], axis[0]) if axis[0] or axis[1] else 0.0)
    else:
        roll, pitch, yaw = table.vector("rpy", (0.0, 0.0, 0.0))
        rpy = (roll * angle, pitch * angle, yaw * angle)
    if done:
        table.done()
    return Pose(xyz, rpy)


def _joint(table: Table, number: int, angle: float) -> Joint:
    kind = table.choice("kind", ("revolute", "prismatic"), "revolute")
    unit = angle if kind == "revolute" else 1.0
    values: dict[str, Any] = {"name": table.text("name", f"joint {number}"), "kind": kind}
    values |= {key: table.number(key, 0.0) for key in LENGTH_KEYS}
    values |= {key: table.number(key, 0.0) * angle for key in ANGLE_KEYS}
    values["after"] = read_pose(table.table("after"), angle)
    values["damping"] = table.number("damping", 0.0)
    if table.has("position"):
        low, high = table.numbers("position", 2, infinite=True)
        if not low < high:
            raise table.error("position", "a lower limit below the upper one", [low, high])
        values["position_min"], values["position_max"] = low * unit, high * unit
    values["velocity_max"] = table.number("velocity", math.inf, infinite=True)
    values["acceleration_max"] = table.number("acceleration", math.inf, infinite=True)
    values["jerk_max"] = table.number("jerk", math.inf, infinite=True)
    table.done()
    return table.build(lambda: Joint(**values))


def _link(table: Table, number: int, angle: float) -> Link:
    name = table.text("name", f"link {number}")
    mass = table.number("mass", expected="a mass in kg")
    center = table.vector("center", (0.0, 0.0, 0.0))
    inertia = _inertia(table)
    visuals = tuple(_visual(t, angle) for t in table.tables("visual"))
    table.done()
    return table.build(lambda: Link(name, mass, center, inertia, visuals))


def _frame(table: Table, angle: float) -> NamedFrame:
    name, link = table.text("name"), table.number("link", expected="the number of a frame, 0 to n")
    if link != int(link):
        raise table.error("link", "the number of a frame, 0 to n", link)
    pose = read_pose(table, angle, done=False)
    table.done()
    return table.build(lambda: NamedFrame(name, int(link), pose))


def _inertia(table: Table) -> Mat3:
    """Three numbers (Ixx Iyy Izz), six (then Ixy Ixz Iyz), or three rows of three."""
    expected = "3 numbers (Ixx, Iyy, Izz), 6 (then Ixy, Ixz, Iyz) or 3 rows of 3"
    value = table.take("inertia", [0, 0, 0], expected)
    if not isinstance(value, list) or len(value) not in (3, 6):
        raise table.error("inertia", expected, value)
    if any(isinstance(row, list) for row in value):
        if not all(isinstance(row, list) and len(row) == 3 for row in value):
            raise table.error("inertia", expected, value)
        flat = Table(table.file, table.where, {"inertia": [x for row in value for x in row]})
        entries = flat.numbers("inertia", 9)
        return as_mat3([entries[0:3], entries[3:6], entries[6:9]])
    xx, yy, zz, xy, xz, yz = (*table.numbers("inertia", len(value), value), 0.0, 0.0, 0.0)[:6]
    return as_mat3([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _visual(table: Table, angle: float) -> Visual:
    shape: Any = table.choice("shape", tuple(SIZES))
    size = read_size(table, shape)
    color = table.text("color", "#9aa5b1")
    pose = read_pose(table, angle, done=False)
    table.done()
    return table.build(lambda: Visual(shape, size, pose, color))


def read_size(table: Table, shape: str) -> tuple[float, ...]:
    """The lengths of a primitive, then the points of a prism, as `Visual` has them."""
    if shape == "box":
        return table.numbers("size", 3)
    size = tuple(table.number(key) for key in SIZES[shape])
    points = table.pairs("points") if shape == "prism" else ()
    return (*size, *(x for point in points for x in point))


def _drive(table: Table, n: int) -> Drive:
    values: dict[str, Any] = {
        key: table.number(key, default, infinite=math.isinf(default))
        for key, default in DRIVE_KEYS.items()
    }
    values["coupling"] = table.numbers("coupling", n, ())
    values["curve"] = table.pairs("curve", (), "a list of points [speed rad/s, torque N m]")
    table.done()
    return table.build(lambda: Drive(**values))


def write(robot: Robot, path: Path, *, comment: str = "") -> None:
    """Write a robot to a TOML file that reads back equal; in degrees if that loses nothing.

    The lines of `comment` go before it.
    """
    angles = [x for joint in robot.joints for x in (joint.theta, joint.alpha)]
    for joint in robot.joints:
        angles += [*joint.after.rpy]
        if joint.revolute:
            angles += [joint.position_min, joint.position_max]
    for pose in _poses(robot):
        angles += pose.rpy
    exact = all(_degrees(x) is not None for x in angles)
    head = "".join(f"# {line}".rstrip() + "\n" for line in comment.splitlines())
    write_text(path, head + ("\n" if head else "") + toml_text(robot, "deg" if exact else "rad"))


def _poses(robot: Robot) -> list[Pose]:
    visuals = [v for link in robot.links for v in link.visuals] + list(robot.base_visuals)
    named = [frame.pose for frame in robot.frames]
    return [robot.mount, robot.base, robot.tool, *(v.pose for v in visuals), *named]


def _degrees(x: float) -> float | None:
    """The angle in degrees if it reads back to the same radians, else None."""
    if math.isinf(x):
        return x
    for digits in (6, 12, 17):
        degrees = float(f"{math.degrees(x):.{digits}g}")
        if degrees * (math.pi / 180) == x:
            return degrees
    return None


def toml_text(robot: Robot, unit: str = "rad") -> str:
    """The robot as the text of a TOML file, angles in `unit`; worked out once (30 ms)."""
    return robot.once((toml_text, FORMAT, unit), lambda: _text_of(robot, unit))


def _text_of(robot: Robot, unit: str) -> str:
    import tomlkit

    def angle(x: float) -> float:
        degrees = _degrees(x) if unit == "deg" else x
        return x if degrees is None else degrees

    def pose(p: Pose) -> dict[str, Any]:
        entries: dict[str, Any] = {}
        if any(p.xyz):
            entries["xyz"] = list(p.xyz)
        if any(p.rpy):
            entries["rpy"] = [angle(x) for x in p.rpy]
        return entries

    def visual(v: Visual) -> dict[str, Any]:
        names = SIZES[v.shape]
        size = dict(zip(names, v.size[: len(names)], strict=True))
        entries: dict[str, Any] = {"shape": v.shape}
        entries |= {"size": list(v.size)} if v.shape == "box" else size
        if v.shape == "prism":
            entries["points"] = [list(point) for point in v.points]
        return entries | pose(v.pose) | {"color": v.color}

    document: dict[str, Any] = {"format": FORMAT, "name": robot.name}
    document |= {k: v for k, v in (("title", robot.title), ("source", robot.source)) if v}
    if robot.illustrative:
        document["illustrative"] = list(robot.illustrative)
    document |= {"angle_unit": unit, "gravity": list(robot.gravity)}
    document |= {key: getattr(robot, key) for key in CONTROL if getattr(robot, key) != CONTROL[key]}
    if math.isfinite(robot.bus_power):
        document["bus_power"] = robot.bus_power
    for key, placed in (("mount", robot.mount), ("base", robot.base), ("tool", robot.tool)):
        entries = pose(placed)
        if key == "base" and robot.base_visuals:
            entries["visual"] = [visual(v) for v in robot.base_visuals]
        if entries:
            document[key] = entries
    document["joint"] = [_joint_entries(j, angle, pose) for j in robot.joints]
    document["link"] = [
        {"name": link.name, "mass": link.mass, "center": list(link.center)}
        | {"inertia": _inertia_entries(link.inertia)}
        | ({"visual": [visual(v) for v in link.visuals]} if link.visuals else {})
        for link in robot.links
    ]
    if robot.drives:
        document["drive"] = [_drive_entries(d) for d in robot.drives]
    if robot.frames:
        document["frame"] = [
            {"name": frame.name, "link": frame.link} | pose(frame.pose) for frame in robot.frames
        ]
    return tomlkit.dumps(document)


def _joint_entries(joint: Joint, angle: Any, pose: Any) -> dict[str, Any]:
    convert = angle if joint.revolute else float
    entries: dict[str, Any] = {"name": joint.name, "kind": joint.kind}
    entries |= {"theta": angle(joint.theta), "d": joint.d, "a": joint.a}
    entries["alpha"] = angle(joint.alpha)
    if not joint.after.is_identity:
        entries["after"] = pose(joint.after)
    if joint.damping:
        entries["damping"] = joint.damping
    bounds = (joint.position_min, joint.position_max)
    if any(math.isfinite(x) for x in bounds):
        entries["position"] = [convert(x) for x in bounds]
    for key in ("velocity", "acceleration", "jerk"):
        value = getattr(joint, f"{key}_max")
        if math.isfinite(value):
            entries[key] = value
    return entries


def _inertia_entries(inertia: Mat3) -> list[float]:
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia
    return [xx, yy, zz, xy, xz, yz] if xy or xz or yz else [xx, yy, zz]


def _drive_entries(drive: Drive) -> dict[str, Any]:
    entries: dict[str, Any] = {}
    for key, default in DRIVE_KEYS.items():
        value = getattr(drive, key)
        if math.isfinite(value) and (value != default or key == "ratio"):
            entries[key] = value
    if drive.coupling:
        entries["coupling"] = list(drive.coupling)
    if drive.curve:
        entries["curve"] = [list(point) for point in drive.curve]
    return entries
