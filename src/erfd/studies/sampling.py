"""Which variants are drawn: at random, Latin hypercube, Sobol, a grid, or the rows of a table.

Variants are numbered, and any range of them can be drawn alone and is always the same: so parts of
a study can be worked out anywhere, in any order, and again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..errors import InputError
from ..ground.arrays import Array
from .distributions import Distribution

SAMPLINGS = ("random", "lhs", "sobol", "grid")
CHUNK = 4096
"""Random variants that are drawn at once: they have a generator of their own."""
REPLICATES = 16
"""Independent repetitions of a hypercube or of Sobol points, from which the interval is taken."""
MOST = 100_000_000
"""Variants at most."""


@dataclass(frozen=True, eq=False)
class Sampling:
    """How variants are drawn: `method` is one of `SAMPLINGS`, or `table`.

    `total` is how many there are, `replicate` how many of them belong together.
    """

    method: str
    distributions: tuple[Distribution, ...]
    total: int
    seed: int = 0
    replicate: int = 0
    rows: Array | None = None

    @classmethod
    def of(
        cls, method: str, distributions: Sequence[Distribution], samples: int, seed: int
    ) -> Sampling:
        """The sampling of a study of about so many samples."""
        chosen = tuple(distributions)
        if method == "grid":
            total = 1
            for distribution in chosen:
                total *= len(distribution.grid)
            if total > MOST:
                raise InputError(f"sampling: expected a grid of at most {MOST:,}, found {total:,}")
            return cls(method, chosen, total, seed)
        if method == "random":
            return cls(method, chosen, samples, seed)
        if samples < 2 * REPLICATES:
            expected = f"at least {2 * REPLICATES} for {method} ({REPLICATES} replicates)"
            raise InputError(f"samples: expected {expected}, found {samples}")
        size = -(-samples // REPLICATES)
        if method == "sobol":
            size = 1 << (size - 1).bit_length()
        return cls(method, chosen, REPLICATES * size, seed, size)

    @classmethod
    def of_table(cls, rows: Array) -> Sampling:
        """The variants (V, names) of a table."""
        return cls("table", (), len(rows), 0, 0, rows)

    def draws(self, first: int, last: int) -> Array:
        """The variants `first` to before `last`, (V, names)."""
        if self.rows is not None:
            return np.asarray(self.rows[first:last])
        if self.method == "grid":
            grids = [distribution.grid for distribution in self.distributions]
            places = np.unravel_index(np.arange(first, last), tuple(map(len, grids)))
            return np.column_stack([g[k] for g, k in zip(grids, places, strict=True)])
        parts = self._parts(first, last)
        columns = [d.at(parts[:, k]) for k, d in enumerate(self.distributions)]
        return np.column_stack(columns)

    def _parts(self, first: int, last: int) -> Array:
        """Parts of the probability, (V, names)."""
        size, count = self.replicate or CHUNK, len(self.distributions)
        pieces = []
        for chunk in range(first // size, -(-last // size)):
            made = _chunk(self.method, self.seed, chunk, size, count)
            pieces.append(made[max(first - chunk * size, 0) : last - chunk * size])
        return np.concatenate(pieces) if pieces else np.zeros((0, count))

    @property
    def median(self) -> Array:
        """The middle of every distribution, (names,)."""
        if self.rows is not None:
            return np.asarray(np.nanmedian(self.rows, axis=0))
        return np.array([float(d.at(np.array([0.5]))[0]) for d in self.distributions])


@lru_cache(maxsize=4)
def _chunk(method: str, seed: int, chunk: int, size: int, count: int) -> Array:
    """One chunk of parts of the probability, (size, count); the same whoever asks."""
    rng = np.random.Generator(np.random.Philox(np.random.SeedSequence([seed, chunk])))
    if method == "random" or not count:
        return rng.random((size, count))
    from scipy.stats import qmc

    if method == "lhs":
        return np.asarray(qmc.LatinHypercube(count, rng=rng).random(size))
    return np.asarray(qmc.Sobol(count, rng=rng).random(size))
