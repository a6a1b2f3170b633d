"""`erfd sim`: the CMU arm simulator as a shell."""

from __future__ import annotations

import argparse
from typing import Any

from ..errors import InputError
from .common import ROBOT, add_choices, add_json, add_robot, load_robot
from .parser import add_command, number


def add(commands: Any) -> None:
    """Put the command on the command line."""
    command = add_command(
        commands, "sim", "a shell: inverse and forward arm, simulations by voltage", run_sim,
        "erfd sim lola15 < script.sim",
        description="A shell with the variables and commands of the CMU arm simulator (1982)."
        " `erfd sim < script` does what a file says.",
    )  # fmt: skip
    add_robot(command, f"{ROBOT} (default cmu_dd)", default="cmu_dd")
    command.add_argument("--dt", type=number, default=0.001, metavar="S", help="step, s")
    add_choices(command, "method")
    stops = "what joints do at their limits: stop there, or pass them"
    command.add_argument("--stops", default="inelastic", choices=("inelastic", "none"), help=stops)
    add_json(command)


def run_sim(options: argparse.Namespace) -> int:
    """Run the shell until it is left; 2 if a script is wrong."""
    from ..shell.session import ShellSession
    from ..shell.shell import Shell

    if not 0 < options.dt < 1:
        raise InputError(f"--dt: expected a step above 0 and below 1 s, found {options.dt:g}")
    stops = None if options.stops == "none" else options.stops
    robot = load_robot(options)
    session = ShellSession(options.robot, robot, options.dt, options.method, stops)
    return Shell(session, as_json=options.json).run()
