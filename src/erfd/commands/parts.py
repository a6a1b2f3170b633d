"""`erfd parts`: build a robot from a parts database."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..errors import InputError
from .common import add_json, console, joint_numbers, print_json, print_result, print_written
from .parser import add_command


def add(commands: Any) -> None:
    """Put the commands on the command line."""
    group = commands.add_parser("parts", help="a robot from links, parts and sections")
    actions = group.add_subparsers(dest="action", required=True, metavar="ACTION")

    command = add_command(
        actions, "build", "weigh a .parts.toml file and write the robot file", run_build,
        "erfd parts build arm.parts.toml --out arm.toml --picture arm.png --q 30,-45",
    )  # fmt: skip
    command.add_argument("file", metavar="FILE", help="the parts database, a .parts.toml file")
    command.add_argument("-o", "--out", metavar="ARM.toml", help="the robot file to write")
    command.add_argument("--picture", metavar="FILE.png|svg", help="draw the arm")
    command.add_argument("--q", metavar="Q1,..,QN", help="joints of the picture, degrees (m)")
    add_json(command)

    command = add_command(
        actions, "materials", "list the materials and their densities", run_materials,
        "erfd parts materials",
    )  # fmt: skip
    add_json(command)


def run_build(options: argparse.Namespace) -> None:
    """Weigh everything, print it, and write what was asked for."""
    from ..report.tables.parts import items_data, print_items
    from ..robot.parts import build, read, weigh

    path = Path(options.file)
    _check_names(path, options)
    database = read(path)
    items, robot = weigh(database), build(database)
    q = joint_numbers("--q", options.q, robot) or [0.0] * robot.n
    written = []
    if options.out:
        from ..robot.library import save

        save(robot, options.out, comment=_header(path, robot))
        written.append(options.out)
    if options.picture:
        from ..report.plots.robot_picture import robot_figure
        from ..report.plots.run import save_figure

        save_figure(robot_figure(robot, q), options.picture)
        written.append(options.picture)
    if options.json:
        print_json(items_data(robot, items) | {"written": written})
    else:
        print_items(robot, items, console())
        print_written(options, written)


def _check_names(path: Path, options: argparse.Namespace) -> None:
    """Refuse names and options that cannot be right, before anything is read or written."""
    from ..robot.library import PARTS

    if not path.name.lower().endswith(PARTS):
        raise InputError(f"{path}: expected a parts database, a name that ends in {PARTS}")
    if options.q and not options.picture:
        raise InputError("--q: expected --picture beside it, found none")


def _header(path: Path, robot: Any) -> str:
    """The comment at the top of a robot file that was built."""
    lines = [f"Built from {path.name} by `erfd parts build`: change that file, not this one."]
    if robot.illustrative:
        lines.append(f"Illustrative: {'; '.join(robot.illustrative)}.")
    return "\n".join(lines)


def run_materials(options: argparse.Namespace) -> None:
    """List the materials."""
    from ..report.tables.parts import materials_data, print_materials

    print_result(options, materials_data, print_materials)
