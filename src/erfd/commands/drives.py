"""`erfd drives`: the motors and gears of a robot, and a file to fill in for one without."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..errors import InputError
from .common import add_json, add_robot, load_robot, print_json, print_result
from .parser import add_command


def add(commands: Any) -> None:
    """Put the commands on the command line."""
    group = commands.add_parser("drives", help="motors and gears of a robot")
    actions = group.add_subparsers(dest="action", required=True, metavar="ACTION")

    command = add_command(
        actions, "template", "write a drive file to fill in, with every number explained",
        run_template, "erfd drives template arm.urdf --tip tool0 -o arm.drives.toml",
    )  # fmt: skip
    add_robot(command)
    command.add_argument(
        "-o", "--out", metavar="FILE", help="the file to write (default: to the terminal)"
    )
    command.add_argument("--force", action="store_true", help="write over a file that is there")
    add_json(command)

    command = add_command(
        actions, "show", "print the drives at the rotors and at the joints, and what is not known",
        run_show, "erfd drives show arm.urdf --drives arm.drives.toml",
    )  # fmt: skip
    add_robot(command)
    add_json(command)


def run_template(options: argparse.Namespace) -> None:
    """Write the template, or print it."""
    from ..ground.files import write_text
    from ..robot.drive_file.template import template

    robot = load_robot(options)
    if options.out is None:
        text = template(robot)
        if options.json:
            print_json({"template": text})
        else:
            print(text, end="")
        return
    path = Path(options.out)
    if path.suffix.lower() != ".toml":
        raise InputError(f"--out: expected a name that ends in .toml, found {options.out!r:.60}")
    if path.exists() and not options.force:
        raise InputError(
            f"--out: expected a new file, found {path}, which may be filled in; --force writes it"
        )
    write_text(path, template(robot, path.name))
    if options.json:
        print_json({"wrote": str(path)})
    else:
        print(f"wrote {path}")


def run_show(options: argparse.Namespace) -> None:
    """Print the drives."""
    from ..report.tables.drives import drives_data, print_drives

    print_result(options, drives_data, print_drives, load_robot(options))
