"""Which input matters: Sobol indices of the margin, with their errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import InputError
from ..ground.arrays import Array
from .distributions import Distribution

POINTS, GEOMETRY_POINTS = 1024, 32
"""Points of the base sample: of numbers alone, and where every variant is planned."""


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


@dataclass(frozen=True, slots=True)
class _Quantile:
    """A distribution as SciPy takes it."""

    distribution: Distribution

    def ppf(self, parts: Array) -> Array:
        return self.distribution.at(parts)


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
    from scipy.stats import sobol_indices as indices

    def values(x: Array) -> Array:
        found = function(x.T)
        if not np.isfinite(found).all():
            raise InputError("sensitivity: expected finite margins, found a variant that has none")
        return found[None]

    dists = [_Quantile(distribution) for distribution in distributions]
    rng = np.random.default_rng([seed, 3])
    found = indices(func=values, n=points, dists=dists, rng=rng)
    wide = found.bootstrap(confidence_level=confidence, n_resamples=499)
    errors = [
        np.ravel(order.confidence_interval.high - order.confidence_interval.low) / 2
        for order in (wide.first_order, wide.total_order)
    ]
    first, total = np.ravel(found.first_order), np.ravel(found.total_order)
    rows = [
        Sensitivity(name, *(float(x[k]) for x in (first, errors[0], total, errors[1])))
        for k, name in enumerate(names)
    ]
    return tuple(sorted(rows, key=lambda row: -row.total))
