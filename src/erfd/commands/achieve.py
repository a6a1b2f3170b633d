"""`erfd achieve`: Algorithm 1 on a trajectory."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .common import (
    add_choices,
    add_json,
    add_loads,
    add_robot,
    load_robot,
    loads_of,
    print_result,
    print_written,
)
from .parser import add_command


def add(commands: Any) -> None:
    """Put the commands on the command line."""
    command = add_command(
        commands, "achieve", "what the motors achieve of a trajectory", run_achieve,
        "erfd achieve lola15 motion.csv --degrees --payload 5 --out run",
    )  # fmt: skip
    add_robot(command)
    command.add_argument(
        "trajectory",
        metavar="TRAJECTORY",
        help="CSV: t (s), q1..qn and perhaps qd1..qdn, in rad (m)",
    )
    command.add_argument(
        "--degrees", action="store_true", help="the file has its angles in degrees, not in rad"
    )
    command.add_argument("--resample", action="store_true", help="derive the velocities from q")
    add_loads(command)
    add_choices(command, "policy", "follow", "torque_path")
    command.add_argument("--out", metavar="DIR", help="folder for the run, its events and plots")
    add_json(command)


def run_achieve(options: argparse.Namespace) -> int:
    """Run Algorithm 1 on a trajectory; 1 if the motors cannot do it."""
    from rich.console import Console

    from ..achieve.achievable import achievable
    from ..planning.trajectory_csv import read_trajectory
    from ..report.tables.run import print_run, run_data

    robot = load_robot(options)
    path = Path(options.trajectory)
    trajectory = read_trajectory(path, robot.n, degrees=options.degrees, resample=options.resample)
    terminal = Console(stderr=True)
    with terminal.status(f"{len(trajectory)} cycles of {robot.name}"):  # compiling takes a second
        run = achievable(
            robot,
            trajectory,
            policy=options.policy,
            follow=options.follow,
            torque_path=options.torque_path,
            **loads_of(options),
        )
    print_result(options, run_data, print_run, run)
    if options.out:
        from ..report.output_folder import write_run_folder

        print_written(options, write_run_folder(run, Path(options.out)))
    return 0 if run.feasible else 1
