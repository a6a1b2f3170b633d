"""Distributions of what varies: `normal(5, 0.3)`, `uniform(1, 2)`, `1..5`, `[1, 2, 4]`, a number.

Every one is a function from a part of the probability (0 to 1) to a value, its quantile, so that
random draws, Latin hypercubes, Sobol points and grids all use the same text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import InputError
from ..ground.arrays import Array

FORMS = {
    "normal": ("normal(mean, deviation)", "normal(mean, deviation, low, high)"),
    "uniform": ("uniform(low, high)",),
    "triangular": ("triangular(low, most likely, high)",),
}
"""How a distribution is written."""
EXPECTED = (
    "normal(5, 0.3), normal(5, 0.3, 4, 6), uniform(1, 2), triangular(1, 2, 3), a range 1..5 or"
    " 1..5/9 (with 9 points), a list [1, 2, 4] or a number"
)
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_RANGE = re.compile(rf"\s*({_NUMBER})\s*\.\.\s*({_NUMBER})\s*(?:/\s*(\d+)\s*)?$")
_CALL = re.compile(r"\s*([a-z]+)\s*\((.*)\)\s*$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Distribution:
    """A distribution of one number: its `kind`, and the numbers that the kind takes.

    `kind` is `normal` (mean, deviation, low, high), `uniform` (low, high), `triangular` (low,
    mode, high), `values` (each as likely as the others) or `fixed` (one number). `points` are
    those of a grid, 0 if not said; `factor` is what every value is multiplied with (degrees).
    """

    kind: str
    numbers: tuple[float, ...]
    points: int = 0
    factor: float = 1.0

    def at(self, parts: Array) -> Array:
        """The values (V,) below which these parts of the probability lie, (V,) from 0 to 1."""
        p, x = np.asarray(parts, dtype=np.float64), self.numbers
        if self.kind == "fixed":
            values = np.full(p.shape, x[0])
        elif self.kind == "uniform":
            values = x[0] + (x[1] - x[0]) * p
        elif self.kind == "values":
            values = np.array(x)[np.minimum((p * len(x)).astype(int), len(x) - 1)]
        elif self.kind == "triangular":
            low, mode, high = x
            turn = (mode - low) / (high - low)
            rising = low + np.sqrt(p * (high - low) * (mode - low))
            falling = high - np.sqrt((1 - p) * (high - low) * (high - mode))
            values = np.where(p < turn, rising, falling)
        else:
            values = self._normal(p)
        return np.asarray(values * self.factor)

    def _normal(self, p: Array) -> Array:
        from scipy.special import ndtr, ndtri

        mean, deviation, low, high = self.numbers
        a, b = (low - mean) / deviation, (high - mean) / deviation
        if a > 0:  # in the upper tail, where 1 - p keeps its digits
            above, below = ndtr(-a), ndtr(-b)
            values = -ndtri(above - p * (above - below))
        else:
            below, above = ndtr(a), ndtr(b)
            values = ndtri(below + p * (above - below))
        return np.asarray(np.clip(mean + deviation * values, low, high))

    @property
    def grid(self) -> Array:
        """The points of a grid, (points,): those of a list, evenly over a range, or quantiles."""
        if self.kind in ("values", "fixed"):
            return np.array(self.numbers) * self.factor
        count = self.points or 11
        if self.kind == "uniform":
            low, high = self.numbers
            return np.asarray(np.linspace(low, high, count) * self.factor)
        return self.at((np.arange(count) + 0.5) / count)

    @property
    def varies(self) -> bool:
        """Whether it has more than one value."""
        return self.kind != "fixed" and len(set(self.numbers)) > 1

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the largest value; infinite for a normal one that is not truncated."""
        values = self.numbers[2:] if self.kind == "normal" else self.numbers
        ends = sorted((self.factor * min(values), self.factor * max(values)))
        return ends[0], ends[1]

    @property
    def usual_range(self) -> tuple[float, float]:
        """Where nearly all of it is: from the 0.1 % to the 99.9 % quantile."""
        low, high = self.at(np.array([0.001, 0.999])).tolist()
        return float(low), float(high)

    def __str__(self) -> str:
        numbers = [f"{x:.10g}" for x in self.numbers]
        if self.kind == "fixed":
            return numbers[0]
        if self.kind == "values":
            return f"[{', '.join(numbers)}]"
        if self.points:
            return f"{'..'.join(numbers)}/{self.points}"
        if self.kind == "normal" and self.numbers[2:] == (-math.inf, math.inf):
            numbers = numbers[:2]
        return f"{self.kind}({', '.join(numbers)})"


def distribution_of(name: str, value: Any) -> Distribution:
    """Read the distribution of `name`: a text, a number, a list, or a `Distribution`.

    Raises:
        InputError: It is none; the sentence says what was expected.
    """
    if isinstance(value, Distribution):
        return value
    if isinstance(value, bool):
        raise _wrong(name, value)
    if isinstance(value, int | float | np.number):
        return Distribution("fixed", _numbers(name, value, [value]))
    if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str | bytes):
        return _list(name, value, list(value))
    if not isinstance(value, str):
        raise _wrong(name, value)
    found = _RANGE.match(value)
    if found:
        low, high = _numbers(name, value, found.groups()[:2])
        if not low < high:
            raise InputError(f"{name}: expected a range from low to high, found {value!r:.60}")
        points = int(found[3] or 0)
        if found[3] and points < 2:
            raise InputError(f"{name}: expected a range of 2 points or more, found {value!r:.60}")
        return Distribution("uniform", (low, high), points)
    found = _CALL.match(value)
    if found:
        return _called(name, value, found[1], found[2])
    words = value.strip().removeprefix("[").removesuffix("]").split(",")
    return _list(name, value, words)


def _list(name: str, value: Any, words: Sequence[Any]) -> Distribution:
    numbers = _numbers(name, value, words)
    if not numbers:
        raise _wrong(name, value)
    return Distribution("fixed" if len(numbers) == 1 else "values", numbers)


def _called(name: str, value: str, kind: str, inside: str) -> Distribution:
    """A distribution that is written as a function."""
    if kind not in FORMS:
        raise _wrong(name, value)
    numbers = _numbers(name, value, inside.split(","), infinite=kind == "normal")
    expected = InputError(f"{name}: expected {' or '.join(FORMS[kind])}, found {value!r:.60}")
    if kind == "normal":
        if len(numbers) == 2:
            numbers = (*numbers, -math.inf, math.inf)
        good = len(numbers) == 4 and numbers[1] > 0 and numbers[2] < numbers[3]
        if not good or not all(map(math.isfinite, numbers[:2])):
            raise expected
        mean, deviation, low, high = numbers
        if (low - mean) / deviation > 30 or (mean - high) / deviation > 30:
            raise InputError(
                f"{name}: expected bounds within 30 deviations of the mean, found {value!r:.60}"
            )
    elif kind == "uniform":
        if len(numbers) != 2 or not numbers[0] < numbers[1]:
            raise expected
    elif (
        len(numbers) != 3 or not numbers[0] <= numbers[1] <= numbers[2] or numbers[0] == numbers[2]
    ):
        raise expected
    return Distribution(kind, numbers)


def _numbers(
    name: str, value: Any, words: Sequence[Any], *, infinite: bool = False
) -> tuple[float, ...]:
    try:
        numbers = tuple(float(word) for word in words)
    except (TypeError, ValueError, OverflowError):
        raise _wrong(name, value) from None
    if any(math.isnan(x) or (math.isinf(x) and not infinite) for x in numbers):
        raise _wrong(name, value)
    return numbers


def _wrong(name: str, value: Any) -> InputError:
    return InputError(f"{name}: expected {EXPECTED}, found {value!r:.60}")


def in_degrees(distribution: Distribution) -> Distribution:
    """The distribution of an angle in rad whose numbers are in degrees."""
    return replace(distribution, factor=math.pi / 180)
