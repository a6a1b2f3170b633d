"""Read and write robots as TOML files; the format is described in docs/robot-format.md."""

from __future__ import annotations

import math
from dataclasses import fields
from pathlib import Path
from typing import Any

from ...ground.files import write_text
from ..model import BASE, TURNINGS, Drive, Joint, Link, NamedFrame, Robot
from ..pose import Mat3, Pose, as_mat3
from ..visual import SIZES, Visual
from .shapes import MeshFolder, ShapeTables, mesh_text, read_pose
from .table import Table, parse_toml, read_head, read_toml

FORMAT = 1
DRIVE_KEYS = {f.name: f.default for f in fields(Drive) if isinstance(f.default, float)}
"""The numbers of a drive, with their defaults."""
CONTROL = {f.name: f.default for f in fields(Robot) if f.name in ("cycle_time", "turning")}
"""What a robot file may say of the controller, with the defaults."""
SHAPE_LISTS = ("visual", "collision")
"""The lists of shapes of a link or of the base: what is drawn, and what collides if it differs."""
LENGTH_KEYS = ("d", "a")
ANGLE_KEYS = ("theta", "alpha")


def read(path: Path) -> Robot:
    """Read the robot in a TOML file."""
    return _robot(read_toml(path), path.parent)


def loads(text: str) -> Robot:
    """The robot in the text of such a file, as `toml_text` writes it."""
    return _robot(parse_toml(text, "robot.toml"))


def _robot(top: Table, folder: Path | None = None) -> Robot:
    angle = read_unit(top)
    shapes = ShapeTables(angle, folder)
    links = tuple(_link(t, i, shapes) for i, t in enumerate(top.tables("link"), 1))
    base = top.table("base")
    drawn, colliding = ((shapes.read(base, key) if base else ()) for key in SHAPE_LISTS)
    return assemble(top, angle, links, base, drawn, colliding)


def read_unit(top: Table) -> float:
    """The unit of angle of a robot file in rad; its version is checked."""
    return read_head(top, FORMAT, ..., "rad")


def assemble(
    top: Table,
    angle: float,
    links: tuple[Link, ...],
    base: Table | None,
    base_visuals: tuple[Visual, ...],
    base_collisions: tuple[Visual, ...] = (),
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
        "base_collisions": base_collisions,
        "touching": _pairs(top),
        "cycle_time": top.number("cycle_time", CONTROL["cycle_time"]),
        "turning": top.choice("turning", TURNINGS, CONTROL["turning"]),
        "bus_power": top.number("bus_power", math.inf, infinite=True),
        "frames": tuple(_frame(t, angle) for t in top.tables("frame")),
    }
    top.done()
    return top.build(lambda: Robot(**values))


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


def _pairs(top: Table) -> tuple[tuple[str, str], ...]:
    """The pairs of links that may touch each other."""
    expected = 'a list of pairs of links, [["link 1", "link 3"]]'
    value = top.take("touching", [], expected)
    if not isinstance(value, list) or not all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(x, str) for x in pair)
        for pair in value
    ):
        raise top.error("touching", expected, value)
    return tuple((first, second) for first, second in value)


def _link(table: Table, number: int, shapes: ShapeTables) -> Link:
    name = table.text("name", f"link {number}")
    mass = table.number("mass", expected="a mass in kg")
    center = table.vector("center", (0.0, 0.0, 0.0))
    inertia = _inertia(table)
    drawn, colliding = (shapes.read(table, key) for key in SHAPE_LISTS)
    table.done()
    return table.build(lambda: Link(name, mass, center, inertia, drawn, colliding))


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
    text = _text_of(robot, "deg" if exact else "rad", MeshFolder(path))
    write_text(path, head + ("\n" if head else "") + text)


def _poses(robot: Robot) -> list[Pose]:
    visuals = [v for link in robot.links for v in (*link.visuals, *link.collisions)]
    visuals += [*robot.base_visuals, *robot.base_collisions]
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
    """The robot as the text of a TOML file that needs no other, angles in `unit`.

    Worked out once (30 ms).
    """
    return robot.once((toml_text, FORMAT, unit), lambda: _text_of(robot, unit))


def _text_of(robot: Robot, unit: str, folder: MeshFolder | None = None) -> str:
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

    def shapes(owner: str, *lists: tuple[Visual, ...]) -> dict[str, Any]:
        both = zip(SHAPE_LISTS, lists, strict=True)
        return {key: [visual(owner, v) for v in values] for key, values in both if values}

    def visual(owner: str, v: Visual) -> dict[str, Any]:
        if v.mesh is not None:
            place = {"data": mesh_text(v.mesh)}
            if folder is not None:
                place = {"file": folder.keep(owner, v.mesh)}
            return {"shape": "mesh"} | place | pose(v.pose) | {"color": v.color}
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
    if robot.touching:
        document["touching"] = [list(pair) for pair in robot.touching]
    if math.isfinite(robot.bus_power):
        document["bus_power"] = robot.bus_power
    for key, placed in (("mount", robot.mount), ("base", robot.base), ("tool", robot.tool)):
        entries = pose(placed)
        if key == "base":
            entries |= shapes(BASE, robot.base_visuals, robot.base_collisions)
        if entries:
            document[key] = entries
    document["joint"] = [_joint_entries(j, angle, pose) for j in robot.joints]
    document["link"] = [
        {"name": link.name, "mass": link.mass, "center": list(link.center)}
        | {"inertia": _inertia_entries(link.inertia)}
        | shapes(link.name, link.visuals, link.collisions)
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
