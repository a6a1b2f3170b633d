"""The largest value that still holds: for one set-up, or with a probability over many."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..errors import InputError
from ..ground.arrays import Array, Mask
from .intervals import clopper_pearson, quantile_bound

SCANNED = 33
"""Values at which it is first looked where a variant fails for the first time."""
DOUBLINGS = 12
"""How often the largest value is doubled until all variants fail."""
SLOWEST, FASTEST = 2, 200
"""Overrides that are tried, in percent: as `verification.overrides`."""

Feasible = Callable[[Array], Mask]
"""From values (V,) of the name that is searched, one a variant, to feasibility (V,)."""


@dataclass(frozen=True, slots=True)
class Largest:
    """The largest value of `name` that holds with a `probability`.

    `value` is the estimate from `samples` variants, `bound` what the true one is above with the
    `confidence`: None where there is none, or there are too few samples to say.
    """

    name: str
    unit: str
    probability: float
    value: float | None
    bound: float | None
    confidence: float
    samples: int

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        sure = f"{100 * self.probability:.4g} % of {self.samples} variants"
        if self.value is None:
            return f"{self.name}: no value holds in {sure}"
        text = f"{self.name} up to {self.value:.4g}{unit} holds in {sure}"
        if self.bound is None:
            return f"{text} (too few to bound it)"
        return f"{text} (above {self.bound:.4g}{unit} with {100 * self.confidence:.3g} %)"


def thresholds(feasible: Feasible, count: int, low: float, high: float, to: float) -> Array:
    """For each of so many variants the value at which it first fails, (V,), within `to`.

    -inf for one that fails at `low`, inf for one that does not fail up to `high`. Between two of
    the values that are scanned at first it is taken to fail once and for good.
    """
    values = np.linspace(low, high, SCANNED)
    good, bad = np.full(count, -math.inf), np.full(count, math.inf)
    for value in values.tolist():
        looking = np.isinf(bad)
        if not looking.any():
            break
        passed = feasible(np.full(count, value))
        good[looking & passed] = value
        bad[looking & ~passed] = value
    open_ = np.isfinite(good) & np.isfinite(bad)
    while open_.any() and float((bad - good)[open_].max()) > to:
        middle = np.where(open_, (good + bad) / 2, low)
        passed = feasible(middle)
        good[open_ & passed] = middle[open_ & passed]
        bad[open_ & ~passed] = middle[open_ & ~passed]
    good[np.isinf(bad)] = math.inf
    return good


def largest_value(
    feasible: Feasible, count: int, *, name: str, unit: str, low: float, high: float, to: float,
    probability: float, confidence: float, rising: bool = True,
) -> Largest:  # fmt: skip
    """The largest value that holds with a probability over so many independent variants.

    `rising`: `high` is a guess, doubled as long as too many variants still hold there.
    """
    for _ in range(DOUBLINGS):
        found = thresholds(feasible, count, low, high, to)
        value = float(np.sort(found)[min(int((1 - probability) * count + 1e-9), count - 1)])
        if not (rising and value == math.inf):
            break
        high = 2 * high
    bound = quantile_bound(found, 1 - probability, confidence)
    shown = None if value == -math.inf else min(value, high)
    return Largest(name, unit, probability, shown, None if math.isinf(bound) else bound,
                   confidence, count)  # fmt: skip


def largest_override(
    feasible: Callable[[float], Mask], probability: float, confidence: float
) -> Largest:
    """The largest speed override, in whole percents, at which enough of all variants are feasible.

    `bound` is the largest one at which the interval of their share lies above the probability.
    """
    known: dict[int, Mask] = {}

    def share(percent: int) -> Mask:
        if percent not in known:
            known[percent] = feasible(percent / 100)
        return known[percent]

    def search(holds: Callable[[Mask], bool]) -> float | None:
        low, high = SLOWEST, FASTEST
        if holds(share(high)):
            return high / 100
        if holds(share(100)):
            low = 100
        else:
            high = 100
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if holds(share(middle)) else (low, middle)
        return low / 100 if holds(share(low)) else None

    def surely(passed: Mask) -> bool:
        one_sided = 2 * confidence - 1
        return clopper_pearson(int(passed.sum()), len(passed), one_sided)[0] >= probability

    value = search(lambda passed: bool(passed.mean() >= probability))
    bound = None if value is None else search(surely)
    count = len(share(100))
    return Largest("speed", "", probability, value, bound, confidence, count)


def failing_value(
    feasible: Feasible, low: float, high: float, to: float, *, rising: bool = True
) -> tuple[float, float]:
    """The largest value that holds and the next one, at most `to` above it, that fails.

    Batches of `SCANNED` values narrow it down; inf if nothing fails, -inf if nothing holds.
    """
    if not to > 0:
        raise InputError(f"to: expected a size > 0, found {to}")
    for _ in range(DOUBLINGS):
        values = np.linspace(low, high, SCANNED)
        passed = feasible(values)
        if not passed.all() or not rising:
            break
        high = 2 * high
    while True:
        if passed.all():
            return float(values[-1]), math.inf
        first = int(np.argmin(passed))
        if first == 0:
            return -math.inf, float(values[0])
        good, bad = float(values[first - 1]), float(values[first])
        if bad - good <= to:
            return good, bad
        values = np.linspace(good, bad, SCANNED)
        passed = feasible(values)
        passed[0], passed[-1] = True, False
