"""`erfd ik`: joint positions for a pose of the tool."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from .common import add_json, add_robot, console, joint_numbers, load_robot, pose_of, print_json

POSE = "X,Y,Z[,A,B,C]"


def add(commands: Any) -> None:
    """Put the command on the command line."""
    command = commands.add_parser("ik", help="joint positions that bring the tool to a pose")
    command.set_defaults(run=run_ik)
    add_robot(command)
    command.add_argument(
        "--pose", required=True, metavar=POSE,
        help="tool frame in the base: m, and angles about z, the new y, the new x",
    )  # fmt: skip
    command.add_argument("--near", metavar="Q1,..,QN", help="take the turns nearest to these")
    command.add_argument("--config", type=int, choices=range(8), help="one branch only")
    command.add_argument("--tool", metavar=POSE, help="tool frame in the flange, not the robot's")
    command.add_argument("--degrees", action="store_true", help="all angles in degrees")
    add_json(command)


def run_ik(options: argparse.Namespace) -> int:
    """Print all solutions of a pose; 1 if there is none within the limits."""
    from ..errors import ReachError
    from ..report.tables.inverse_kinematics import inverse_data, print_inverse

    robot = load_robot(options)
    pose = pose_of("--pose", options.pose, options.degrees)
    tool = pose_of("--tool", options.tool, options.degrees) if options.tool else None
    near = joint_numbers("--near", options.near, robot, options.degrees)
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
        print_inverse(robot, data, console(), degrees=options.degrees)
    return 0 if data["reached"] else 1
