"""`erfd study`: how sure is the verdict on a program, if what it was told varies?"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .common import add_choices, add_json, print_result, print_written
from .motion import is_motion
from .parser import CommandParser, add_command, number, whole_number
from .verify import (
    add_verification,
    motion_arguments,
    print_mistakes,
    progress,
    verification_arguments,
)

if TYPE_CHECKING:
    from ..studies.result import Study
    from ..studies.searches import Largest
READING = ("follow", "torque_path")
NUMBERS = ("samples", "seed", "sampling", "confidence", "precision", "require", "probability")


def add(commands: Any) -> None:
    """Put the command on the command line."""
    command = add_command(
        commands, "study", "how sure is the verdict, if payload, friction, ... vary?", run_study,
        "erfd study pick_and_place --robot lola15 --vary 'payload=normal(5, 0.3)' --out study",
    )  # fmt: skip
    add_verification(command, motion=True, robot_required=False)
    add_choices(command, *READING)
    _add_study(command)
    command.add_argument(
        "--out", metavar="DIR", help="report.html, variants.parquet, worst.parquet"
    )
    add_json(command)


def _add_study(command: CommandParser) -> None:
    group = command.add_argument_group("the study (or in a study.toml in place of the program)")
    group.add_argument(
        "--vary", action="append", default=[], metavar="NAME=..",
        help="payload=normal(5, 0.3), friction=0.8..1.2, torque=[0.9, 1], ..., or a table (.csv,"
        " .parquet); angles in degrees",
    )  # fmt: skip
    group.add_argument("--samples", type=whole_number, metavar="N", help="variants (default 1000)")
    group.add_argument("--seed", type=whole_number, metavar="K", help="of the draws (default 0)")
    group.add_argument(
        "--sampling", choices=("random", "lhs", "sobol", "grid"), help="(default random)"
    )
    group.add_argument(
        "--confidence", type=number, metavar="PART", help="of the intervals, 0 to 1 (default 0.95)"
    )
    group.add_argument(
        "--precision",
        type=number,
        metavar="PART",
        help="0 to 1: stop when the interval reaches no further",
    )
    group.add_argument(
        "--require", type=number, metavar="P",
        help="exit with 1 unless the probability (0 to 1) is surely at least this",
    )  # fmt: skip
    group.add_argument(
        "--probability", type=number, metavar="P",
        help="0 to 1: also the largest payload and override that hold with it",
    )  # fmt: skip
    group.add_argument(
        "--fails-at", metavar="NAME", help="also the value of a name at which it fails: payload"
    )
    group.add_argument("--cluster", metavar="HOST:PORT", help="the scheduler of a Dask cluster")
    group.add_argument("--resume", action="store_true", help="go on with what is begun in --out")


def run_study(options: argparse.Namespace) -> int:
    """Study, print, write; 1 if --require is not met."""
    from ..lirl import ProgramError
    from ..studies.page import print_study, study_data
    from ..studies.study import study

    vary = _read(options)
    if options.robot is None:
        raise InputError("expected a robot (--robot ROBOT, or robot in the study file), found none")
    if options.resume and not options.out:
        raise InputError("--resume: expected --out with the folder of the study, found none")
    require = _probability("--require", options.require)
    asked = _probability("--probability", options.probability)
    what, arguments = _subject(options)
    chosen = {name: getattr(options, name) for name in NUMBERS[:5]}
    arguments |= {name: value for name, value in chosen.items() if value is not None}
    arguments |= {name: getattr(options, name) for name in READING}
    names = {"vary": vary, "cluster": options.cluster, "out": options.out, "resume": options.resume}
    with progress("study", 1.2) as tell:
        try:
            found = study(what, **arguments, **names, tell=tell)
        except ProgramError as error:
            return print_mistakes(error, str(what), options)
        except KeyboardInterrupt:
            if options.out:
                again = f"--resume goes on with the parts that are whole in {options.out}"
                print(f"erfd: stopped; {again}", file=sys.stderr)
            raise
        held = _held(found, asked, tell)
        failing = (
            (options.fails_at, *found.fails_at(options.fails_at)) if options.fails_at else None
        )
        written = _write(found, held, Path(options.out), tell) if options.out else []
    print_result(options, study_data, print_study, found, held, failing)
    print_written(options, written)
    if require is None:
        return 0
    interval = found.interval
    if interval is None:
        raise InputError(f"--require: expected draws at random, found a {found.sampling.method}")
    return 0 if interval[0] >= require else 1


def _read(options: argparse.Namespace) -> Any:
    """What varies, from --vary and a study file, whose words stand where the options have none."""
    from ..studies.study_file import read_study_file, typed_distributions

    said: dict[str, Any] = {}
    vary: dict[str, str] = {}
    if options.program.endswith(".toml"):
        path = Path(options.program)
        said = read_study_file(path)
        if "program" not in said:
            raise InputError(f"{path}: expected a program, found none")
        options.program, vary = said["program"], dict(said["vary"])
        options.robot = options.robot or said.get("robot")
        for name in NUMBERS:
            if getattr(options, name) is None:
                setattr(options, name, said.get(name))
        for name, value in said["setup"].items():
            if getattr(options, name) in (None, False, 0.0, *_defaults(name)):
                setattr(options, name, _worded(value))
    for word in options.vary:
        name, equals, text = word.partition("=")
        if not equals and len(options.vary) == 1 and not vary:
            return Path(word)
        if not equals:
            raise InputError(f"--vary: expected NAME=DISTRIBUTION, found {word!r:.60}")
        vary[name.strip()] = text.strip()
    if not vary:
        raise InputError("--vary: expected NAME=DISTRIBUTION or a table, found none")
    return typed_distributions(vary, "--vary")


def _defaults(name: str) -> tuple[Any, ...]:
    from .common import CHOICES

    return CHOICES[name][:1] if name in READING else ()


def _worded(value: Any) -> Any:
    """A value of a study file as the command line has it."""
    if isinstance(value, list):
        return ",".join(str(x) for x in value)
    return value if isinstance(value, bool | float) else str(value)


def _subject(options: argparse.Namespace) -> tuple[Any, dict[str, Any]]:
    """The program or the motion, and the set-up."""
    from ..ground.examples import program_path
    from ..planning.motion_files.reading import check_start
    from .lirl import program_text

    if is_motion(options):
        arguments = motion_arguments(options)
        reading = arguments.pop("motion")
        check_start(reading, arguments["robot"])
        for note in reading.notes:
            print(f"erfd: note: {reading.name}: {note}", file=sys.stderr)
        for name in ("degrees", "resample", "joints", "topic", "dt"):
            arguments.pop(name, None)
        return reading.trajectory, arguments
    path = program_path(options.program)
    arguments = verification_arguments(options, path)
    return program_text(options.program)[0], arguments | {"name": path.stem}


def _probability(name: str, value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
        raise InputError(f"{name}: expected a probability between 0 and 1, found {value!r:.40}")
    return float(value)


def _held(found: Study, asked: float | None, tell: Any) -> list[Largest]:
    """The largest payload and override that hold with the probability that is asked for."""
    if asked is None:
        return []
    held = []
    for k, name in enumerate(("payload", "speed")):
        tell(1.0 + 0.05 * k, f"largest {name}")
        held.append(found.largest(name, asked))
    return held


def _write(found: Study, held: list[Largest], folder: Path, tell: Any) -> list[Path]:
    """Write the report, the pictures, the data and the worst run; the table is there."""
    from ..ground.files import write_text
    from ..ground.json_text import json_text
    from ..report.output_folder import make_folder
    from ..run.write import write_parquet
    from ..studies.campaign import TABLE
    from ..studies.page import study_data, study_figures, study_page

    tell(1.1, "writing")
    make_folder(folder / "plots")
    figures = study_figures(found)
    texts = {folder / "report.html": study_page(found, held, figures)}
    texts[folder / "study.json"] = json_text(study_data(found, held), indent=2) + "\n"
    texts |= {folder / "plots" / f"{name}.svg": f"{svg}\n" for name, svg in figures.items()}
    for path, text in texts.items():
        write_text(path, text)
    paths = [folder / TABLE, *texts]
    if found.errors < len(found):
        write_parquet(found.worst, folder / "worst.parquet",
                      program=found.evaluator.subject.text or "")  # fmt: skip
        paths.append(folder / "worst.parquet")
    return paths
