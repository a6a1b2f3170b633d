"""The example programs and cells that come with the studio."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

from ..ground.examples import example_programs
from ..robot.library import robots


def example_texts() -> dict[str, str]:
    """Example programs by name."""
    return {n: path.read_text(encoding="utf-8") for n, path in example_programs().items()}


def example_names() -> tuple[str, ...]:
    """The names of the example programs."""
    return tuple(example_texts())


def example_setup(name: str) -> dict[str, Any]:
    """What an example is meant for: the robot that its name begins with, and its tool's force."""
    robot = next((robot for robot in robots() if name.startswith(robot)), None)
    setup: dict[str, Any] = {"robot": robot} if robot else {}
    if name == "lola15_demo":
        setup["wrench"] = [100.0, 100.0, -150.0, 0.0, 0.0, 0.0]  # f_e of the demonstration (001)
    program = example_programs().get(name)
    setup["signals"] = signals_text_beside(program) if program else ""
    return setup


def signals_text_beside(program: Path) -> str:
    """The schedule NAME.signals.csv beside the program NAME.irl as text; empty if there is none."""
    path = program.with_suffix(".signals.csv")
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def example_cells() -> dict[str, Path]:
    """Example cells by name."""
    folder = Path(str(resources.files("erfd.studio"))) / "cells"
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}
