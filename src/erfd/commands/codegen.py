"""`erfd codegen`: C99 and NumPy code of one quantity, or of a cycle of Algorithm 1."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..errors import InputError
from .common import add_choices, add_json, add_robot, load_robot, print_json
from .parser import add_command, number

STEP = "achievable_step"
STEP_CHOICES = ("policy", "follow", "torque_path")


def add(commands: Any) -> None:
    """Put the command on the command line."""
    command = add_command(
        commands, "codegen", "C99 and NumPy code of one quantity", run_codegen,
        "erfd codegen lola15 --quantity inverse_dynamics --out code",
    )  # fmt: skip
    add_robot(command)
    command.add_argument(
        "--quantity", default="forward_dynamics", metavar="NAME",
        help=f"such as inverse_dynamics, mass_matrix, bias, or {STEP}",
    )  # fmt: skip
    command.add_argument(
        "--method", default="auto", metavar="NAME", help="the formulation (erfd opcount lists them)"
    )
    command.add_argument("--wrench", action="store_true", help="with an end-effector wrench")
    step = command.add_argument_group("of --quantity achievable_step, one cycle of Algorithm 1")
    step.add_argument("--dt", type=number, metavar="S", help="cycle time, s (the controller's)")
    step.add_argument("--payload", action="store_const", const=True, help="with a payload")
    add_choices(step, *STEP_CHOICES, defaults=False)
    text = "also main.c and CMakeLists.txt: a program that reads a trajectory (CSV)"
    step.add_argument("--program", action="store_const", const=True, help=text)
    command.add_argument(
        "--name", metavar="NAME", help="of the function and the files (ROBOT_QUANTITY)"
    )
    command.add_argument(
        "--out", default=".", metavar="DIR", help="folder for the files (default: this one)"
    )
    add_json(command)


def run_codegen(options: argparse.Namespace) -> None:
    """Write the code of one quantity."""
    written = _write_step(options) if options.quantity == STEP else _write_quantity(options)
    if options.json:
        print_json([str(path) for path in written], None)
    else:
        print("\n".join(f"wrote {path}" for path in written))


def _write_quantity(options: argparse.Namespace) -> list[Path]:
    from ..codegen.generate import generate

    for name in ("dt", "payload", "program", *STEP_CHOICES):
        if getattr(options, name) is not None:
            raise InputError(f"--{name.replace('_', '-')}: only --quantity {STEP} takes it")
    return generate(
        load_robot(options),
        options.quantity,
        method=options.method,
        wrench=options.wrench,
        out=Path(options.out),
        name=options.name,
    )


def _write_step(options: argparse.Namespace) -> list[Path]:
    from ..codegen.cycle.generate import generate_step
    from ..codegen.cycle.program import generate_program

    if options.method != "auto":
        raise InputError(f"--method: {STEP} has one, 'auto', found {options.method!r}")
    robot = load_robot(options)
    chosen = {name: getattr(options, name) for name in STEP_CHOICES if getattr(options, name)}
    write = generate_program if options.program else generate_step
    return write(
        robot,
        robot.cycle_time if options.dt is None else options.dt,
        wrench=options.wrench,
        payload=bool(options.payload),
        out=Path(options.out),
        name=options.name,
        **chosen,
    )
