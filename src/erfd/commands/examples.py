"""`erfd examples`: the programs and scripts that come with the package."""

from __future__ import annotations

import argparse
import ast
import re
from pathlib import Path
from typing import Any

from ..errors import InputError
from .common import add_json, console, print_json, print_written
from .parser import add_command

FOLDER = "erfd-examples"


def add(commands: Any) -> None:
    """Put the command on the command line."""
    command = add_command(
        commands, "examples", "list the example programs and scripts, or copy them",
        run_examples, "erfd examples --copy",
        description="Example programs have a name wherever a program is asked for: `erfd verify"
        " lola15_demo --robot lola15`. --copy puts them all, and the scripts, into a folder.",
    )  # fmt: skip
    command.add_argument(
        "--copy", nargs="?", const=FOLDER, metavar="DIR", help=f"copy them there ({FOLDER})"
    )
    add_json(command)


def run_examples(options: argparse.Namespace) -> None:
    """List or copy the examples."""
    from ..ground.examples import example_files

    files = example_files()
    if not files:
        raise InputError("examples: this installation has none")
    if options.copy is not None:
        written = copy_files(files, Path(options.copy))
        if options.json:
            print_json({"written": [str(path) for path in written]})
        else:
            print_written(options, written)
        return
    found = [(path, about(path)) for path in files if path.suffix != ".csv"]
    if options.json:
        data = [
            {"name": name_of(path), "file": str(path), "about": sentence}
            for path, sentence in found
        ]
        print_json(data)
        return
    from ..report.tables.table import print_table

    rows = [(name_of(path), sentence) for path, sentence in found]
    print_table(console(), "Examples", ("name", "what it shows"), rows, left=(0, 1))
    print("erfd examples --copy puts them into a folder")


def name_of(path: Path) -> str:
    """What an example is called: a program by its bare name, a script by that of its file."""
    return path.stem if path.suffix == ".irl" else path.name


def about(path: Path) -> str:
    """The first sentence of a script's docstring or of the comment above a program."""
    from ..ground.files import read_text

    text = read_text(path)
    if path.suffix == ".irl":
        head = re.match(r"\s*\{(.*?)\}", text, re.S)
        said = head[1] if head else ""
    else:
        said = ast.get_docstring(ast.parse(text)) or ""
    said = " ".join(said.split())
    first = re.match(r".*?[.?!](?= [A-Z]|$)", said)
    return first[0] if first else said


def copy_files(files: tuple[Path, ...], folder: Path) -> list[Path]:
    """Copy files into a folder; one that is there and differs is not written over."""
    from ..ground.files import read_bytes, write_bytes
    from ..report.output_folder import make_folder

    make_folder(folder)
    targets = {path: folder / path.name for path in files}
    for path, target in targets.items():
        if target.exists() and (not target.is_file() or read_bytes(target) != read_bytes(path)):
            raise InputError(f"--copy: {target} is there already and differs; nothing was copied")
    for path, target in targets.items():
        write_bytes(target, read_bytes(path))
    return list(targets.values())
