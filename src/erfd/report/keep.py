"""What `--out DIR` leaves in a folder: the run, its events, its plots."""

from __future__ import annotations

import json
from pathlib import Path

from ..errors import InputError, MissingDependencyError
from ..robot.files import write_text
from ..simulation.record import Run
from .run_tables import run_data


def keep_run(run: Run, folder: Path) -> list[Path]:
    """Write run.parquet (run.csv without pyarrow), events.json and the plots; returns the paths."""
    from .export import write_csv, write_parquet
    from .plots import save_all

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made: {error.strerror}") from None
    written = [folder / "events.json"]
    write_text(written[0], json.dumps(run_data(run), indent=2) + "\n")
    try:
        write_parquet(run, folder / "run.parquet")
        written.append(folder / "run.parquet")
    except MissingDependencyError:
        write_csv(run, folder / "run.csv")
        written.append(folder / "run.csv")
    return [*written, *save_all(run, folder)]
