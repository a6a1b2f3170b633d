"""The drives of a robot as a table for people (Rich) and as plain data for programs (JSON)."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.text import Text

from ...errors import InputError
from ...ground.json_text import json_value
from ...robot.model import Robot
from .table import number, print_table

RPM = 30 / math.pi
FIRST = ("drive", "joint", "ratio")
AT_ROTOR = ("inertia kg m2", "mu", "Coulomb N m", "viscous N m s", "max N m", "rated N m",
            "max rpm")  # fmt: skip
AT_JOINT = ("inertia kg m2", "friction N m", "max N m", "rated N m", "max rad/s", "max rad/s2")


def print_drives(robot: Robot, console: Console) -> None:
    """Print two tables: the numbers at the rotors, and what they are at the joints."""
    if not robot.drives:
        raise InputError(f"robot {robot.name!r}: expected drives, found none; docs/drives.md")
    rotors, joints = [], []
    for k, (joint, d) in enumerate(zip(robot.joints, robot.drives, strict=True), 1):
        ratio = abs(d.ratio)
        first = (f"{k}", joint.name, number(d.ratio))
        values = (d.inertia, d.load_friction, d.coulomb, d.viscous)
        limits = (d.torque_max, d.torque_rated, d.speed_max * RPM)
        rotors.append((*first, *(_known(x) for x in values), *map(number, limits)))
        seen = (ratio**2 * d.inertia, ratio * d.coulomb)
        most = (ratio * d.torque_max, ratio * d.torque_rated, d.speed_max / ratio)
        at_joint = (*most, joint.acceleration_max)
        joints.append((*first, *(_known(x) for x in seen), *map(number, at_joint)))
    named = f"Drives of {robot.name}, at the rotors"
    print_table(console, named, (*FIRST, *AT_ROTOR), rotors, left=(0, 1))
    title = "The same at the joints (m and N where a joint slides), without the gear's losses"
    print_table(console, title, (*FIRST, *AT_JOINT), joints, left=(0, 1))
    if robot.illustrative:
        guessed = "; ".join(robot.illustrative)
        console.print(Text(f"Illustrative, not published: {guessed}", style="yellow"))
    console.print(Text("What is - is not known; a verdict names what it could not check for it."))


def _known(x: float) -> str:
    """A number that is 0 where nobody knows it."""
    return number(x) if x else "-"


def drives_data(robot: Robot) -> dict[str, Any]:
    """The drives by joint as JSON values, SI units at the rotors; unlimited or unknown is null."""
    found = [
        {"joint": joint.name, **asdict(drive)}
        for joint, drive in zip(robot.joints, robot.drives, strict=bool(robot.drives))
    ]
    return {
        "robot": robot.name,
        "source": robot.source,
        "illustrative": list(robot.illustrative),
        "drives": json_value(found),
    }
