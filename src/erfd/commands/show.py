"""`erfd show`: one robot, its kinematics, inertia and drives."""

from __future__ import annotations

import argparse
from typing import Any

from .common import add_json, add_robot, load_robot, print_result


def add(commands: Any) -> None:
    """Put the command on the command line."""
    command = commands.add_parser("show", help="print a robot's kinematics, inertia and drives")
    command.set_defaults(run=run_show)
    add_robot(command)
    add_json(command)


def run_show(options: argparse.Namespace) -> None:
    """Print one robot."""
    from ..report.tables.robot import print_robot, robot_data

    robot = load_robot(options)
    print_result(options, robot_data, print_robot, robot)
