"""A hello and batches of samples, to be recorded."""

from pathlib import Path

import numpy as np

from erfd.monitor.protocol import Column, Hello, column
from erfd.monitor.recording.journal import Journal
from erfd.monitor.viewer.reader import Batch


def hello_of(session: int = 1, n: int = 2) -> Hello:
    return Hello("cell", n, 0.01, (column("q", n), Column("force", ("N",))), session, "two_link")


def batch_of(first: int, count: int, width: int = 3) -> Batch:
    numbers = np.arange(first, first + count)
    return Batch(numbers, 0.01 * numbers, np.outer(np.sin(0.01 * numbers), np.arange(1, width + 1)))


def journal_of(folder: Path, items: list) -> bytes:
    path = folder / "x.journal"
    path.unlink(missing_ok=True)
    journal = Journal(path)
    for item in items:
        journal.add(item)
    journal.close()
    return path.read_bytes()
