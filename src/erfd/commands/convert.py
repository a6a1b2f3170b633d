"""`erfd convert`: a robot of another file as a robot file of ours."""

from __future__ import annotations

import argparse
from typing import Any

from .common import add_json, add_robot, load_robot, print_json
from .parser import add_command


def add(commands: Any) -> None:
    """Put the command on the command line."""
    command = add_command(
        commands, "convert", "write a robot as a .toml file, its meshes in a folder beside it",
        run_convert, "erfd convert arm.urdf --tip tool0 -o arm.toml",
    )  # fmt: skip
    add_robot(command)
    command.add_argument(
        "-o", "--out", required=True, metavar="FILE.toml", help="the file that is written"
    )
    add_json(command)


def run_convert(options: argparse.Namespace) -> None:
    """Write the robot that the options name."""
    from ..robot.library import save

    robot = load_robot(options)
    save(robot, options.out, comment=f"from {robot.source}" if robot.source else "")
    if options.json:
        print_json({"robot": robot.name, "joints": robot.n, "written": options.out})
    else:
        print(f"wrote {options.out}: {robot.name}, {robot.n} joints")
