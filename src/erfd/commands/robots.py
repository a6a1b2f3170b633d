"""`erfd robots`: the bundled robots."""

from __future__ import annotations

import argparse
from typing import Any

from .common import add_json, console, print_json
from .parser import add_command


def add(commands: Any) -> None:
    """Put the command on the command line."""
    command = add_command(
        commands, "robots", "list the bundled robots", run_robots, "erfd robots --json"
    )
    add_json(command)


def run_robots(options: argparse.Namespace) -> None:
    """List the bundled robots."""
    from ..robot.library import load, robots

    models = [load(name) for name in robots()]
    if options.json:
        print_json([{"name": r.name, "n": r.n, "title": r.title} for r in models])
        return
    from ..report.tables.table import print_table

    rows = []
    for robot in models:
        kinds = "".join("R" if joint.revolute else "P" for joint in robot.joints)
        rows.append((robot.name, kinds, f"{sum(k.mass for k in robot.links):g}", robot.title))
    print_table(console(), "Bundled robots", ("name", "joints", "mass kg", ""), rows, left=(0, 3))
