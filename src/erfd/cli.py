"""The `erfd` command.

Exit codes: 0 done, 1 done and the motion is not feasible, 2 wrong input or use.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from . import __version__
from .errors import ErfdError, InputError


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(
        prog="erfd", description="Effective robot forward dynamics: can this arm do that motion?"
    )
    top.add_argument("--version", action="version", version=f"erfd {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    command = commands.add_parser("robots", help="list the bundled robots")
    command.set_defaults(run=run_robots)
    _json(command)

    command = commands.add_parser("show", help="print a robot's kinematics, inertia and drives")
    command.set_defaults(run=run_show)
    _robot(command)
    _json(command)

    command = commands.add_parser("opcount", help="count the operations of every formulation")
    command.set_defaults(run=run_opcount)
    _robot(command)
    quantities = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "bias", "cycle")
    command.add_argument("--quantity", default="forward_dynamics", choices=quantities)
    command.add_argument("--method", help="one method only")
    command.add_argument("--wrench", action="store_true", help="with an end-effector wrench")
    _json(command)

    command = commands.add_parser("achieve", help="what the motors achieve of a trajectory")
    command.set_defaults(run=run_achieve)
    _robot(command)
    command.add_argument("trajectory", help="CSV: t, q1..qn and perhaps qd1..qdn")
    command.add_argument("--degrees", action="store_true", help="angles in degrees, not radians")
    command.add_argument("--resample", action="store_true", help="derive the velocities from q")
    command.add_argument(
        "--wrench", metavar="FX,FY,FZ[,MX,MY,MZ]", help="on the environment, N, N m"
    )
    command.add_argument(
        "--payload", metavar="KG[,X,Y,Z]", help="mass, mass centre in the tool frame"
    )
    command.add_argument("--policy", default="consistent", choices=("consistent", "printed"))
    command.add_argument("--follow", default="velocity", choices=("velocity", "position"))
    paths = ("virtual-work", "diagonal")
    command.add_argument("--torque-path", default="virtual-work", choices=paths)
    command.add_argument("--out", metavar="DIR", help="folder for the run, its events and plots")
    _json(command)

    command = commands.add_parser("codegen", help="C99 and NumPy code of one quantity")
    command.set_defaults(run=run_codegen)
    _robot(command)
    command.add_argument("--quantity", default="forward_dynamics")
    command.add_argument("--method", default="auto")
    command.add_argument("--wrench", action="store_true", help="with an end-effector wrench")
    command.add_argument("--name", help="of the function and the files (ROBOT_QUANTITY)")
    command.add_argument("--out", default=".", metavar="DIR", help="folder for the files")
    _json(command)

    command = commands.add_parser("bench", help="speed beside Pinocchio and other peers")
    command.set_defaults(run=run_bench)
    command.add_argument("robot", nargs="?", default="lola15", help="a bundled name or a file")
    command.add_argument("--quick", action="store_true", help="fewer and shorter measurements")
    command.add_argument("--out", metavar="FILE.json", help="where to save the figures")
    _json(command)

    command = commands.add_parser("cache", help="the compiled kernels on disk")
    command.set_defaults(run=run_cache)
    command.add_argument("action", choices=("info", "clear"))
    _json(command)

    command = commands.add_parser("equations", help="H, C and g in closed form, up to 3 joints")
    command.set_defaults(run=run_equations)
    _robot(command)
    command.add_argument("--joints", type=int, metavar="N", help="only the first N joints")
    command.add_argument("--latex", action="store_true", help="as LaTeX")
    command.add_argument("--numeric", action="store_true", help="with the robot's numbers put in")
    return top


def _robot(command: argparse.ArgumentParser) -> None:
    command.add_argument("robot", help="a bundled name, or a .toml or .urdf file")
    command.add_argument("--base", help="URDF: first link of the chain")
    command.add_argument("--tip", help="URDF: last link of the chain")


def _json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="for programs")


def _load(options: argparse.Namespace) -> Any:
    from .robot.library import load

    return load(options.robot, base=options.base, tip=options.tip)


def _console() -> Any:
    from rich.console import Console

    # into a file or pipe: wide enough that no table is cut
    return Console(highlight=False, width=None if sys.stdout.isatty() else 160)


def run_robots(options: argparse.Namespace) -> None:
    """List the bundled robots."""
    from .robot.library import load, robots

    found = [load(name) for name in robots()]
    if options.json:
        print(json.dumps([{"name": r.name, "n": r.n, "title": r.title} for r in found], indent=2))
        return
    from .report.robot_tables import print_table

    rows = []
    for robot in found:
        kinds = "".join("R" if joint.revolute else "P" for joint in robot.joints)
        rows.append((robot.name, kinds, f"{sum(k.mass for k in robot.links):g}", robot.title))
    print_table(_console(), "Bundled robots", ("name", "joints", "mass kg", ""), rows, left=(0, 3))


def run_show(options: argparse.Namespace) -> None:
    """Print one robot."""
    from .report.robot_tables import print_robot, robot_data

    robot = _load(options)
    if options.json:
        print(json.dumps(robot_data(robot), indent=2))
    else:
        print_robot(robot, _console())


def run_opcount(options: argparse.Namespace) -> None:
    """Count operations."""
    from rich.console import Console

    from .report.count_tables import count_data, print_counts

    progress = Console(stderr=True)
    data = count_data(_load(options), options.quantity, options.method, options.wrench, progress)
    if options.json:
        print(json.dumps(data, indent=2))
    else:
        print_counts(data, _console())


def run_achieve(options: argparse.Namespace) -> int:
    """Algorithm 1 on a trajectory; 1 if the motors cannot do it."""
    from pathlib import Path

    from .report.run_tables import print_run, run_data
    from .robot.payload import Payload
    from .simulation.achieve import achievable
    from .simulation.csv_trajectory import read_trajectory

    robot = _load(options)
    path = Path(options.trajectory)
    trajectory = read_trajectory(path, robot.n, degrees=options.degrees, resample=options.resample)
    wrench = _numbers("--wrench", options.wrench, (3, 6))
    carried = _numbers("--payload", options.payload, (1, 4))
    payload = None
    if carried:
        x, y, z = (*carried[1:], 0.0, 0.0, 0.0)[:3]
        payload = Payload(carried[0], (x, y, z))
    run = achievable(
        robot,
        trajectory,
        policy=options.policy,
        follow=options.follow,
        torque_path=options.torque_path,
        wrench=None if wrench is None else (*wrench, 0.0, 0.0, 0.0)[:6],
        payload=payload,
    )
    if options.json:
        print(json.dumps(run_data(run), indent=2))
    else:
        print_run(run, _console())
    if options.out:
        from .report.keep import keep_run

        for written in keep_run(run, Path(options.out)):
            print(f"wrote {written}", file=sys.stderr if options.json else sys.stdout)
    return 0 if run.feasible else 1


def _numbers(name: str, text: str | None, lengths: tuple[int, ...]) -> tuple[float, ...] | None:
    """Numbers between commas, as many as one of `lengths` says."""
    if text is None:
        return None
    try:
        values = tuple(float(word) for word in text.split(","))
    except ValueError:
        values = ()
    if len(values) not in lengths:
        expected = " or ".join(str(k) for k in lengths)
        raise InputError(f"{name}: expected {expected} numbers between commas, found {text!r}")
    return values


def run_codegen(options: argparse.Namespace) -> None:
    """Write the code of one quantity."""
    from pathlib import Path

    from .codegen.generate import generate

    written = generate(
        _load(options),
        options.quantity,
        method=options.method,
        wrench=options.wrench,
        out=Path(options.out),
        name=options.name,
    )
    if options.json:
        print(json.dumps([str(path) for path in written]))
    else:
        print("\n".join(f"wrote {path}" for path in written))


def run_bench(options: argparse.Namespace) -> None:
    """Measure, print and save."""
    from pathlib import Path

    from rich.console import Console

    from .bench.run import print_bench, run, save
    from .robot.library import load

    data = run(load(options.robot), quick=options.quick, progress=Console(stderr=True))
    if options.out:
        save(data, Path(options.out))
    if options.json:
        print(json.dumps(data, indent=2))
    else:
        print_bench(data, _console())


def run_cache(options: argparse.Namespace) -> None:
    """Show or empty the cache of compiled kernels."""
    from .kernels import cache

    if options.action == "clear":
        removed = cache.clear()
        print(json.dumps({"removed": removed}) if options.json else f"removed {removed} files")
        return
    found = cache.info()
    if options.json:
        print(json.dumps(found, indent=2))
        return
    from .report.robot_tables import print_table

    title = f"{found['folder']}: {found['kernels']} kernels, {found['bytes'] / 1e6:.2f} MB"
    rows = [
        (e["file"][:12], "broken", "-", "-", f"{e['bytes']}")
        if e.get("broken")
        else (e["file"][:12], e["robot"], e["quantity"], e["method"], f"{e['bytes']}")
        for e in found["entries"]
    ]
    columns = ("file", "robot", "quantity", "method", "bytes")
    print_table(_console(), title, columns, rows, left=(0, 1, 2, 3))


def run_equations(options: argparse.Namespace) -> None:
    """Print H, C and g."""
    from .equations import equations
    from .robot.general import first_links

    robot = _load(options)
    if options.joints is not None:
        robot = first_links(robot, options.joints)
    found = equations(robot, numeric=options.numeric)
    print(found.as_latex() if options.latex else found.as_text())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; a user's mistake is one sentence and exit code 2."""
    import warnings

    warnings.showwarning = lambda message, *_: print(f"erfd: note: {message}", file=sys.stderr)
    options = parser().parse_args(arguments)
    try:
        result: int | None = options.run(options)
        sys.stdout.flush()
        return result or 0
    except ErfdError as error:
        print(f"erfd: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # `erfd show lola15 | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
