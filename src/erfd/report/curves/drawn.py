"""What is drawn of the numbers of a run: nothing before the first cycle, no errors of rounding."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ground.arrays import Array
from ...run.columns import OF_CYCLES

ROUNDING, LEAST = 1e-9, 1e-12
"""Smaller parts of the largest number, and smaller numbers (SI units), are drawn as zero."""


def has(run: Any, name: str) -> bool:
    """Whether a `Run` or a `RunFile` has a quantity."""
    return name in (run.quantities if hasattr(run, "quantities") else run.data)


def drawn(run: Any, name: str, rows: slice = slice(None)) -> Array:
    """A quantity (N, ...) as it is drawn: row 0 is empty (NaN) where it belongs to no cycle.

    Torques and accelerations of an achieved motion are of the cycle that ends there, and the first
    row, which ends none, has zeros. Simulations have moments, the first one like the others.
    """
    values = np.array(run[name][rows], dtype=np.float64)
    first = not rows.start and len(values) > 1
    if first and name in OF_CYCLES and has(run, "qd_given") and not values[0].any():
        values[0] = np.nan
    return values


def without_rounding(*curves: Array) -> tuple[Array, ...]:
    """Curves of one diagram, with zeros for what only rounding has made beside the largest."""
    sizes = [np.abs(values[np.isfinite(values)]).max(initial=0.0) for values in curves]
    least = max(ROUNDING * max(sizes, default=0.0), LEAST)
    return tuple(np.where(np.abs(values) < least, 0.0, values) for values in curves)
