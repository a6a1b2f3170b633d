"""Write one quantity of one robot as C99 and NumPy; it is checked before anything is written."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from ..dynamics import methods
from ..errors import InputError, MethodError
from ..ground.arrays import Array
from ..ground.files import write_text
from ..kernels.count import best_method
from ..kernels.quantities import HAS_METHODS, QUANTITIES
from ..robot.library import robot_of
from ..robot.model import Robot
from .names import TAKEN
from .references import References, references
from .source import QuantitySource, source_of
from .texts import c_text, header_text, python_text, self_test_text


def generate(
    robot: Robot,
    quantity: str = "forward_dynamics",
    *,
    method: str = "auto",
    wrench: bool = False,
    out: Path | str,
    name: str | None = None,
) -> list[Path]:
    """Write one quantity of a robot as NAME.c, NAME.h, NAME_test.c and NAME.py.

    Args:
        robot: The arm; its geometry and inertia become constants of the code.
        quantity: One of `kernels.quantities.QUANTITIES`.
        method: The formulation, or `auto` for the shortest.
        wrench: Whether the end effector's wrench (6,), N and N m, is an argument, too.
        out: The folder, made if it is not there.
        name: NAME, the name of the function; ROBOT_QUANTITY if left out.

    Returns:
        The paths of the files.

    Raises:
        InputError: An argument does not fit, or a file cannot be written.
        MethodError: There is no such quantity or method, or its code would be too inaccurate.

    >>> import erfd, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in generate(erfd.load("two_link"), "bias", out=folder)]
    ['two_link_bias.c', 'two_link_bias.h', 'two_link_bias_test.c', 'two_link_bias.py']
    """
    robot = robot_of(robot)
    method = _checked_method(robot, quantity, method, wrench)
    name = function_name(robot, quantity, name)
    expected = references(robot, quantity, method, wrench)
    source = source_of(robot, quantity, method, wrench=wrench, name=name)
    texts = {
        f"{name}.c": c_text(source),
        f"{name}.h": header_text(source),
        f"{name}_test.c": self_test_text(source, expected),
        f"{name}.py": python_text(source),
    }
    _prove(texts[f"{name}.py"], source, expected)
    return write_all(Path(out), texts)


def _checked_method(robot: Robot, quantity: str, method: str, wrench: bool) -> str:
    """The method that `auto` stands for; a quantity without methods has that of its one text."""
    if quantity not in QUANTITIES:
        if quantity == "achievable_step":
            writer = "codegen.cycle.generate.generate_step"
            raise MethodError(f"quantity: achievable_step is written by {writer}")
        listed = ", ".join((*QUANTITIES, "achievable_step"))
        raise MethodError(f"quantity: expected one of {listed}, found {quantity!r}")
    if wrench and not QUANTITIES[quantity].takes_wrench:
        able = ", ".join(q for q, chosen in QUANTITIES.items() if chosen.takes_wrench)
        raise InputError(f"wrench: {quantity} does not depend on it, these do: {able}")
    if quantity not in HAS_METHODS:
        if method != "auto":
            raise MethodError(f"method: {quantity} has one definition, 'auto', found {method!r}")
        return "ne_link"
    if method == "auto":
        return best_method(robot, quantity, wrench)
    methods.function(method, quantity)
    return method


def function_name(robot: Robot, quantity: str, name: str | None) -> str:
    """The name of the function, one that C, C++ and Python accept."""
    example = re.sub(r"[^A-Za-z0-9]+", "_", robot.name).strip("_")
    if not example[:1].isalpha():
        example = f"robot_{example}".rstrip("_")
    example += f"_{quantity}"
    name = example if name is None else name
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,62}", name):
        sample = example if len(example) < 64 else f"robot_{quantity}"
        expected = f"a C identifier of up to 63 characters such as {sample!r}"
        raise InputError(f"name: expected {expected}, found {name!r}")
    if name in TAKEN:
        raise InputError(f"name: {name!r} has a meaning in C, C++ or Python, try {example!r}")
    return name


def _prove(text: str, source: QuantitySource, expected: References) -> None:
    """Run the generated statements on the reference states; an error if they fail their test."""
    space: dict[str, Any] = {}
    exec(compile(text, f"{source.name}.py", "exec"), space)
    with np.errstate(all="ignore"):
        output = space[source.name](*expected.arguments)
    results: Sequence[Array] = output if isinstance(output, tuple) else (output,)
    worst = 0.0
    for computed, wanted, scale in zip(results, expected.results, expected.scales(), strict=True):
        error = np.abs(computed.reshape(wanted.shape) - wanted).max() / scale
        worst = max(worst, math.inf if math.isnan(error) else float(error))
    if not worst <= expected.tolerance:
        raise MethodError(
            f"{source.title} errs by {worst:.1e} at its reference states, expected up to"
            f" {expected.tolerance:.1e}: choose another method"
        )


def write_all(folder: Path, texts: dict[str, str]) -> list[Path]:
    """Write all files of a folder, or none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made a folder: {error.strerror}") from None
    paths = {folder / name: text for name, text in texts.items()}
    fresh = [path for path in paths if not path.exists()]
    try:
        for path, text in paths.items():
            write_text(path, text)
    except BaseException:
        for path in fresh:
            with suppress(OSError):
                path.unlink()
        raise
    return list(paths)
