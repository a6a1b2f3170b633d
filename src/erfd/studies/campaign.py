"""A study in parts: kept in a folder as they are done, here or on a cluster, and gone on with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..ground.arguments import path_of
from ..ground.arrays import Array
from ..ground.files import write_bytes
from ..report.output_folder import make_folder
from .evaluator import Rows, VariantEvaluator
from .parts import PartFolder, encoded, study_key
from .sampling import Sampling

TABLE = "variants.parquet"
"""The table of all variants in the folder of a study."""


def run_campaign(
    evaluator: VariantEvaluator, sampling: Sampling, size: int, cluster: Any,
    out: str | Path | None, resume: bool, tell: Callable[[float, str], None],
) -> tuple[Array, Rows, tuple[str, ...]]:  # fmt: skip
    """All variants, part by part: draws, rows and notes.

    What was done is kept in `out`; at the end one table is there instead of the parts.
    """
    count = -(-sampling.total // size)
    key = study_key(evaluator, sampling, size)
    folder = None if out is None else PartFolder(path_of("out", out), key, resume=resume)
    done: dict[int, tuple[Array, Rows]] = {}
    if folder is not None and resume:
        done = {part: (draws, rows) for part, draws, rows in folder.done(evaluator, count)}
    notes: tuple[str, ...] = ()
    if done:
        notes = (f"{len(done)} of {count} parts were there already",)
    missing = [part for part in range(count) if part not in done]

    def report() -> None:
        tell(0.05 + 0.9 * len(done) / count, f"{len(done)} of {count} parts")

    if cluster is not None:
        from .cluster import cluster_parts

        notes += cluster_parts(evaluator, sampling, size, key, folder, cluster, missing, done,
                               report)  # fmt: skip
    else:
        for part in missing:
            report()
            done[part] = work_out(evaluator, sampling, size, part)
            if folder is not None:
                folder.write(part, encoded(evaluator, part * size, *done[part], key))
    draws = np.concatenate([done[part][0] for part in range(count)])
    rows = Rows.joined([done[part][1] for part in range(count)])
    if folder is not None:
        tell(0.95, "writing")
        write_bytes(folder.folder.parent / TABLE, encoded(evaluator, 0, draws, rows, key))
        folder.remove()
    tell(1.0, f"{sampling.total} variants")
    return draws, rows, notes


def write_table(
    evaluator: VariantEvaluator, sampling: Sampling, draws: Array, rows: Rows, out: str | Path
) -> None:
    """Write the table of all variants into a folder."""
    folder = path_of("out", out)
    make_folder(folder)
    key = study_key(evaluator, sampling, 0)
    write_bytes(folder / TABLE, encoded(evaluator, 0, draws, rows, key))


def work_out(
    evaluator: VariantEvaluator, sampling: Sampling, size: int, part: int
) -> tuple[Array, Rows]:
    """The draws and rows of one part."""
    draws = sampling.draws(part * size, min((part + 1) * size, sampling.total))
    return draws, evaluator.evaluate(draws)
