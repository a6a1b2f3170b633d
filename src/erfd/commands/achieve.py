"""`erfd achieve`: Algorithm 1 on a trajectory."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from .motion import FILES, add_reading, read_options
from .parser import add_command

if TYPE_CHECKING:
    from rich.console import Console

    from ..run.run import Run


LOAD = "continuous load not checked (erfd verify checks it)"
"""What this command leaves to another."""


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
        help=f"{FILES}; t in s, angles in rad",
    )
    add_reading(command)
    add_loads(command)
    add_choices(command, "policy", "follow", "torque_path")
    command.add_argument("--out", metavar="DIR", help="folder for the run, its events and plots")
    add_json(command)


def run_achieve(options: argparse.Namespace) -> int:
    """Run Algorithm 1 on a trajectory; 1 if the motors cannot do it."""
    from rich.console import Console

    from ..achieve.achievable import achievable
    from ..planning.motion_files.reading import check_start
    from ..report.tables.run import print_run, run_data
    from ..verification.checks import not_checked

    robot = load_robot(options)
    reading = read_options(options, options.trajectory, robot)
    check_start(reading, robot)
    trajectory = reading.trajectory
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

    def print_both(run: Run, terminal: Console) -> None:
        print_run(run, terminal)
        for note in reading.notes:
            terminal.print(f"{reading.name}: {note}", markup=False, highlight=False)
        terminal.print("; ".join(unseen), style="yellow", markup=False, highlight=False)

    def data_of(run: Run) -> dict[str, Any]:
        return run_data(run) | {"reading": reading.data, "not_checked": unseen}

    unseen = [*not_checked(robot, None, itself=False), LOAD]
    print_result(options, data_of, print_both, run)
    if options.out:
        from ..report.output_folder import write_run_folder

        print_written(options, write_run_folder(run, Path(options.out)))
    return 0 if run.feasible else 1
