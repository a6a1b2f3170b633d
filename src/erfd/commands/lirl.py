"""`erfd lirl`: check and format L-IRL programs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from ..errors import InputError
from .common import ROBOT, add_json, add_robot, load_robot, print_json
from .parser import add_command

PROGRAM = "an .irl file or an example (erfd examples); - reads from standard input"


def add(commands: Any) -> None:
    """Put the commands on the command line."""
    group = commands.add_parser("lirl", help="check and format L-IRL programs")
    actions = group.add_subparsers(dest="action", required=True, metavar="ACTION")

    command = add_command(
        actions, "check", "list all mistakes of a program", run_check,
        "erfd lirl check program.irl --robot lola15",
    )  # fmt: skip
    command.add_argument("program", metavar="PROGRAM", help=PROGRAM)
    add_robot(command, f"the robot it has to fit: {ROBOT}", required=False)
    add_json(command)

    command = add_command(
        actions, "format", "print a program in the one style", run_format,
        "erfd lirl format program.irl --write",
    )  # fmt: skip
    command.add_argument("program", metavar="PROGRAM", help=PROGRAM)
    modes = command.add_mutually_exclusive_group()
    modes.add_argument("--check", action="store_true", help="only say whether it is in that style")
    modes.add_argument("--write", action="store_true", help="put it into the file")


def program_text(name: str) -> tuple[str, str]:
    """The text of a program (- is standard input), and its name for messages."""
    from ..ground.examples import program_path
    from ..lirl.program_file import read_program

    if name == "-":
        return standard_input(), "<stdin>"
    path = program_path(name)
    return read_program(path), path.name


def refuse_example(option: str, program: str) -> None:
    """Refuse to write into a program that came with the package."""
    from ..ground.examples import is_example

    if is_example(program):
        found = f"the example {program!r}, which erfd examples --copy puts into a folder"
        raise InputError(f"{option}: expected a file of yours, found {found}")


def standard_input(encoding: str = "utf-8-sig", newline: str | None = None) -> str:
    """The text from standard input, as UTF-8, whatever the terminal's encoding.

    With `utf-8` and "" a mark of byte order and line ends are what they are.
    """
    import io

    source = getattr(sys.stdin, "buffer", None)
    if source is None:  # somebody has put a text there
        return sys.stdin.read()
    try:
        return io.TextIOWrapper(io.BytesIO(source.read()), encoding, newline=newline).read()
    except UnicodeDecodeError:
        raise InputError("<stdin>: expected UTF-8 text, found other bytes") from None


def run_check(options: argparse.Namespace) -> int:
    """List the mistakes of a program; 2 if there are errors."""
    from dataclasses import asdict

    from ..lirl.checker.check import check

    text, name = program_text(options.program)
    robot = None
    if options.robot is not None:
        robot = load_robot(options)
    mistakes = check(text, robot)
    errors = sum(mistake.severity == "error" for mistake in mistakes)
    if options.json:
        print_json([asdict(mistake) for mistake in mistakes])
    else:
        for mistake in mistakes:
            print(mistake.render(text, name))
        print(f"{name}: {_summary(errors, len(mistakes) - errors)}")
    return 2 if errors else 0


def _summary(mistakes: int, warnings: int) -> str:
    """The numbers of mistakes and warnings, in words."""
    words = [
        f"{count} {word}{'' if count == 1 else 's'}"
        for count, word in ((mistakes, "mistake"), (warnings, "warning"))
        if count
    ]
    return ", ".join(words) or "no mistakes"


def run_format(options: argparse.Namespace) -> int:
    """Print or write the program in the one style; 1 if `--check` finds it in another."""
    from ..ground.files import write_text
    from ..lirl.format import format_program
    from ..lirl.messages import ProgramError

    if options.write and options.program == "-":
        raise InputError("--write: expected a file, found -")
    if options.write:
        refuse_example("--write", options.program)
    text, name = program_text(options.program)
    try:
        formatted = format_program(text)
    except ProgramError as error:
        for mistake in error.mistakes:
            print(mistake.render(text, name), file=sys.stderr)
        return 2
    if options.check:
        if formatted != text:
            print(f"{name}: would change")
        return 1 if formatted != text else 0
    if not options.write:
        sys.stdout.write(formatted)
    elif formatted != text:
        write_text(Path(options.program), formatted)
        print(f"formatted {name}")
    return 0
