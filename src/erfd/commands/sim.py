"""`erfd sim`: the CMU arm simulator as a shell."""

from __future__ import annotations

import argparse
from typing import Any

from ..errors import InputError
from .common import CHOICES, add_json


def add(commands: Any) -> None:
    """Put the command on the command line."""
    command = commands.add_parser(
        "sim",
        help="a shell: inverse and forward arm, simulations by voltage",
        description="A shell with the variables and commands of the CMU arm simulator (1982)."
        " `erfd sim < script` does what a file says.",
    )
    command.set_defaults(run=run_sim)
    what = "a bundled name, or a .toml or .urdf file (cmu_dd)"
    command.add_argument("robot", nargs="?", default="cmu_dd", help=what)
    command.add_argument("--dt", type=float, default=0.001, metavar="S", help="step (0.001)")
    methods, what = CHOICES["method"], "of simulations (rk3)"
    command.add_argument("--method", default="rk3", choices=methods, help=what)
    stops = "what joints do at their limits: stop there, or pass them"
    command.add_argument("--stops", default="inelastic", choices=("inelastic", "none"), help=stops)
    add_json(command)


def run_sim(options: argparse.Namespace) -> int:
    """Run the shell until it is left; 2 if a script is wrong."""
    from ..robot.library import load
    from ..shell.session import ShellSession
    from ..shell.shell import Shell

    if not 0 < options.dt < 1:
        raise InputError(f"--dt: expected a step above 0 and below 1 s, found {options.dt:g}")
    stops = None if options.stops == "none" else options.stops
    session = ShellSession(options.robot, load(options.robot), options.dt, options.method, stops)
    return Shell(session, as_json=options.json).run()
