"""`erfd codegen`, `bench`, `cache`: write, measure and list compiled equations."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from ..errors import InputError
from .common import add_json, add_robot, console, load_robot

STEP = "achievable_step"
STEP_CHOICES = ("policy", "follow", "torque_path")


def add(commands: Any) -> None:
    """Put the commands on the command line."""
    command = commands.add_parser("codegen", help="C99 and NumPy code of one quantity")
    command.set_defaults(run=run_codegen)
    add_robot(command)
    command.add_argument("--quantity", default="forward_dynamics")
    command.add_argument("--method", default="auto")
    command.add_argument("--wrench", action="store_true", help="with an end-effector wrench")
    step = command.add_argument_group("of --quantity achievable_step, one cycle of Algorithm 1")
    step.add_argument("--dt", type=float, metavar="S", help="cycle time")
    step.add_argument("--payload", action="store_const", const=True, help="with a payload")
    step.add_argument("--policy", choices=("consistent", "printed"))
    step.add_argument("--follow", choices=("velocity", "position"))
    step.add_argument("--torque-path", choices=("virtual-work", "diagonal"))
    command.add_argument("--name", help="of the function and the files (ROBOT_QUANTITY)")
    command.add_argument("--out", default=".", metavar="DIR", help="folder for the files")
    add_json(command)

    command = commands.add_parser("bench", help="speed beside Pinocchio and other peers")
    command.set_defaults(run=run_bench)
    command.add_argument("robot", nargs="?", default="lola15", help="a bundled name or a file")
    command.add_argument("--quick", action="store_true", help="fewer and shorter measurements")
    command.add_argument("--out", metavar="FILE.json", help="where to save the figures")
    add_json(command)

    command = commands.add_parser("cache", help="the compiled kernels on disk")
    command.set_defaults(run=run_cache)
    command.add_argument("action", choices=("info", "clear"))
    add_json(command)


def run_codegen(options: argparse.Namespace) -> None:
    """Write the code of one quantity."""
    written = _write_step(options) if options.quantity == STEP else _write_quantity(options)
    if options.json:
        print(json.dumps([str(path) for path in written]))
    else:
        print("\n".join(f"wrote {path}" for path in written))


def _write_quantity(options: argparse.Namespace) -> list[Path]:
    from ..codegen.generate import generate

    for name in ("dt", "payload", *STEP_CHOICES):
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

    if options.method != "auto":
        raise InputError(f"--method: {STEP} has one, 'auto', found {options.method!r}")
    if options.dt is None:
        raise InputError(f"--dt: {STEP} needs the cycle time in s, such as --dt 0.01, found none")
    chosen = {name: getattr(options, name) for name in STEP_CHOICES if getattr(options, name)}
    return generate_step(
        load_robot(options),
        options.dt,
        wrench=options.wrench,
        payload=bool(options.payload),
        out=Path(options.out),
        name=options.name,
        **chosen,
    )


def run_bench(options: argparse.Namespace) -> None:
    """Measure the speed, print and save it."""
    from rich.console import Console

    from ..bench.run import print_bench, require_place, run, save
    from ..robot.library import load

    robot = load(options.robot)
    if options.out:
        require_place(Path(options.out))
    data = run(robot, quick=options.quick, progress=Console(stderr=True))
    if options.out:
        save(data, Path(options.out))
    if options.json:
        print(json.dumps(data, indent=2))
    else:
        print_bench(data, console())


def run_cache(options: argparse.Namespace) -> None:
    """Show or empty the cache of compiled kernels."""
    from ..kernels import cache

    if options.action == "clear":
        removed = cache.clear()
        print(json.dumps({"removed": removed}) if options.json else f"removed {removed} files")
        return
    info = cache.info()
    if options.json:
        print(json.dumps(info, indent=2))
        return
    from ..report.tables.table import print_table

    title = f"{info['folder']}: {info['kernels']} kernels, {info['bytes'] / 1e6:.2f} MB"
    rows = [
        (e["file"][:12], "broken", "-", "-", f"{e['bytes']}")
        if e.get("broken")
        else (e["file"][:12], e["robot"], e["quantity"], e["method"], f"{e['bytes']}")
        for e in info["entries"]
    ]
    columns = ("file", "robot", "quantity", "method", "bytes")
    print_table(console(), title, columns, rows, left=(0, 1, 2, 3))
