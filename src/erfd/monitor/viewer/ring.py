"""Ring buffer of the last samples of a stream."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...ground.arrays import Array
from ..protocol import Hello
from .reader import Batch

MOST_NUMBERS = 1 << 23
"""Numbers in a ring, 64 MB."""


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """A copy of samples: sequence numbers (N,), times t (N,) in s, rows (N, w) and their columns.

    `samples["q"]` are the columns of one quantity, (N, size).
    """

    hello: Hello
    numbers: NDArray[np.int64]
    t: Array
    rows: Array

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, name: str) -> Array:
        return self.rows[:, self.hello.places[name]]

    def __contains__(self, name: object) -> bool:
        return name in self.hello.places


class Ring:
    """Keeps the last `seconds` of samples in arrays of fixed size."""

    def __init__(self, hello: Hello, seconds: float):
        wanted = round(seconds / hello.dt) + 1
        self.hello, self.size = hello, max(2, min(wanted, MOST_NUMBERS // hello.width))
        self.numbers = np.zeros(self.size, dtype=np.int64)
        self.t, self.rows = np.zeros(self.size), np.zeros((self.size, hello.width))
        self.count = 0

    def add(self, batch: Batch) -> None:
        """Keep a batch; the oldest samples go."""
        kept = min(len(batch), self.size)
        places = (self.count + len(batch) - kept + np.arange(kept)) % self.size
        self.numbers[places] = batch.numbers[-kept:]
        self.t[places], self.rows[places] = batch.t[-kept:], batch.rows[-kept:]
        self.count += len(batch)

    def samples(self, after: int = -1, most: int | None = None) -> Samples:
        """Samples with a sequence number above `after`, the newest `most` of them."""
        kept = min(self.count, self.size)
        order = (self.count - kept + np.arange(kept)) % self.size
        first = int(np.searchsorted(self.numbers[order], after, side="right"))
        order = order[first:] if most is None else order[max(first, kept - most) :]
        return Samples(self.hello, self.numbers[order], self.t[order], self.rows[order])
