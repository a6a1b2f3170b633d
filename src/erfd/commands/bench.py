"""`erfd bench`: speed beside Pinocchio and other peers."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .common import add_json, print_result


def add(commands: Any) -> None:
    """Put the command on the command line."""
    command = commands.add_parser("bench", help="speed beside Pinocchio and other peers")
    command.set_defaults(run=run_bench)
    command.add_argument("robot", nargs="?", default="lola15", help="a bundled name or a file")
    command.add_argument("--quick", action="store_true", help="fewer and shorter measurements")
    command.add_argument("--out", metavar="FILE.json", help="where to save the figures")
    add_json(command)


def run_bench(options: argparse.Namespace) -> None:
    """Measure the speed, print and save it."""
    from rich.console import Console

    from ..bench.run import print_bench, require_place, run, save
    from ..robot.library import load

    robot = load(options.robot)
    if options.out:
        require_place(Path(options.out))
    data = run(robot, quick=options.quick, progress=Console(stderr=True))
    if options.out:
        save(data, Path(options.out))
    print_result(options, dict, print_bench, data)
