"""`erfd demo`: the papers' machines, each on its own example, with pictures."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..errors import InputError
from .common import add_json, print_result, print_written
from .parser import add_command

NAMES = ("sdt", "centrifuge", "cmu", "lola15")
"""As in `reproduce/demonstrations.py`: a copy, as NumPy takes long to import."""


def add(commands: Any) -> None:
    """Put the command on the command line."""
    command = add_command(
        commands, "demo", "a machine of the papers on its own example, with pictures",
        run_demo, "erfd demo lola15 --out pictures",
        description="Runs a machine of the source papers on its own example, draws it and says what"
        " to look at: the disorientation trainer, the centrifuge, the CMU arm, Lola 15.",
    )  # fmt: skip
    command.add_argument("name", metavar="NAME", help=f"the machine: {', '.join(NAMES)}")
    command.add_argument("--out", metavar="DIR", help="folder for the pictures (erfd-demo-NAME)")
    add_json(command)


def run_demo(options: argparse.Namespace) -> None:
    """Run a machine on its example."""
    if options.name not in NAMES:
        raise InputError(f"NAME: expected one of {', '.join(NAMES)}, found {options.name!r}")
    from rich.console import Console

    from ..report.output_folder import make_folder
    from ..reproduce.demonstrations import DEMONSTRATIONS
    from ..reproduce.figures import save_drawn

    shown = DEMONSTRATIONS[options.name]
    with Console(stderr=True).status(f"{shown.robot}: {shown.where}"):
        made = shown.make()
    facts = [{"name": name, "value": value, "unit": unit} for name, value, unit in made.facts]
    data = {"demo": shown.name, "robot": shown.robot, "where": shown.where, "facts": facts}
    data |= {"look_at": shown.look_at, "more": shown.more}
    print_result(options, dict, _print_demo, data)
    folder = Path(options.out or f"erfd-demo-{shown.name}")
    make_folder(folder)
    for name, draw in made.figures.items():
        print_written(options, save_drawn(draw(), folder, name))


def _print_demo(data: dict[str, Any], terminal: Any) -> None:
    terminal.print(f"[bold]{data['robot']}[/] ({data['where']})")
    for fact in data["facts"]:
        terminal.print(f"  {fact['name']}: {fact['value']:.4g} {fact['unit']}")
    terminal.print(data["look_at"])
    terminal.print(f"More: {data['more']}", markup=False)
