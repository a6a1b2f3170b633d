"""Which input matters: Sobol indices of the margin, with their errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import InputError
from ..ground.arrays import Array
from .distributions import Distribution

POINTS, GEOMETRY_POINTS = 1024, 16
"""Points of the base sample: of numbers alone, and where every variant is planned."""
RESAMPLES = 200
"""Samples of the sample, of which the errors are taken."""


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How much of the variance of the margin an input makes.

    `first` alone, `total` together with all others, each with the half width of its interval.
    """

    name: str
    first: float
    first_error: float
    total: float
    total_error: float

    def __str__(self) -> str:
        return (
            f"{self.name}: first {self.first:.3f} +- {self.first_error:.3f},"
            f" total {self.total:.3f} +- {self.total_error:.3f}"
        )


def sobol_indices(
    function: Callable[[Array], Array],
    names: Sequence[str],
    distributions: Sequence[Distribution],
    *,
    points: int = POINTS,
    seed: int = 0,
    confidence: float = 0.95,
) -> tuple[Sensitivity, ...]:
    """The first-order and total Sobol indices of a function of independent inputs.

    Args:
        function: From inputs (V, d) to values (V,).
        names: The names of the inputs.
        distributions: Their distributions; all of them vary.
        points: The size of the base sample, a power of two; it takes (d + 2) times as many values.
        seed: What the points depend on.
        confidence: Of the errors.

    Returns:
        One `Sensitivity` for each input, the largest total first.
    """
    first_at, second_at = _base_samples(distributions, points, seed)
    mixed = np.tile(first_at, (len(names), 1, 1))
    for k in range(len(names)):
        mixed[k, :, k] = second_at[:, k]
    every = np.concatenate([first_at, second_at, mixed.reshape(-1, len(names))])
    values = np.asarray(function(every), dtype=np.float64)
    if not np.isfinite(values).all():
        raise InputError("sensitivity: expected finite margins, found a variant that has none")
    found = values.reshape(len(names) + 2, points)
    if len(names) == 1:  # what varies alone makes all of the variance
        all_of_it = float(np.ptp(values) > 0)
        return (Sensitivity(names[0], all_of_it, 0.0, all_of_it, 0.0),)
    first, total = _indices(found)
    rng = np.random.default_rng([seed, 4])
    again = [_indices(found[:, rng.integers(0, points, points)]) for _ in range(RESAMPLES)]
    ends = [(1 - confidence) / 2, (1 + confidence) / 2]
    errors = [np.diff(np.quantile([row[k] for row in again], ends, axis=0), axis=0)[0] / 2
              for k in (0, 1)]  # fmt: skip
    rows = [
        Sensitivity(name, *(float(x[k]) for x in (first, errors[0], total, errors[1])))
        for k, name in enumerate(names)
    ]
    return tuple(sorted(rows, key=lambda row: -row.total))


def _base_samples(
    distributions: Sequence[Distribution], points: int, seed: int
) -> tuple[Array, Array]:
    """Two independent samples of the inputs, (points, d) each, from one set of Sobol points."""
    from scipy.stats import qmc

    count = len(distributions)
    parts = qmc.Sobol(2 * count, rng=np.random.default_rng([seed, 3])).random(points)
    columns = [distributions[k % count].at(parts[:, k]) for k in range(2 * count)]
    return np.column_stack(columns[:count]), np.column_stack(columns[count:])


def _indices(values: Array) -> tuple[Array, Array]:
    """First-order and total indices (d,) by SciPy (Saltelli) from values (d + 2, points)."""
    from scipy.stats import sobol_indices as indices

    if float(np.ptp(values)) == 0.0:
        return np.zeros(len(values) - 2), np.zeros(len(values) - 2)
    f = {"f_A": values[0][None], "f_B": values[1][None], "f_AB": values[2:][:, None]}
    found = indices(func=f, n=values.shape[1])
    return np.ravel(found.first_order), np.ravel(found.total_order)
