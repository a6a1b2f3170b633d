"""Write a run into a folder (`--out DIR`): the run, its summary, its plots.

Paths come one by one, as files are written: whatever then goes wrong, what is there can be named.
What needs a package that is not installed is left out with a warning that says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..errors import InputError, MissingDependencyError
from ..ground.caller import warn_caller
from ..ground.files import write_text
from ..ground.json_text import json_text
from ..run.run import Run


def write_run_folder(run: Run, folder: Path) -> Iterator[Path]:
    """Write an achieved run, events.json and the plots; yields the paths."""
    from .plots.run import PLOTS
    from .tables.run import run_data

    make_folder(folder)
    yield _write_json(run_data(run), folder / "events.json")
    yield write_run_file(run, folder)
    yield from _write_plots(run, folder, PLOTS)


def write_simulation_folder(run: Run, folder: Path) -> Iterator[Path]:
    """Write a simulation, summary.json and the plots; yields the paths."""
    from .plots.simulation import PLOTS
    from .tables.simulation import simulation_data

    make_folder(folder)
    yield _write_json(simulation_data(run), folder / "summary.json")
    yield write_run_file(run, folder)
    yield from _write_plots(run, folder, PLOTS)


def _write_plots(
    run: Run, folder: Path, plots: Mapping[str, Callable[[Run], Any]]
) -> Iterator[Path]:
    """Write the plots as PNG, or say what is missing to draw them; yields the paths."""
    from .plots.run import save_figure

    try:
        for name, plot in plots.items():
            yield save_figure(plot(run), folder / f"{name}.png")
    except MissingDependencyError as error:
        warn_caller(f"no plots: {error}")


def make_folder(folder: Path) -> None:
    """Make a folder and those above it; an `InputError` if that cannot be done."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made: {error.strerror}") from None


def write_run_file(run: Run, folder: Path, program: str = "") -> Path:
    """Write run.parquet, or run.csv where pyarrow is missing; returns the path."""
    from ..run.write import write_csv, write_parquet

    try:
        write_parquet(run, folder / "run.parquet", program=program)
        return folder / "run.parquet"
    except MissingDependencyError as error:
        warn_caller(f"no run.parquet but a run.csv: {error}")
        write_csv(run, folder / "run.csv")
        return folder / "run.csv"


def _write_json(data: dict[str, Any], path: Path) -> Path:
    write_text(path, json_text(data, indent=2) + "\n")
    return path
