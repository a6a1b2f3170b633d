"""Attach the drives of a file to a robot: by the names of its joints, the rest stays as it is."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..model import Drive, Joint, Robot
from ..readers.table import Phrase, Table, nearest, parse_toml, read_head, read_toml
from .seen_at import seen_at
from .sheet import drive_values
from .units import quantity

FORMAT = 1
SUFFIX = ".drives.toml"
"""The usual ending of the name of a drive file."""
KINDS = {
    "ratio": "ratio", "load_friction": "part", "coulomb": "torque",
    "viscous": "viscous friction", "inertia": "inertia", "torque_max": "torque",
    "torque_rated": "torque", "speed_max": "speed", "resistance": "resistance",
    "torque_constant": "torque constant", "voltage_max": "voltage",
    "thermal_time_constant": "time", "gear_torque_average": "torque",
    "gear_torque_peak": "torque",
}  # fmt: skip
"""The numbers of a `[[drive]]` by what they are: those of `Drive`."""
JOINT_KEYS = ("acceleration", "jerk")
"""Limits of the joint itself that robot files of others cannot say, rad/s2 and rad/s3 (m)."""


def attach(robot: Robot, path: Path) -> Robot:
    """The robot with the drives of a file."""
    return _attached(robot, read_toml(path))


def attach_text(robot: Robot, text: str, name: str = "drives.toml") -> Robot:
    """The robot with the drives of the text of such a file; `name` stands in messages."""
    return _attached(robot, parse_toml(text, name))


def _attached(robot: Robot, top: Table) -> Robot:
    read_head(top, FORMAT, FORMAT, "rad")
    source, made_up = top.text("source", ""), top.texts("illustrative")
    top.text("robot", "")
    bus_power = quantity(top, "bus_power", "power", robot.bus_power)
    cycle_time = quantity(top, "cycle_time", "time", robot.cycle_time)
    tables = top.tables("drive")
    top.done()
    if not tables:
        raise top.error("drive", "a table [[drive]] for a joint", Phrase("none"))
    names = [joint.name for joint in robot.joints]
    joints, drives, given = list(robot.joints), list(robot.drives or [Drive()] * robot.n), set()
    for table in tables:
        name = table.text("joint")
        if name not in names:
            near = nearest(name, names)
            hint = f"; did you mean {near!r}?" if near else ""
            expected = f"a joint of {robot.name} ({', '.join(names)})"
            raise table.error("joint", expected[:300], Phrase(f"{name!r}{hint}"))
        i = names.index(name)
        if i in given:
            raise table.error("joint", "one [[drive]] a joint", Phrase(f"a second one of {name!r}"))
        given.add(i)
        joints[i], drives[i] = _read(table, joints[i], drives[i], robot.n)
    missing = [name for i, name in enumerate(names) if i not in given]
    if missing and not robot.drives:
        expected = f"{robot.n} drives, one a joint"
        raise top.error("drive", expected, Phrase(f"none of {', '.join(missing)}"))
    notes = tuple(f"drives: {phrase}" for phrase in made_up)
    sources = [robot.source, f"drives: {source}" if source else ""]
    return top.build(
        lambda: replace(
            robot, joints=tuple(joints), drives=tuple(drives), bus_power=bus_power,
            cycle_time=cycle_time, source="; ".join(filter(None, sources)),
            illustrative=(*robot.illustrative, *notes),
        )
    )  # fmt: skip


def _read(table: Table, joint: Joint, before: Drive, n: int) -> tuple[Joint, Drive]:
    """The joint and its drive from a table, what it does not say from those before."""
    sheet = drive_values(table.table("motor"), table.table("gear"))
    values: dict[str, Any] = {}
    for key, kind in KINDS.items():
        kind = "force" if key.startswith("gear") and not joint.revolute else kind
        value = quantity(table, key, kind, getattr(Drive(), key))
        if key in table.data:
            values[key] = value
            if key in sheet:
                raise table.error(key, "it once", Phrase("it here and from the data sheets"))
    if table.has("coupling"):
        values["coupling"] = table.numbers("coupling", n)
    if table.has("curve"):
        values["curve"] = table.pairs("curve", (), "a list of points [speed rad/s, torque N m]")
    limits: dict[str, Any] = {
        f"{key}_max": table.number(key, math.inf, infinite=True)
        for key in JOINT_KEYS
        if table.has(key)
    }
    table.done()
    values = sheet | values
    same = seen_at(before, values.get("ratio", before.ratio))
    drive = table.build(lambda: replace(same, **values))
    return table.build(lambda: replace(joint, **limits)) if limits else joint, drive
