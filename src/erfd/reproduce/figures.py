"""Files of what came of the items: their figures as PNG, all of it as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from ..ground.files import write_text
from ..report.output_folder import make_folder
from .item import Item, Outcome
from .table import item_data


def write_reproduction(found: Sequence[tuple[Item, Outcome]], folder: Path) -> list[Path]:
    """Write reproduce.json and a PNG for every figure; returns the paths.

    Raises:
        InputError: The folder cannot be made.
        MissingDependencyError: Matplotlib is not installed; reproduce.json is written all the same.
    """
    from ..report.plots.run import save_figure

    make_folder(folder)
    data = [item_data(item, outcome) for item, outcome in found]
    path = folder / "reproduce.json"
    write_text(path, json.dumps(data, indent=2) + "\n")
    paths = [path]
    for item, outcome in found:
        if outcome.figure is None:
            continue
        drawn = outcome.figure()
        parts = drawn if isinstance(drawn, dict) else {"": drawn}
        for part, figure in parts.items():
            name = f"{item.name}-{part}.png" if part else f"{item.name}.png"
            paths.append(save_figure(figure, folder / name, dpi=100))
    return paths
