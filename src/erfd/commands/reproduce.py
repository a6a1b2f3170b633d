"""`erfd reproduce`: the tables, figures and claims of the documents, printed beside computed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..errors import InputError
from .common import add_json, console, print_result, print_written
from .parser import add_command


def add(commands: Any) -> None:
    """Put the command on the command line."""
    command = add_command(
        commands, "reproduce", "the documents item by item: printed beside computed",
        run_reproduce, "erfd reproduce 001-fig-a6 --out figures",
        description="Does tables, figures, algorithms and claims of the source documents again."
        " Without ITEM: lists them. docs/sources.md says where everything of the documents is.",
    )  # fmt: skip
    command.add_argument(
        "item", nargs="?", metavar="ITEM", help="a name (001-fig-a6) or a document (001, 003, 004)"
    )
    command.add_argument("--all", action="store_true", help="all items")
    command.add_argument("--out", metavar="DIR", help="folder for figures and reproduce.json")
    add_json(command)


def run_reproduce(options: argparse.Namespace) -> None:
    """List the items, or do some of them again."""
    from rich.console import Console

    from ..reproduce.library import ITEMS, items_named
    from ..reproduce.table import item_data, print_items, print_outcome, print_verdicts

    if options.item is not None and options.all:
        raise InputError(f"ITEM: expected it or --all, found both ({options.item!r})")
    if options.item is None and not options.all:
        if options.out:
            raise InputError("--out: expected an ITEM or --all with it, found none")
        listed = [{"item": i.name, "where": i.where, "title": i.title} for i in ITEMS]
        print_result(options, lambda _: listed, print_items, ITEMS)
        return
    chosen = list(ITEMS) if options.all else items_named(options.item)
    found = []
    with Console(stderr=True).status("") as status:
        for item in chosen:
            status.update(f"{item.name}: {item.title}")
            found.append((item, item.run()))
    if options.json:
        print_result(options, lambda all_of: [item_data(*one) for one in all_of], print, found)
    else:
        terminal = console()
        for item, outcome in found:
            print_outcome(item, outcome, terminal)
            terminal.print()
        if len(found) > 1:
            print_verdicts(found, terminal)
    if options.out:
        from ..reproduce.figures import write_reproduction

        print_written(options, write_reproduction(found, Path(options.out)))
