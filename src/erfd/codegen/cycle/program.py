"""A program in C around the generated cycle: a trajectory as CSV in, the achieved motion out."""

from __future__ import annotations

from pathlib import Path
from string import Template
from typing import Any

from ...errors import InputError
from ...robot.model import Robot
from ..generate import function_name, write_all
from .generate import generate_step
from .program_text import BUILD, LOADS, PAYLOAD_OPTION, PROGRAM, READER, WRENCH_OPTION
from .source import prefix_of

OWN = (
    "cells", "complete", "cut", "fail", "fail_at", "line", "place_of", "read_header",
    "read_motion", "read_number", "read_numbers", "write_header", "write_row",
)  # fmt: skip
"""What main.c calls its own."""


def generate_program(
    robot: Robot,
    dt: float,
    *,
    out: Path | str,
    wrench: bool = False,
    payload: bool = False,
    name: str | None = None,
    **options: Any,
) -> list[Path]:
    """Write a cycle of Algorithm 1, and main.c and CMakeLists.txt that make a program of it.

    The program does what `erfd achieve` does: it reads a trajectory (CSV: t, q1..qn and perhaps
    qd1..qdn) and writes what the motors achieve of it. It is C99, which is C++17, too.

    Args:
        robot: The arm, with a drive for every joint.
        dt: The cycle time, s, until a trajectory says another.
        out: The folder, made if it is not there.
        wrench: Whether the program takes --wrench.
        payload: Whether it takes --payload.
        name: NAME of the function and its files; ROBOT_achievable_step if left out.
        options: What else `generate_step` takes.

    Returns:
        The paths of the files.

    Raises:
        InputError: An argument does not fit, or a file cannot be written.
    """
    given, name = name, function_name(robot, "achievable_step", name)
    if name in OWN:
        raise InputError(f"name: {name!r} is a function of main.c, expected another")
    paths = generate_step(robot, dt, wrench=wrench, payload=payload, out=out, name=given, **options)
    prefix = prefix_of(name)
    loads = [word for word, given in (("wrench", wrench), ("payload", payload)) if given]
    usage = {"wrench": " [--wrench FX FY FZ MX MY MZ]", "payload": " [--payload KG X Y Z]"}
    choices = {"wrench": WRENCH_OPTION, "payload": PAYLOAD_OPTION}
    values = {
        "name": name,
        "prefix": prefix,
        "upper": prefix.upper(),
        "n": robot.n,
        "title": " ".join((robot.title or robot.name).split()).replace("*/", "* /"),
        "usage": "".join(usage[word] for word in loads),
        "reader": READER if loads else "",
        "declared": "".join(LOADS[word] for word in loads),
        "choices": "".join(Template(choices[word]).substitute(prefix=prefix) for word in loads),
        "arguments": "".join(f" {word}," for word in loads),
    }
    texts = {
        "main.c": Template(PROGRAM).substitute(values),
        "CMakeLists.txt": Template(BUILD).substitute(values),
    }
    return [*paths, *write_all(Path(out), texts)]
