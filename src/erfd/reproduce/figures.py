"""Files of what came of the items: their figures as PNG, all of it as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..ground.files import write_text
from ..report.output_folder import make_folder
from .item import DocumentItem, ItemOutcome
from .table import item_data


def write_reproduction(
    found: Sequence[tuple[DocumentItem, ItemOutcome]], folder: Path
) -> list[Path]:
    """Write reproduce.json and a PNG for every figure; returns the paths.

    Raises:
        InputError: The folder cannot be made.
        MissingDependencyError: Matplotlib is not installed; reproduce.json is written all the same.
    """
    make_folder(folder)
    data = [item_data(item, outcome) for item, outcome in found]
    path = folder / "reproduce.json"
    write_text(path, json.dumps(data, indent=2) + "\n")
    paths = [path]
    for item, outcome in found:
        if outcome.figure is None:
            continue
        paths += save_drawn(outcome.figure(), folder, item.name)
    return paths


def save_drawn(drawn: Any, folder: Path, name: str) -> list[Path]:
    """Write a figure as NAME.png, or several by the names of their parts as NAME-PART.png."""
    from ..report.plots.run import save_figure

    if not isinstance(drawn, dict):
        return [save_figure(drawn, folder / f"{name}.png", dpi=100)]
    return [
        save_figure(figure, folder / f"{name}-{part}.png", dpi=100)
        for part, figure in drawn.items()
    ]
