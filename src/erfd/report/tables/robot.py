"""A robot as tables for people (Rich) and as plain data for programs (JSON)."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from typing import Any

from rich.console import Console
from rich.text import Text

from ...ground.json_text import json_value
from ...robot.model import Robot
from ...robot.visual import Visual
from .table import MASS_COLUMNS, degrees, mass_cells, number, print_table, vector


def print_robot(robot: Robot, console: Console) -> None:
    """Print the tables of a robot: kinematics, inertia, drives."""
    console.print(Text(f"{robot.name}: {robot.title or 'no title'}", style="bold"))
    if robot.source:
        console.print(Text(f"Source: {robot.source}"))
    if robot.illustrative:
        phrases = "; ".join(robot.illustrative)
        console.print(Text(f"Illustrative, not published: {phrases}", style="yellow"))
    _print_kinematics(robot, console)
    console.print(Text(_placement(robot)))
    _print_inertia(robot, console)
    if robot.drives:
        _print_drives(robot, console)
        if any(drive.coupling for drive in robot.drives):
            _print_gears(robot, console)


def _print_kinematics(robot: Robot, console: Console) -> None:
    columns = ("joint", "kind", "theta deg", "d m", "a m", "alpha deg", "then", "position limits")
    rows = []
    for i, joint in enumerate(robot.joints, 1):
        show = degrees if joint.revolute else number
        unit = "deg" if joint.revolute else "m"
        bounds = f"{show(joint.position_min)} .. {show(joint.position_max)} {unit}"
        free = math.isinf(joint.position_min) and math.isinf(joint.position_max)
        bounds = "-" if free else bounds
        after = [f"shift {vector(joint.after.xyz)}"] if any(joint.after.xyz) else []
        if any(joint.after.rpy):
            after.append(f"rpy {', '.join(degrees(x) for x in joint.after.rpy)}")
        theta = "q" + _offset(degrees(joint.theta)) if joint.revolute else degrees(joint.theta)
        d = number(joint.d) if joint.revolute else "q" + _offset(number(joint.d))
        angles = (theta, d, number(joint.a), degrees(joint.alpha))
        rows.append((f"{i} {joint.name}", joint.kind, *angles, "; ".join(after) or "-", bounds))
    print_table(console, "Kinematics (standard Denavit-Hartenberg)", columns, rows)


def _offset(text: str) -> str:
    return "" if text == "0" else f" + {text}".replace("+ -", "- ")


def _placement(robot: Robot) -> str:
    parts = []
    for name, pose in (("tool", robot.tool), ("base", robot.base), ("mount", robot.mount)):
        if not pose.is_identity:
            turned = f", rpy {', '.join(degrees(x) for x in pose.rpy)} deg" if any(pose.rpy) else ""
            parts.append(f"{name} at ({vector(pose.xyz)}) m{turned}")
    parts.append(f"gravity ({vector(robot.gravity)}) m/s2")
    return "; ".join(parts)


def _print_inertia(robot: Robot, console: Console) -> None:
    rows = []
    for i, link in enumerate(robot.links, 1):
        damping = number(robot.joints[i - 1].damping)
        rows.append((f"{i} {link.name}", *mass_cells(link), damping))
    columns = ("link", *MASS_COLUMNS, "damping")
    print_table(console, "Inertia (about the mass centre, in link axes)", columns, rows)


def _print_drives(robot: Robot, console: Console) -> None:
    """Print the table of the drives, without columns that are empty for all of them."""
    columns = {
        "gear": [d.ratio for d in robot.drives],
        "mu": [d.load_friction for d in robot.drives],
        "Coulomb N m": [d.coulomb for d in robot.drives],
        "viscous N m s": [d.viscous for d in robot.drives],
        "inertia kg m2": [d.inertia for d in robot.drives],
        "max N m": [d.torque_max for d in robot.drives],
        "rated N m": [d.torque_rated for d in robot.drives],
        "max rpm": [d.speed_max * 30 / math.pi for d in robot.drives],
        "R ohm": [d.resistance for d in robot.drives],
        "Kt N m/A": [d.torque_constant for d in robot.drives],
        "max V": [d.voltage_max for d in robot.drives],
        "thermal s": [d.thermal_time_constant for d in robot.drives],
        "gear mean N m": [d.gear_torque_average for d in robot.drives],
        "gear peak N m": [d.gear_torque_peak for d in robot.drives],
        "curve points": [float(len(d.curve)) for d in robot.drives],
        "joint max /s": [j.velocity_max for j in robot.joints],
        "/s2": [j.acceleration_max for j in robot.joints],
    }
    used = {key: v for key, v in columns.items() if any(math.isfinite(x) and x for x in v)}
    rows = [(str(i + 1), *(number(values[i]) for values in used.values())) for i in range(robot.n)]
    title = "Drives (at the rotor, gears at their output) and joint limits"
    if math.isfinite(robot.bus_power):
        title += f"; supply {number(robot.bus_power)} W"
    print_table(console, title, ("drive", *used), rows)


def _print_gears(robot: Robot, console: Console) -> None:
    columns = ("rotor", *(f"q{i}" for i in range(1, robot.n + 1)))
    rows = [
        (f"q_a{i}", *(number(x) if x else "." for x in row))
        for i, row in enumerate(robot.gear_matrix, 1)
    ]
    print_table(console, "Geometric coupling: rotor angles q_a = K q", columns, rows)


def robot_data(robot: Robot) -> dict[str, Any]:
    """Everything about the robot as JSON values; what is unlimited or unknown is null.

    Of a mesh only how large it is: its triangles are in the robot's file.
    """
    links = tuple(replace(link, visuals=(), collisions=()) for link in robot.links)
    bare = replace(robot, links=links, base_visuals=(), base_collisions=())
    data: dict[str, Any] = json_value(asdict(bare))
    del data["memo"]
    for entry, link in zip(data["links"], robot.links, strict=True):
        entry["visuals"], entry["collisions"] = _shapes(link.visuals), _shapes(link.collisions)
    data["base_visuals"] = _shapes(robot.base_visuals)
    data["base_collisions"] = _shapes(robot.base_collisions)
    return data | {"n": robot.n, "gear_matrix": json_value(robot.gear_matrix)}


def _shapes(visuals: tuple[Visual, ...]) -> list[dict[str, Any]]:
    result = []
    for visual in visuals:
        shape: dict[str, Any] = {"shape": visual.shape, "size": list(visual.size)}
        shape |= {"pose": json_value(asdict(visual.pose)), "color": visual.color}
        if visual.mesh is not None:
            count = {"vertices": len(visual.mesh.vertices), "triangles": len(visual.mesh.faces)}
            shape["mesh"] = count
        result.append(shape)
    return result
