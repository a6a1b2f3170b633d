"""`erfd cache`: the compiled kernels on disk."""

from __future__ import annotations

import argparse
from typing import Any

from .common import add_json, console, print_json
from .parser import add_command


def add(commands: Any) -> None:
    """Put the command on the command line."""
    command = add_command(
        commands, "cache", "the compiled kernels on disk", run_cache, "erfd cache info"
    )
    command.add_argument(
        "action", choices=("info", "clear"), help="info lists them, clear deletes them"
    )
    add_json(command)


def run_cache(options: argparse.Namespace) -> None:
    """Show or empty the cache of compiled kernels."""
    from ..kernels import cache

    if options.action == "clear":
        removed = cache.clear()
        if options.json:
            print_json({"removed": removed}, None)
        else:
            print(f"removed {removed} files")
        return
    info = cache.info()
    if options.json:
        print_json(info)
        return
    from ..report.tables.table import print_table

    title = f"{info['folder']}: {info['kernels']} kernels, {info['bytes'] / 1e6:.2f} MB"
    rows = [
        (e["file"][:12], "broken", "-", "-", f"{e['bytes']}")
        if e.get("broken")
        else (e["file"][:12], e["robot"], e["quantity"], e["method"], f"{e['bytes']}")
        for e in info["entries"]
    ]
    columns = ("file", "robot", "quantity", "method", "bytes")
    print_table(console(), title, columns, rows, left=(0, 1, 2, 3))
