"""`erfd simulate`: how an arm moves under torques or voltages."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import InputError
from .common import (
    add_choices,
    add_degrees,
    add_json,
    add_loads,
    add_robot,
    joint_numbers,
    load_robot,
    loads_of,
    named_options,
    print_result,
    print_written,
)
from .parser import add_command, number, whole_number

OPTIONS = {
    "duration": "--time", "steps": "--time", "dt": "--dt", "record_every": "--every", "q0": "--q0",
}  # fmt: skip
"""The options that give the arguments of `simulate`, where their names differ."""
KINDS = ("torque", "voltage", "joint_torque")


def add(commands: Any) -> None:
    """Put the command on the command line."""
    command = add_command(
        commands, "simulate", "how the arm moves under torques or voltages", run_simulate,
        "erfd simulate lola15 --torque 1,-5,3,0.3,-0.2,0.1 --time 0.5 --q0 0,10,-20,0,-45,0",
    )  # fmt: skip
    add_robot(command)
    inputs = command.add_mutually_exclusive_group(required=True)
    words = {
        "torque": "of the motors in N m (of the joints, if the robot has no drives)",
        "voltage": "of the motors in V",
        "joint_torque": "at the joints in N m, N, as if there were no drives",
    }
    for kind, text in words.items():
        name = f"--{kind.replace('_', '-')}"
        inputs.add_argument(name, metavar="FILE|V1,..,VN", help=f"{text}: a schedule, or constant")
    command.add_argument(
        "--time", type=number, metavar="S", help="how long, s (a schedule says it)"
    )
    command.add_argument("--dt", type=number, default=0.001, metavar="S", help="step, s")
    add_choices(command, "method")
    command.add_argument("--q0", metavar="Q1,..,QN", help="position at the start, degrees (m) (0)")
    command.add_argument(
        "--qd0", metavar="V1,..,VN", help="velocity at the start, degrees/s (m/s) (0)"
    )
    add_degrees(command)
    add_loads(command)
    command.add_argument(
        "--stops", default="error", choices=("error", "inelastic", "none"),
        help="what a joint does at its limit: end the simulation, stop there, or pass it",
    )  # fmt: skip
    command.add_argument(
        "--every", type=whole_number, default=1, metavar="K", help="record every K-th step"
    )
    command.add_argument("--out", metavar="DIR", help="folder for the run, its summary and plots")
    add_json(command)


def run_simulate(options: argparse.Namespace) -> int:
    """Simulate, print and write; 1 if an input was beyond the limit of its motor."""
    from ..forward.simulate import simulate
    from ..report.tables.simulation import print_simulation, simulation_data

    robot = load_robot(options)
    rest = [0.0] * robot.n
    kind = next(k for k in KINDS if getattr(options, k) is not None)
    stops = None if options.stops == "none" else options.stops
    q0 = joint_numbers("--q0", options.q0, robot, within=stops is not None) or rest
    with named_options(**OPTIONS), _progress() as progress:
        run = simulate(
            robot,
            q0,
            joint_numbers("--qd0", options.qd0, robot) or rest,
            _input(kind, getattr(options, kind), robot.n),
            duration=options.time,
            dt=options.dt,
            method=options.method,
            kind=kind,
            **loads_of(options),
            stops=stops,
            record_every=options.every,
            progress=progress,
        )
    print_result(options, simulation_data, print_simulation, run)
    if options.out:
        from ..report.output_folder import write_simulation_folder

        print_written(options, write_simulation_folder(run, Path(options.out)))
    return int(any(event.kind != "position limit" for event in run.events))


def _input(kind: str, text: str, n: int) -> Any:
    """The input of a simulation: numbers between commas, or the path of a file."""
    try:
        values = [float(word) for word in text.split(",")]
    except ValueError:
        return Path(text)
    if len(values) != n:
        name = f"--{kind.replace('_', '-')}"
        expected = f"{n} numbers between commas, or a file"
        raise InputError(f"{name}: expected {expected}, found {text!r}")
    return values


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A progress bar on the terminal: a context that gives the function that moves it."""
    from rich.console import Console
    from rich.progress import Progress

    terminal = Console(stderr=True)
    off = not terminal.is_terminal
    with Progress(console=terminal, transient=True, disable=off) as bar:
        task = bar.add_task("simulating", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
