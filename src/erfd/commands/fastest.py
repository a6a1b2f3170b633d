"""`erfd fastest`: the fastest motion along the path of a program."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .common import add_json, print_result, print_written
from .lirl import program_text
from .verify import add_verification, print_mistakes, progress, verification_arguments

if TYPE_CHECKING:
    from ..verification.fastest_program import FastestProgram


def add(commands: Any) -> None:
    """Put the command on the command line."""
    command = commands.add_parser(
        "fastest", help="how fast could this robot do the path of an L-IRL program?"
    )
    command.set_defaults(run=run_fastest)
    add_verification(command)
    command.add_argument(
        "--keep-speeds", action="store_true", help="nowhere faster than programmed"
    )
    command.add_argument(
        "--margin", metavar="5%", default="0", help="the part of every torque that stays in reserve"
    )
    command.add_argument(
        "--out", metavar="DIR", help="report.html, run.parquet, trajectory.csv and the program"
    )
    add_json(command)


def run_fastest(options: argparse.Namespace) -> int:
    """Time the path, rewrite the program, print, write; 1 if it may not be repeated for ever."""
    from ..lirl import ProgramError
    from ..timing.solve import NoSpeedError
    from ..verification.fastest_program import fastest_program
    from ..verification.fastest_program.page import fastest_data, print_fastest

    path = Path(options.program)
    text, _ = program_text(options.program)
    margin = _margin(options.margin)
    arguments = verification_arguments(options, path)
    with progress("timing", 1.0) as tell:
        try:
            found = fastest_program(
                text, **arguments, name=path.stem, keep_speeds=options.keep_speeds, margin=margin,
                tell=tell,
            )  # fmt: skip
        except ProgramError as error:
            return print_mistakes(error, text, options)
        except NoSpeedError as error:
            print_result(options, _no_data, _no_words, str(error))
            return 1
        written = _write(found, Path(options.out), path) if options.out else []
    print_result(options, fastest_data, print_fastest, found)
    print_written(options, written)
    return 0 if found.feasible else 1


def _no_data(sentence: str) -> dict[str, Any]:
    return {"feasible": False, "sentences": [sentence]}


def _no_words(sentence: str, terminal: Any) -> None:
    terminal.print(f"not possible at any speed: {sentence}", highlight=False)


def _margin(text: str) -> float:
    """A part: `5%` or `0.05`."""
    number, unit = (text[:-1], 0.01) if text.endswith("%") else (text, 1.0)
    try:
        margin = unit * float(number)
    except ValueError:
        margin = -1.0
    if 0 <= margin < 1:
        return margin
    raise InputError(f"--margin: expected a part below 1 such as 5% or 0.05, found {text!r}")


def _write(found: FastestProgram, folder: Path, program: Path) -> list[Path]:
    """Write the report, the motion and the program; the paths."""
    from ..ground.files import write_text
    from ..planning.trajectory_csv import trajectory_text
    from ..report.output_folder import make_folder, write_run_file
    from ..verification.fastest_program.page import fastest_page

    make_folder(folder)
    texts = {
        folder / "report.html": fastest_page(found),
        folder / "trajectory.csv": trajectory_text(found.timing.trajectory),
    }
    if found.text:
        texts[folder / f"{program.stem}.irl"] = found.text
    for path, text in texts.items():
        write_text(path, text)
    return [*texts, write_run_file(found.timing.run, folder, program=found.before.text)]
