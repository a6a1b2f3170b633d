"""What the commands share: robots and numbers from the command line, the terminal."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from ..errors import InputError

if TYPE_CHECKING:
    from ..robot.payload import Payload


def add_robot(command: argparse.ArgumentParser) -> None:
    """The robot as first argument, and the chain of a URDF."""
    command.add_argument("robot", help="a bundled name, or a .toml or .urdf file")
    command.add_argument("--base", help="URDF: first link of the chain")
    command.add_argument("--tip", help="URDF: last link of the chain")


def add_json(command: argparse.ArgumentParser) -> None:
    """The switch for programs."""
    command.add_argument("--json", action="store_true", help="for programs")


def load_robot(options: argparse.Namespace) -> Any:
    """The robot that the options name."""
    from ..robot.library import load

    return load(options.robot, base=options.base, tip=options.tip)


def console() -> Any:
    """The terminal; into a file or pipe it is wide enough that no table is cut."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else 160)


def numbers(name: str, text: str | None, lengths: tuple[int, ...]) -> tuple[float, ...] | None:
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


def wrench_of(options: argparse.Namespace) -> tuple[float, ...] | None:
    """--wrench as six numbers; a force alone has no moment."""
    found = numbers("--wrench", options.wrench, (3, 6))
    return None if found is None else (*found, 0.0, 0.0, 0.0)[:6]


def payload_of(options: argparse.Namespace) -> Payload | None:
    """--payload as a mass at a point of the tool frame, its origin if none is given."""
    found = numbers("--payload", options.payload, (1, 4))
    if found is None:
        return None
    from ..robot.payload import Payload

    mass, x, y, z = (*found, 0.0, 0.0, 0.0)[:4]
    return Payload(mass, (x, y, z))
