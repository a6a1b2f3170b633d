"""`erfd equations`: the equations of motion of a small arm in closed form."""

from __future__ import annotations

import argparse
from typing import Any

from .common import add_robot, load_robot
from .parser import add_command, whole_number


def add(commands: Any) -> None:
    """Put the command on the command line."""
    command = add_command(
        commands, "equations", "H, C and g in closed form, up to 3 joints", run_equations,
        "erfd equations lola15 --joints 2 --latex",
    )  # fmt: skip
    add_robot(command)
    command.add_argument("--joints", type=whole_number, metavar="N", help="only the first N joints")
    command.add_argument("--latex", action="store_true", help="as LaTeX")
    command.add_argument("--numeric", action="store_true", help="with the robot's numbers put in")


def run_equations(options: argparse.Namespace) -> None:
    """Print H, C and g in closed form."""
    from ..equations import equations
    from ..robot.synthetic import first_links

    robot = load_robot(options)
    if options.joints is not None:
        robot = first_links(robot, options.joints)
    closed_form = equations(robot, numeric=options.numeric)
    print(closed_form.as_latex() if options.latex else closed_form.as_text())
