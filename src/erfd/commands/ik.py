"""`erfd ik`: joint positions for a pose of the tool."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from .common import (
    POSE,
    POSE_HELP,
    add_degrees,
    add_robot,
    console,
    joint_numbers,
    load_robot,
    pose_of,
    print_json,
)
from .parser import add_command, whole_number


def add(commands: Any) -> None:
    """Put the command on the command line."""
    command = add_command(
        commands, "ik", "joint positions that bring the tool to a pose", run_ik,
        "erfd ik lola15 --pose 0.787,0.403,0.633,15,-60,-175 --near 40,40,-30,-30,-50,30",
    )  # fmt: skip
    add_robot(command)
    command.add_argument(
        "--pose", required=True, metavar=POSE, help=f"tool frame in the base: {POSE_HELP}"
    )
    command.add_argument(
        "--near", metavar="Q1,..,QN", help="take the turns nearest to these, degrees (m)"
    )
    command.add_argument(
        "--config", type=whole_number, choices=range(8), help="one branch only, its CONFIG"
    )
    command.add_argument(
        "--tool", metavar=POSE, help=f"tool frame in the flange, not the robot's: {POSE_HELP}"
    )
    add_degrees(command)
    command.add_argument("--json", action="store_true", help="for programs; angles in rad")


def run_ik(options: argparse.Namespace) -> int:
    """Print all solutions of a pose; 1 if there is none within the limits."""
    from ..errors import ReachError
    from ..report.tables.inverse_kinematics import inverse_data, print_inverse

    robot = load_robot(options)
    pose = pose_of("--pose", options.pose)
    tool = pose_of("--tool", options.tool) if options.tool else None
    near = joint_numbers("--near", options.near, robot)
    try:
        data = inverse_data(robot, pose, near, options.config, tool)
    except ReachError as error:
        if options.json:
            miss = {"distance": error.distance, "angle": error.angle}
            data = {"robot": robot.name, "reached": False, **miss, "solutions": []}
            print_json(data)
        print(f"erfd: {error}", file=sys.stderr)
        return 1
    if options.json:
        print_json(data)
    else:
        print_inverse(robot, data, console())
    return 0 if data["reached"] else 1
