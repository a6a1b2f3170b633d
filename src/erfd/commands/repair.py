"""`erfd repair`: the smallest change with which a robot can do a program."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .common import add_json, print_result
from .lirl import program_text, refuse_example, standard_input
from .motion import is_motion
from .parser import add_command, number
from .verify import (
    add_margin,
    add_verification,
    print_mistakes,
    progress,
    verification_arguments,
)

if TYPE_CHECKING:
    from ..verification.repair import Repair


def add(commands: Any) -> None:
    """Put the command on the command line."""
    command = add_command(
        commands, "repair", "the smallest change with which a robot can do an L-IRL program",
        run_repair, "erfd repair lola15_demo --robot lola15 --diff",
    )  # fmt: skip
    add_verification(command)
    add_margin(command)
    command.add_argument(
        "--payload-up-to",
        type=number,
        metavar="KG",
        help="pass with 0, KG (kg) and all between, too",
    )
    command.add_argument(
        "--seconds", type=number, default=60.0, metavar="S", help="for the search at most, s (60)"
    )
    modes = command.add_mutually_exclusive_group()
    modes.add_argument("-o", "--output", metavar="FILE", help="write the repaired program there")
    modes.add_argument("--diff", action="store_true", help="print nothing but a unified diff")
    modes.add_argument(
        "--in-place", action="store_true", help="put it into the program's file; a .bak is kept"
    )
    add_json(command)


def run_repair(options: argparse.Namespace) -> int:
    """Repair, print, write; 1 if no change of values makes the program feasible."""
    from ..ground.examples import program_path
    from ..lirl import ProgramError
    from ..verification.repair import repair
    from ..verification.repair.tables import print_repair, repair_data

    path = program_path(options.program)
    if is_motion(options):
        found = f"found the motion {options.program!r:.60}"
        raise InputError(f"expected a program (.irl), {found}; erfd fastest retimes motions")
    _check_output(options, path)
    text, name = _exact_text(options.program)
    arguments = verification_arguments(options, path)
    more = {"margin": options.margin, "payload_up_to": options.payload_up_to}
    with progress("repairing", 1.0) as tell:
        try:
            repaired = repair(
                text, **arguments, **more, name=path.stem, seconds=options.seconds, tell=tell
            )
        except ProgramError as error:
            return print_mistakes(error, error.source or text, options)
    if options.diff and not options.json:
        sys.stdout.write(repaired.diff(name))
        print(repaired.sentence, file=sys.stderr)
        for suggestion in repaired.suggestions:
            print(f"  {suggestion}", file=sys.stderr)
    else:
        print_result(options, lambda made: repair_data(made, name), print_repair, repaired)
    if repaired.feasible:
        _write(repaired, options, path)
    return 0 if repaired.feasible else 1


def _check_output(options: argparse.Namespace, path: Path) -> None:
    """Refuse what would write over the program, or nowhere."""
    if options.in_place and options.program == "-":
        raise InputError("--in-place: expected a file, found -")
    if options.in_place:
        refuse_example("--in-place", options.program)
    if options.output is not None:
        target = Path(options.output)
        if target.exists() and path.exists() and target.samefile(path):
            raise InputError(f"-o: {target} is the program itself; --in-place keeps a backup of it")
        if target.is_dir():
            raise InputError(f"-o: expected a file, found the folder {target}")
        if not target.parent.is_dir():  # said before the search, not after it
            raise InputError(f"-o: {target}: cannot be written: there is no such folder")


def _exact_text(program: str) -> tuple[str, str]:
    """The text of a program with its line ends and its mark of byte order, and its name."""
    from ..ground.examples import program_path
    from ..ground.files import read_bytes

    if program == "-":
        return standard_input("utf-8", ""), "<stdin>"
    _, name = program_text(program)  # says what is wrong with the file
    return read_bytes(program_path(program)).decode("utf-8"), name


def _write(repaired: Repair, options: argparse.Namespace, path: Path) -> None:
    """Write the repaired program where that is asked for, and say so."""
    from ..ground.files import read_bytes, write_bytes, write_text

    terminal = sys.stderr if options.json else sys.stdout
    if options.output is not None:
        write_text(options.output, repaired.text)
        print(f"wrote {options.output}", file=terminal)
    elif options.in_place and repaired.changes:
        path = path.resolve() if path.is_symlink() else path
        backup = free_backup(path)
        write_bytes(backup, read_bytes(path))
        write_text(path, repaired.text)
        print(f"wrote {path}; as it was: {backup}", file=terminal)
    elif options.in_place:
        print(f"{path} stays as it is", file=terminal)
    elif repaired.changes and not options.diff:
        print("nothing written: -o FILE or --in-place does, --diff shows it", file=terminal)


def free_backup(path: Path) -> Path:
    """A name for a backup of a file that is no file yet: `.bak`, else `.bak2` and so on."""
    number = 1
    while True:
        backup = path.with_name(f"{path.name}.bak{number if number > 1 else ''}")
        if not backup.exists():
            return backup
        number += 1
