"""`erfd parts`: build a robot from a parts database."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..errors import InputError
from .common import add_json, console, numbers, print_json, print_result, print_written


def add(commands: Any) -> None:
    """Put the commands on the command line."""
    group = commands.add_parser("parts", help="a robot from links, parts and sections")
    actions = group.add_subparsers(dest="action", required=True, metavar="ACTION")

    command = actions.add_parser("build", help="weigh a .parts.toml file and write the robot file")
    command.set_defaults(run=run_build)
    command.add_argument("file", help="the parts database, a .parts.toml file")
    command.add_argument("-o", "--out", metavar="ARM.toml", help="the robot file to write")
    command.add_argument("--picture", metavar="FILE.png|svg", help="draw the arm")
    command.add_argument("--q", metavar="Q1,..,QN", help="joint coordinates of the picture, rad, m")
    add_json(command)

    command = actions.add_parser("materials", help="list the materials and their densities")
    command.set_defaults(run=run_materials)
    add_json(command)


def run_build(options: argparse.Namespace) -> None:
    """Weigh everything, print it, and write what was asked for."""
    from ..report.tables.parts import items_data, print_items
    from ..robot.parts import build, read, weigh

    path = Path(options.file)
    _check_names(path, options)
    database = read(path)
    items, robot = weigh(database), build(database)
    q = numbers("--q", options.q, (robot.n,)) or (0.0,) * robot.n
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
