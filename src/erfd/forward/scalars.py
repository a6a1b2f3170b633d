"""Choices over any scalar: floats, NumPy batches (a state per element), CasADi symbols.

The forward simulation is written once with these, as `dynamics` is with + - * /: the same text runs
step by step, on a batch, and is traced for the compiled loop. A condition is what `a < b` gives.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ..dynamics.vectors import Scalar

Condition = Any


class Ops(Protocol):
    """Choices over a scalar, beside + - * / and comparisons."""

    def choose(self, condition: Condition, a: Scalar, b: Scalar) -> Scalar:
        """Choose `a` where the condition holds, else `b`."""

    def both(self, a: Condition, b: Condition) -> Condition:
        """Whether both conditions hold."""

    def either(self, a: Condition, b: Condition) -> Condition:
        """Whether one of the conditions holds."""


class Numbers(Ops, Protocol):
    """Choices and functions of scalars that have a value now."""

    def cos(self, x: Scalar) -> Scalar:
        """The cosine."""

    def sin(self, x: Scalar) -> Scalar:
        """The sine."""

    def some(self, flag: Scalar) -> bool:
        """Whether the flag is above 0 in some state."""

    def scalars(self, columns: Any) -> list[Scalar]:
        """The rows of an array (k, states) as scalars."""


class Floats:
    """Scalars that are floats: one state."""

    def choose(self, condition: Condition, a: Scalar, b: Scalar) -> Scalar:
        """Choose `a` where the condition holds, else `b`."""
        return a if condition else b

    def both(self, a: Condition, b: Condition) -> Condition:
        """Whether both conditions hold."""
        return a and b

    def either(self, a: Condition, b: Condition) -> Condition:
        """Whether one of the conditions holds."""
        return a or b

    def cos(self, x: Scalar) -> Scalar:
        """The cosine."""
        return math.cos(x)

    def sin(self, x: Scalar) -> Scalar:
        """The sine."""
        return math.sin(x)

    def some(self, flag: Scalar) -> bool:
        """Whether the flag is above 0."""
        return bool(flag > 0)

    def scalars(self, columns: Any) -> list[Scalar]:
        """The rows of an array (k, 1) as scalars."""
        return [float(row[0]) for row in columns]


class Batches:
    """Scalars that are arrays: one element a state."""

    def choose(self, condition: Condition, a: Scalar, b: Scalar) -> Scalar:
        """Choose `a` where the condition holds, else `b`."""
        return np.where(condition, a, b)

    def both(self, a: Condition, b: Condition) -> Condition:
        """Whether both conditions hold."""
        return np.logical_and(a, b)

    def either(self, a: Condition, b: Condition) -> Condition:
        """Whether one of the conditions holds."""
        return np.logical_or(a, b)

    def cos(self, x: Scalar) -> Scalar:
        """The cosine."""
        return np.cos(x)

    def sin(self, x: Scalar) -> Scalar:
        """The sine."""
        return np.sin(x)

    def some(self, flag: Scalar) -> bool:
        """Whether the flag is above 0 in some state."""
        return bool(np.any(np.asarray(flag) > 0))

    def scalars(self, columns: Any) -> list[Scalar]:
        """The rows of an array (k, states) as scalars."""
        return list(np.array(columns, dtype=np.float64))


class CasadiScalars:
    """Scalars that are CasADi's SX, to be traced."""

    def __init__(self) -> None:
        from ..kernels.trace import casadi

        self.casadi = casadi()

    def choose(self, condition: Condition, a: Scalar, b: Scalar) -> Scalar:
        """Choose `a` where the condition holds, else `b`."""
        return self.casadi.if_else(condition, a, b)

    def both(self, a: Condition, b: Condition) -> Condition:
        """Whether both conditions hold."""
        return self.casadi.logic_and(a, b)

    def either(self, a: Condition, b: Condition) -> Condition:
        """Whether one of the conditions holds."""
        return self.casadi.logic_or(a, b)


def sign(ops: Ops, x: Scalar) -> Scalar:
    """The sign of x: -1, 0 or 1."""
    return ops.choose(x > 0, 1.0, ops.choose(x < 0, -1.0, 0.0))


def magnitude(ops: Ops, x: Scalar) -> Scalar:
    """The absolute value |x|."""
    return ops.choose(x < 0, -x, x)


def least(ops: Ops, values: Sequence[Scalar]) -> Scalar:
    """The smallest value."""
    result = values[0]
    for value in values[1:]:
        result = ops.choose(value < result, value, result)
    return result


def indicator(ops: Ops, condition: Condition) -> Scalar:
    """The number 1 where the condition holds, else 0."""
    return ops.choose(condition, 1.0, 0.0)
