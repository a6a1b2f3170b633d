"""`erfd robots`, `show`, `opcount`, `equations`: list and describe robots."""

from __future__ import annotations

import argparse
import json
from typing import Any

from .common import add_json, add_robot, console, load_robot


def add(commands: Any) -> None:
    """Put the commands on the command line."""
    command = commands.add_parser("robots", help="list the bundled robots")
    command.set_defaults(run=run_robots)
    add_json(command)

    command = commands.add_parser("show", help="print a robot's kinematics, inertia and drives")
    command.set_defaults(run=run_show)
    add_robot(command)
    add_json(command)

    command = commands.add_parser("opcount", help="count the operations of every formulation")
    command.set_defaults(run=run_opcount)
    add_robot(command)
    quantities = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "bias", "cycle")
    command.add_argument("--quantity", default="forward_dynamics", choices=quantities)
    command.add_argument("--method", help="one method only")
    command.add_argument("--wrench", action="store_true", help="with an end-effector wrench")
    add_json(command)

    command = commands.add_parser("equations", help="H, C and g in closed form, up to 3 joints")
    command.set_defaults(run=run_equations)
    add_robot(command)
    command.add_argument("--joints", type=int, metavar="N", help="only the first N joints")
    command.add_argument("--latex", action="store_true", help="as LaTeX")
    command.add_argument("--numeric", action="store_true", help="with the robot's numbers put in")


def run_robots(options: argparse.Namespace) -> None:
    """List the bundled robots."""
    from ..robot.library import load, robots

    models = [load(name) for name in robots()]
    if options.json:
        print(json.dumps([{"name": r.name, "n": r.n, "title": r.title} for r in models], indent=2))
        return
    from ..report.tables.table import print_table

    rows = []
    for robot in models:
        kinds = "".join("R" if joint.revolute else "P" for joint in robot.joints)
        rows.append((robot.name, kinds, f"{sum(k.mass for k in robot.links):g}", robot.title))
    print_table(console(), "Bundled robots", ("name", "joints", "mass kg", ""), rows, left=(0, 3))


def run_show(options: argparse.Namespace) -> None:
    """Print one robot."""
    from ..report.tables.robot import print_robot, robot_data

    robot = load_robot(options)
    if options.json:
        print(json.dumps(robot_data(robot), indent=2))
    else:
        print_robot(robot, console())


def run_opcount(options: argparse.Namespace) -> None:
    """Count the operations of every formulation."""
    from rich.console import Console

    from ..report.tables.operation_counts import count_data, print_counts

    progress = Console(stderr=True)
    data = count_data(
        load_robot(options), options.quantity, options.method, options.wrench, progress
    )
    if options.json:
        print(json.dumps(data, indent=2))
    else:
        print_counts(data, console())


def run_equations(options: argparse.Namespace) -> None:
    """Print H, C and g in closed form."""
    from ..equations import equations
    from ..robot.synthetic import first_links

    robot = load_robot(options)
    if options.joints is not None:
        robot = first_links(robot, options.joints)
    closed_form = equations(robot, numeric=options.numeric)
    print(closed_form.as_latex() if options.latex else closed_form.as_text())
