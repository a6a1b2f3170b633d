"""`erfd fastest`: the fastest motion along the path of a program."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .common import add_json, print_result, print_written
from .lirl import program_text
from .motion import add_trajectory, is_motion, write_motion
from .parser import add_command
from .verify import (
    add_margin,
    add_verification,
    motion_arguments,
    print_mistakes,
    progress,
    verification_arguments,
)

if TYPE_CHECKING:
    from ..verification.fastest_program import FastestProgram


def add(commands: Any) -> None:
    """Put the command on the command line."""
    command = add_command(
        commands, "fastest",
        "how fast could this robot do the path of an L-IRL program, or of a motion?", run_fastest,
        "erfd fastest lola15_demo --robot lola15 --margin 5% --out fast",
    )  # fmt: skip
    add_verification(command, motion=True)
    command.add_argument(
        "--keep-speeds", action="store_true", help="nowhere faster than programmed"
    )
    add_margin(command)
    command.add_argument(
        "--out", metavar="DIR", help="report.html, run.parquet, trajectory.csv and the program"
    )
    add_trajectory(command, "the fastest motion")
    add_json(command)


def run_fastest(options: argparse.Namespace) -> int:
    """Time the path, rewrite the program, print, write; 1 if it may not be repeated for ever."""
    from ..ground.examples import program_path
    from ..lirl import ProgramError
    from ..timing.solve import NoSpeedError
    from ..verification.fastest_program import fastest_motion, fastest_program
    from ..verification.fastest_program.page import fastest_data, print_fastest
    from ..verification.motion import verify_motion

    path = program_path(options.program)
    _check_out(options, path)
    motion = is_motion(options)
    text = "" if motion else program_text(options.program)[0]
    arguments = motion_arguments(options) if motion else verification_arguments(options, path)
    chosen = {"keep_speeds": options.keep_speeds, "margin": options.margin}
    with progress("timing", 1.0) as tell:
        try:
            if motion:
                found = fastest_motion(verify_motion(**arguments, tell=tell), **chosen, tell=tell)
            else:
                found = fastest_program(text, **arguments, **chosen, name=path.stem, tell=tell)
        except ProgramError as error:
            return print_mistakes(error, text, options)
        except NoSpeedError as error:
            print_result(options, _no_data, _no_words, str(error))
            return 1
        written = _write(found, Path(options.out), path) if options.out else []
        written += write_motion(options, found.before.robot, found.timing.trajectory)
    print_result(options, fastest_data, print_fastest, found)
    print_written(options, written)
    return 0 if found.feasible else 1


def _check_out(options: argparse.Namespace, program: Path) -> None:
    """Refuse a folder in which the rewritten program would take the place of the program."""
    if options.out is None:
        return
    target = Path(options.out) / f"{program.stem}.irl"
    if target.exists() and program.exists() and target.samefile(program):
        raise InputError(
            f"--out: expected a folder beside the program's, found {options.out}, in which the"
            f" rewritten program would take the place of {program}"
        )


def _no_data(sentence: str) -> dict[str, Any]:
    return {"feasible": False, "sentences": [sentence]}


def _no_words(sentence: str, terminal: Any) -> None:
    terminal.print(f"not possible at any speed: {sentence}", highlight=False)


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
