"""`erfd verify`: check whether a robot can do a program."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .common import (
    add_choices,
    add_json,
    add_robot,
    add_setup,
    joint_numbers,
    loads_of,
    placed_robot,
    print_json,
    print_result,
    print_written,
    signals_of,
)
from .lirl import program_text
from .motion import (
    FILES,
    add_reading,
    add_trajectory,
    is_motion,
    read_options,
    write_motion,
)
from .parser import CommandParser, add_command, number, part_of

if TYPE_CHECKING:
    from ..lirl import ProgramError
READING = ("policy", "follow", "torque_path")
"""How Algorithm 1 is read."""


def add(commands: Any) -> None:
    """Put the command on the command line."""
    command = add_command(
        commands, "verify", "can this robot do this L-IRL program, or this motion?", run_verify,
        "erfd verify lola15_demo --robot lola15 --payload 5,0,0,0.1 --out report",
    )  # fmt: skip
    add_verification(command, motion=True)
    add_choices(command, *READING)
    command.add_argument(
        "--many", action="store_true",
        help="PROGRAM is a folder: all its programs, on all robots of --robot A,B,..",
    )  # fmt: skip
    command.add_argument(
        "--cluster", metavar="HOST:PORT", help="with --many: the scheduler of a Dask cluster"
    )
    command.add_argument("--no-advice", action="store_true", help="only the verdict, no trials")
    command.add_argument("--out", metavar="DIR", help="report.html, run.parquet and plots")
    add_trajectory(command, "the planned motion (or the one that was read)")
    add_json(command)


def add_verification(
    command: CommandParser, *, motion: bool = False, robot_required: bool = True
) -> None:
    """Add the program, the robot and all that a verification can be told; `motion`: or a motion."""
    text = (
        "an L-IRL file or an example (erfd examples), - for standard input; NAME.signals.csv"
        " beside it is its schedule"
    )
    command.add_argument(
        "program", metavar="PROGRAM", help=f"{text}; or a motion: {FILES}" if motion else text
    )
    if motion:
        add_reading(command, step=False)
    add_robot(command, required=robot_required)
    add_setup(command)
    command.add_argument(
        "--dt", type=number, metavar="S", help="step in s (default: the controller's cycle)"
    )
    command.add_argument(
        "--turning",
        choices=("even", "smooth"),
        help="how the tool turns, whatever the program says",
    )
    command.add_argument(
        "--adapt", choices=("axes",), help="slow paths down where an axis would be too fast"
    )
    command.add_argument(
        "--pause", type=number, default=0.0, metavar="S", help="between two rounds, s"
    )
    command.add_argument(
        "--strict",
        action="store_true",
        help="acceleration limits and what was not checked make it infeasible, too",
    )
    command.add_argument("--start", metavar="Q1,..,QN", help="joints at the start, degrees (m)")
    command.add_argument("--cell", metavar="FILE.toml", help="what stands around the robot")


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Turn off garbage collection: there is little in a second, and it takes a tenth of that."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


@contextmanager
def progress(title: str, total: float) -> Iterator[Callable[[float, str], None]]:
    """A progress bar (only on a terminal): a function of how far it is, to `total`, and a word."""
    from rich.console import Console

    terminal = Console(stderr=True)
    if not terminal.is_terminal:
        yield lambda part, what: None
        return
    from rich.progress import Progress, TextColumn

    with Progress(
        *Progress.get_default_columns(), TextColumn("{task.fields[what]}"), console=terminal,
        transient=True,
    ) as bar:  # fmt: skip
        task = bar.add_task(title, total=total, what="")
        yield lambda part, what: bar.update(task, completed=part, what=what)


@_no_garbage_collection()
def run_verify(options: argparse.Namespace) -> int:
    """Verify, print, write; 1 if the robot cannot do it."""
    from ..ground.examples import program_path
    from ..lirl import ProgramError
    from ..verification import verify
    from ..verification.advice import advise
    from ..verification.tables import print_verification, verification_data

    if options.many:
        return run_many(options)
    if options.cluster is not None:
        raise InputError("--cluster: expected --many beside it, found one program")
    path = program_path(options.program)
    motion = is_motion(options)
    text = "" if motion else program_text(options.program)[0]
    arguments = motion_arguments(options) if motion else verification_arguments(options, path)
    arguments |= {name: getattr(options, name) for name in READING}
    with progress("verifying", 2.0) as tell:
        try:
            if motion:
                from ..verification.motion import verify_motion

                verification = verify_motion(**arguments, tell=tell)
            else:
                verification = verify(text, **arguments, name=path.stem, tell=tell)
        except ProgramError as error:
            return print_mistakes(error, text, options)
        advice = None
        if not options.no_advice:
            signals = arguments.get("signals")
            advice = advise(verification, signals=signals, tell=lambda p, w: tell(1 + 0.8 * p, w))
        tell(1.8, "writing")
        written = _write(verification, advice, Path(options.out)) if options.out else []
        written += write_motion(options, verification.robot, verification.plan.trajectory)
    print_result(options, verification_data, print_verification, verification, advice)
    print_written(options, written)
    return 0 if verification.feasible else 1


def run_many(options: argparse.Namespace) -> int:
    """Verify a folder of programs on all robots that are named; 1 if one of them cannot do one."""
    from ..studies.many import verify_many, write_verdicts
    from ..studies.verdict_page import print_verdicts, verdict_rows

    folder = Path(options.program)
    if not folder.is_dir():
        raise InputError(f"--many: expected a folder of programs, found {options.program!r:.60}")
    for name in ("start", "signals", "joints", "topic"):
        if getattr(options, name) is not None:
            raise InputError(f"--{name}: expected one program beside it, found a folder")
    setups = []
    for robot in options.robot.split(","):
        options.robot = robot
        setups.append(_setup_arguments(options))
    fleet, setup = [one.pop("robot") for one in setups], setups[0]
    names = ("dt", "turning", "adapt", "pause", "strict", *READING)
    setup |= {name: getattr(options, name) for name in names}
    with progress("verifying", 1.0) as tell:
        table = verify_many(folder, fleet, cluster=options.cluster, tell=tell, **setup)
        written = write_verdicts(table, Path(options.out)) if options.out else []
    print_result(options, verdict_rows, print_verdicts, table)
    print_written(options, written)
    return 0 if table["feasible"].all() else 1


def print_mistakes(error: ProgramError, text: str, options: argparse.Namespace) -> int:
    """Print the mistakes of a program; the exit code."""
    for mistake in error.mistakes:
        print(mistake.render(text, str(Path(options.program))), file=sys.stderr)
    if options.json:
        print_json({"mistakes": [asdict(m) for m in error.mistakes]})
    return 2


def motion_arguments(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of `verify_motion`, from the command line."""
    arguments = _setup_arguments(options)
    arguments["motion"] = read_options(options, options.program, arguments["robot"])
    return arguments | {"pause": options.pause, "strict": options.strict}


def _setup_arguments(options: argparse.Namespace) -> dict[str, Any]:
    """Robot, cell and loads, from the command line."""
    robot = placed_robot(options)
    cell = None
    if options.cell:
        from ..cell.reader import load_cell

        cell = load_cell(options.cell)
        if options.mount is not None:
            cell = replace(cell, mount=None)
    return {"robot": robot, "cell": cell, **loads_of(options)}


def verification_arguments(options: argparse.Namespace, path: Path) -> dict[str, Any]:
    """The arguments of `verify`, from the command line."""
    arguments = _setup_arguments(options)
    names = ("dt", "turning", "adapt", "pause", "strict")
    arguments |= {name: getattr(options, name) for name in names}
    start = joint_numbers("--start", options.start, arguments["robot"])
    if start:
        arguments["q0"] = start
    arguments["signals"] = signals_of(options, path)
    return arguments


def _write(verification: Any, advice: Any, folder: Path) -> list[Path]:
    from ..ground.files import write_text
    from ..report.output_folder import make_folder, write_run_file
    from ..verification.charts import charts
    from ..verification.report_page import report_page

    make_folder(folder / "plots")
    figures = {name: chart.svg() for name, chart in charts(verification).items()}
    texts = {folder / "report.html": report_page(verification, advice, figures)}
    texts |= {folder / "plots" / f"{name}.svg": f"{svg}\n" for name, svg in figures.items()}
    for path, text in texts.items():
        write_text(path, text)
    report, *plots = texts
    return [report, write_run_file(verification.run, folder, program=verification.text), *plots]


def add_margin(command: CommandParser) -> None:
    """Add the part of every torque that stays in reserve."""
    command.add_argument(
        "--margin",
        type=part_of,
        metavar="PART",
        default="0",
        help="part of every torque (0 to 1, or 5%%) in reserve",
    )
