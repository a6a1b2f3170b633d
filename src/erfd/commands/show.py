"""`erfd show`: one robot, its kinematics, inertia and drives."""

from __future__ import annotations

import argparse
from typing import Any

from .common import add_json, add_robot, load_robot, print_result
from .parser import add_command


def add(commands: Any) -> None:
    """Put the command on the command line."""
    command = add_command(
        commands, "show", "print a robot's kinematics, inertia and drives", run_show,
        "erfd show lola15",
    )  # fmt: skip
    add_robot(command)
    add_json(command)


def run_show(options: argparse.Namespace) -> None:
    """Print one robot."""
    from ..report.tables.robot import print_robot, robot_data

    robot = load_robot(options)
    print_result(options, robot_data, print_robot, robot)
