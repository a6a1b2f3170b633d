"""`erfd bench`: speed beside Pinocchio and other peers."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .common import ROBOT, add_json, add_robot, load_robot, print_result
from .parser import add_command


def add(commands: Any) -> None:
    """Put the command on the command line."""
    command = add_command(
        commands, "bench", "speed beside Pinocchio and other peers", run_bench,
        "erfd bench puma560 --quick --out bench.json",
    )  # fmt: skip
    add_robot(command, f"{ROBOT} (default lola15)", default="lola15")
    command.add_argument("--quick", action="store_true", help="fewer and shorter measurements")
    command.add_argument("--out", metavar="FILE.json", help="where to save the figures")
    add_json(command)


def run_bench(options: argparse.Namespace) -> None:
    """Measure the speed, print and save it."""
    from rich.console import Console

    from ..bench.run import print_bench, require_place, run, save

    robot = load_robot(options)
    if options.out:
        require_place(Path(options.out))
    data = run(robot, quick=options.quick, progress=Console(stderr=True))
    if options.out:
        save(data, Path(options.out))
    print_result(options, dict, print_bench, data)
