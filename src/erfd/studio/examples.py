"""The example programs and cells that come with the studio."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

from ..robot.library import robots


def example_texts() -> dict[str, str]:
    """Example programs by name."""
    texts: dict[str, str] = {}
    for folder in _folders():
        for path in sorted(folder.glob("*.irl")):
            texts.setdefault(path.stem, path.read_text(encoding="utf-8"))
    return texts


def example_setup(name: str) -> dict[str, Any]:
    """What an example is meant for: the robot that its name begins with, and its tool's force."""
    robot = next((robot for robot in robots() if name.startswith(robot)), None)
    setup: dict[str, Any] = {"robot": robot} if robot else {}
    if name == "lola15_demo":
        setup["wrench"] = [100.0, 100.0, -150.0, 0.0, 0.0, 0.0]  # f_e of the demonstration (001)
    setup["signals"] = next(
        (text for folder in _folders() if (text := signals_text_beside(folder / name))), ""
    )
    return setup


def signals_text_beside(program: Path) -> str:
    """The schedule NAME.signals.csv beside the program NAME.irl as text; empty if there is none."""
    path = program.with_suffix(".signals.csv")
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def example_cells() -> dict[str, Path]:
    """Example cells by name."""
    return {path.stem: path for path in sorted((_package() / "cells").glob("*.toml"))}


def _package() -> Path:
    return Path(str(resources.files("erfd.studio")))


def _folders() -> list[Path]:
    """Inside the package; in a source tree also the repository's own examples."""
    package = _package()
    repository = package.parents[2] / "examples"
    return [folder for folder in (package / "programs", repository) if folder.is_dir()]
