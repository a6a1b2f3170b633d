"""Write a run into a folder (`--out DIR`): the run, its summary, its plots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import InputError, MissingDependencyError
from ..ground.files import write_text
from ..ground.json_text import json_text
from ..run.run import Run


def write_run_folder(run: Run, folder: Path) -> list[Path]:
    """Write an achieved run, events.json and the plots; returns the paths."""
    from .plots.run import save_all
    from .tables.run import run_data

    make_folder(folder)
    data = _write_json(run_data(run), folder / "events.json")
    return [data, write_run_file(run, folder), *save_all(run, folder)]


def write_simulation_folder(run: Run, folder: Path) -> list[Path]:
    """Write a simulation, summary.json and the plots; returns the paths."""
    from .plots.run import save_figure
    from .plots.simulation import PLOTS
    from .tables.simulation import simulation_data

    make_folder(folder)
    data = _write_json(simulation_data(run), folder / "summary.json")
    kept = write_run_file(run, folder)  # before the plots, which may lack Matplotlib
    plots = [save_figure(plot(run), folder / f"{name}.png") for name, plot in PLOTS.items()]
    return [data, kept, *plots]


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
    except MissingDependencyError:
        write_csv(run, folder / "run.csv")
        return folder / "run.csv"


def _write_json(data: dict[str, Any], path: Path) -> Path:
    write_text(path, json_text(data, indent=2) + "\n")
    return path
