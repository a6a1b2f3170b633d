"""Helpers of the commands: options, robots and numbers from the command line, the terminal."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .parser import CommandParser

if TYPE_CHECKING:
    from ..lirl import SignalSchedule
    from ..robot.model import Robot
    from ..robot.payload import Payload
    from ..robot.pose import Pose

ROBOT = "a bundled name (erfd robots), or a .toml, .parts.toml, .urdf, .xacro or MJCF .xml file"
ARM_OPTIONS = ("base", "tip", "lock", "package", "nearest-physical")
"""Which arm of its file is meant: options of every command that takes a robot."""
CHOICES = {
    "policy": ("consistent", "printed"),
    "follow": ("velocity", "position"),
    "torque_path": ("virtual-work", "diagonal"),
    "method": ("rk3", "rk4", "semi-implicit", "dop853"),
}
"""Of Algorithm 1 and of integrators, the default first: copies, as NumPy takes long to import."""
CHOICE_HELP = {
    "policy": "how a shortage of torque is shared",
    "follow": "what the arm follows after a shortfall",
    "torque_path": "how joint torques come to the rotors",
    "method": "how it is integrated",
}
LIMIT_SLACK = 1e-6
"""Degrees or m by which a joint may be beyond its limit in what is typed."""
POSE = "X,Y,Z[,A,B,C]"
POSE_HELP = "m, and degrees about z, the new y, the new x"


def add_robot(
    command: CommandParser,
    help: str = ROBOT,
    *,
    required: bool = True,
    default: str | None = None,
) -> None:
    """Add the robot, by its place or by --robot, and which arm of its file is meant."""
    command.add_robot(help, required=required, default=default)
    group = command.add_argument_group("robots of other files (URDF, xacro, MJCF)")
    group.add_argument("--base", metavar="LINK", help="first link of the arm (the root)")
    group.add_argument("--tip", metavar="LINK", help="last link of the arm (the only end)")
    group.add_argument(
        "--lock", metavar="NAME=VALUE", action="append",
        help="where a joint off the arm is fixed, degrees (m); may be repeated",
    )  # fmt: skip
    group.add_argument(
        "--package", metavar="NAME=DIR", action="append",
        help="where the package NAME of package://NAME/.. is; may be repeated",
    )  # fmt: skip
    group.add_argument(
        "--nearest-physical", action="store_true",
        help="replace an inertia that no body has by the nearest one that a body has",
    )  # fmt: skip
    command.add_argument("--drives", metavar="FILE", help="motors and gears by joint")


def add_loads(command: argparse.ArgumentParser) -> None:
    """Add the options --wrench and --payload."""
    command.add_argument(
        "--wrench",
        metavar="FX,FY,FZ[,MX,MY,MZ]",
        help="force (N) and moment (N m) of the tool on the environment, base coordinates",
    )
    command.add_argument(
        "--payload",
        metavar="KG[,X,Y,Z]",
        help="mass (kg) at a point (m) of the tool frame, its origin if left out",
    )


def add_setup(command: argparse.ArgumentParser) -> None:
    """Add the options --tool, --mount, --wrench, --payload and --signals."""
    command.add_argument("--tool", metavar=POSE, help=f"tool frame in the flange: {POSE_HELP}")
    command.add_argument(
        "--mount", metavar="z=0.61,..", help="x= y= z= in m, roll= pitch= yaw= in degrees"
    )
    add_loads(command)
    command.add_argument(
        "--signals", metavar="FILE", help="schedule of the input signals (NAME.signals.csv)"
    )


def add_degrees(command: argparse.ArgumentParser) -> None:
    """Add --degrees, which earlier versions needed: angles of the command line are in degrees."""
    command.add_argument("--degrees", action="store_true", help=argparse.SUPPRESS)


def add_choices(command: Any, *names: str, defaults: bool = True) -> None:
    """Add options of `CHOICES`, with their defaults or without."""
    for name in names:
        default = CHOICES[name][0] if defaults else None
        text = CHOICE_HELP[name] + ("" if defaults else f" (default {CHOICES[name][0]})")
        option = f"--{name.replace('_', '-')}"
        command.add_argument(option, default=default, choices=CHOICES[name], help=text)


def add_json(command: argparse.ArgumentParser) -> None:
    """Add the option --json."""
    command.add_argument("--json", action="store_true", help="for programs")


def print_json(value: Any, indent: int | None = 2) -> None:
    """Print a value as JSON, at once: what is not finite is null."""
    from ..ground.json_text import json_text

    print(json_text(value, indent=indent), flush=True)


def print_result(
    options: argparse.Namespace, data: Callable[..., Any], table: Callable[..., None], *result: Any
) -> None:
    """Print data(*result) as JSON with --json, else table(*result, terminal)."""
    if options.json:
        print_json(data(*result))
    else:
        table(*result, console())


def print_written(options: argparse.Namespace, paths: Iterable[Path]) -> None:
    """Say which files were written; with --json beside the output, which is for programs."""
    for path in paths:
        print(f"wrote {path}", file=sys.stderr if options.json else sys.stdout)


def load_robot(options: argparse.Namespace) -> Robot:
    """Load the robot that the options name."""
    from ..robot.library import TREES, load

    choice = arm_choice(options)
    if choice and Path(options.robot).suffix.lower() not in TREES:
        option = next(o for o in ARM_OPTIONS if getattr(options, o.replace("-", "_")))
        expected = f"--{option}: expected a file of {', '.join(TREES)} as the robot"
        raise InputError(f"{expected}, found {options.robot!r:.60}")
    return load(options.robot, **choice, drives=options.drives)


def arm_choice(options: argparse.Namespace) -> dict[str, Any]:
    """Which arm of its file is meant, as keyword arguments of `erfd.load`."""
    choice: dict[str, Any] = {name: getattr(options, name) for name in ("base", "tip")}
    if options.lock:
        from ..robot.readers.link_tree import Degrees

        choice["locked"] = {}
        for name, value in _assigned("--lock", options.lock, "NAME=VALUE"):
            try:
                choice["locked"][name] = Degrees(value)
            except ValueError:
                expected = f"--lock: expected a number for {name} (degrees, m)"
                raise InputError(f"{expected}, found {value!r:.60}") from None
    choice["packages"] = dict(_assigned("--package", options.package, "NAME=DIR"))
    choice["nearest_physical"] = options.nearest_physical
    return {name: value for name, value in choice.items() if value}


def _assigned(option: str, texts: list[str] | None, form: str) -> Iterator[tuple[str, str]]:
    """Names and values of an option that may be repeated."""
    for text in texts or ():
        name, sign, value = text.partition("=")
        if not (name.strip() and sign and value):
            raise InputError(f"{option}: expected {form}, found {text!r:.60}")
        yield name.strip(), value


def placed_robot(options: argparse.Namespace) -> Robot:
    """Load the robot that the options name, with the pose of --mount and the tool of --tool."""
    robot = load_robot(options)
    if options.mount is not None:
        robot = replace(robot, mount=mount_of(options.mount))
    if options.tool is not None:
        robot = replace(robot, tool=pose_of("--tool", options.tool))
    return robot


def pose_of(name: str, text: str) -> Pose:
    """A pose from text, m and degrees; A, B, C turn about z, the new y, the new x (erratum 23)."""
    from ..robot.pose import Pose

    values = numbers(name, text, (3, 6)) or ()
    x, y, z, *angles = (*values, 0.0, 0.0, 0.0)[:6]
    a, b, c = map(math.radians, angles)
    return Pose((x, y, z), (c, b, a))


def signals_of(options: argparse.Namespace, program: Path) -> SignalSchedule | None:
    """The schedule of --signals, or the one beside the program, if there is one."""
    from ..lirl import read_signal_schedule, signals_beside

    return read_signal_schedule(options.signals) if options.signals else signals_beside(program)


def mount_of(text: str) -> Pose:
    """A pose from `x=..,y=..,z=..` in m and `roll=..,pitch=..,yaw=..` in degrees."""
    from ..robot.pose import Pose

    names = ("x", "y", "z", "roll", "pitch", "yaw")
    values = dict.fromkeys(names, 0.0)
    for word in text.split(","):
        name, _, number = word.partition("=")
        try:
            if name.strip() not in names:
                raise ValueError
            values[name.strip()] = float(number)
        except ValueError:
            expected = f"NAME=NUMBER with {', '.join(names)}"
            raise InputError(f"--mount: expected {expected}, found {word!r:.60}") from None
        if not math.isfinite(values[name.strip()]):
            raise InputError(f"--mount: expected finite numbers, found {word!r:.60}")
    x, y, z, roll, pitch, yaw = (values[name] for name in names)
    return Pose((x, y, z), (math.radians(roll), math.radians(pitch), math.radians(yaw)))


def console() -> Any:
    """The terminal; into a file or pipe it is wide enough that no table is cut."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else 160)


def numbers(name: str, text: str | None, lengths: tuple[int, ...]) -> tuple[float, ...] | None:
    """Read finite numbers between commas, as many as one of `lengths` says."""
    if text is None:
        return None
    try:
        values = tuple(float(word) for word in text.split(","))
    except ValueError:
        values = ()
    if len(values) not in lengths:
        expected = " or ".join(str(k) for k in lengths)
        raise InputError(f"{name}: expected {expected} numbers between commas, found {text!r:.60}")
    if not all(map(math.isfinite, values)):
        raise InputError(f"{name}: expected finite numbers, found {text!r:.60}")
    return values


def joint_numbers(
    name: str, text: str | None, robot: Robot, *, within: bool = False
) -> list[float] | None:
    """Joint positions or velocities (n,) in rad (m) from text in degrees (m).

    `within`: they are positions, which have to be within the limits of the joints.
    """
    values = numbers(name, text, (robot.n,))
    if values is None:
        return None
    for i, (joint, value) in enumerate(zip(robot.joints, values if within else (), strict=within)):
        unit = "degrees" if joint.revolute else "m"
        to_unit = math.degrees if joint.revolute else float
        low, high = to_unit(joint.position_min), to_unit(joint.position_max)
        if not low - LIMIT_SLACK <= value <= high + LIMIT_SLACK:
            bounds = f"{low:g} to {high:g} {unit}"
            raise InputError(f"{name}: expected joint {i + 1} within {bounds}, found {value:g}")
    turns = [joint.revolute for joint in robot.joints]
    return [math.radians(x) if turn else x for x, turn in zip(values, turns, strict=True)]


def wrench_of(options: argparse.Namespace) -> tuple[float, ...] | None:
    """The wrench of --wrench: six numbers, N and N m; a force alone has no moment."""
    values = numbers("--wrench", options.wrench, (3, 6))
    return None if values is None else (*values, 0.0, 0.0, 0.0)[:6]


@contextmanager
def named_options(**names: str) -> Iterator[None]:
    """While this lasts, errors on arguments of functions name the options that gave them."""
    try:
        yield
    except InputError as error:
        argument, colon, rest = str(error).partition(":")
        if argument not in names:
            raise
        raise InputError(f"{names[argument]}{colon}{rest}") from None


def loads_of(options: argparse.Namespace) -> dict[str, Any]:
    """The wrench and the payload as keyword arguments."""
    return {"wrench": wrench_of(options), "payload": payload_of(options)}


def payload_of(options: argparse.Namespace) -> Payload | None:
    """The payload of --payload: a mass (kg) at a point (m) of the tool frame, or its origin."""
    values = numbers("--payload", options.payload, (1, 4))
    if values is None:
        return None
    from ..robot.payload import Payload

    mass, x, y, z = (*values, 0.0, 0.0, 0.0)[:4]
    return Payload(mass, (x, y, z))
