"""Which s'' all limits allow at a place of a path with a given s'^2: the heart of the passes.

A motor's torque is T = L + P + s (mu |L| + c): its load L = A s'' + l, its rotor's share P, and
friction against the direction s in which the path turns the rotor. Both are linear in s'' at a
given speed, so T follows one of two lines, (1 + mu) L + P and (1 - mu) L + P. Turned so that s = 1,
T is the larger of the two: T <= limit asks for both lines, T >= -limit for either. Where the lines
have slopes of different sign, "either" leaves a hole. A rotor at rest is helped by friction both
ways, and each side asks for either.

The text is over any scalar: arrays (R, M) of R limits and M speeds in NumPy, or columns (R, 1) of
CasADi symbols.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

BIG = 1e30
"""What stands for no limit."""
FIELDS = (
    "per_plus", "per_minus", "x_plus", "x_minus", "v_plus", "v_minus", "c_plus", "c_minus",
    "scale", "rate", "top_shift", "low_shift", "volt", "emf", "rests",
)  # fmt: skip
SWEEPS = 2
"""How often the holes are gone through: one may lead into another."""


@dataclass(slots=True, eq=False)
class Lines:
    """The lines of R limits: m s'' + x s'^2 + v s' + c, the plus and the minus line of each.

    `per_plus` and `per_minus` are 1 / m: the s'' that a change of the torque takes.

    A limit is scale * limit(rate s') within what the voltage leaves, `volt` -+ `emf` s' (None where
    no motor has one), and then less `top_shift` above and `low_shift` below. `rests` is 1 for a
    rotor at rest.
    """

    per_plus: Any
    per_minus: Any
    x_plus: Any
    x_minus: Any
    v_plus: Any
    v_minus: Any
    c_plus: Any
    c_minus: Any
    scale: Any
    rate: Any
    top_shift: Any
    low_shift: Any
    volt: Any
    emf: Any
    rests: Any

    def at(self, cell: int) -> Lines:
        """The lines of one cell as columns (R, 1)."""
        return Lines(*(getattr(self, f.name)[cell][:, None] for f in fields(self)))


class NumpyOperations:
    """What `span` needs beside + - * /, over NumPy arrays."""

    least = staticmethod(np.minimum)
    size = staticmethod(np.abs)
    stack = staticmethod(np.hstack)
    most = staticmethod(np.maximum)
    where = staticmethod(np.where)

    @staticmethod
    def lowest(rows: Any) -> Any:
        """The least of the rows."""
        return rows.min(axis=0)

    @staticmethod
    def highest(rows: Any) -> Any:
        """The largest of the rows."""
        return rows.max(axis=0)

    @staticmethod
    def both(a: Any, b: Any) -> Any:
        """Truth values: a and b."""
        return a & b

    @staticmethod
    def one_of(a: Any, b: Any) -> Any:
        """Truth values: a or b."""
        return a | b

    @staticmethod
    def neither(a: Any, b: Any) -> Any:
        """Truth values: neither a nor b."""
        return ~(a | b)


def room(ops: Any, lines: Lines, limit: Any, v: Any) -> tuple[Any, Any]:
    """What the lines may reach: up to the first, down to minus the second."""
    most = lines.scale * limit(lines.rate * v)
    if lines.volt is None:
        return most - lines.top_shift, most - lines.low_shift
    top = ops.least(most, lines.volt - lines.emf * v) - lines.top_shift
    low = ops.least(most, lines.volt + lines.emf * v) - lines.low_shift
    return top, low


def bounds(ops: Any, lines: Lines, limit: Any, x: Any, v: Any) -> tuple[Any, Any, Any, Any]:
    """The least and the largest s'' of each limit alone, and the ends of its hole."""
    top, low = room(ops, lines, limit, v)
    plus = lines.x_plus * x + lines.v_plus * v + lines.c_plus
    minus = lines.x_minus * x + lines.v_minus * v + lines.c_minus
    per_plus, per_minus = lines.per_plus, lines.per_minus
    up, rising = per_plus > 0, per_minus > 0
    a, b = (top - plus) * per_plus, (top - minus) * per_minus  # where the lines reach the limit
    both_high = ops.least(ops.where(up, a, BIG), ops.where(rising, b, BIG))
    both_low = ops.most(ops.where(up, -BIG, a), ops.where(rising, -BIG, b))
    e, f = (-low - plus) * per_plus, (-low - minus) * per_minus
    rise, fall, rests = ops.both(up, rising), ops.neither(up, rising), lines.rests > 0
    high = ops.where(rests, ops.where(rise, ops.most(a, b), BIG), both_high)
    least = ops.where(rests, ops.where(fall, ops.least(a, b), -BIG), both_low)
    least = ops.most(least, ops.where(rise, ops.least(e, f), -BIG))
    high = ops.least(high, ops.where(fall, ops.most(e, f), BIG))
    alike = ops.one_of(rise, fall)
    hole_low = ops.where(alike, BIG, ops.where(up, f, e))
    hole_high = ops.where(alike, -BIG, ops.where(up, e, f))
    return least, high, hole_low, hole_high


def plain(ops: Any, lines: Lines) -> Any:
    """Of each row, whether its rotor turns and both lines rise or both fall: it has no hole."""
    up, rising = lines.per_plus > 0, lines.per_minus > 0
    alike = ops.one_of(ops.both(up, rising), ops.neither(up, rising))
    return ops.both(alike, ops.size(lines.rests) <= 0)


def plain_bounds(ops: Any, lines: Lines, limit: Any, x: Any, v: Any) -> tuple[Any, Any]:
    """The least and the largest s'' of each limit alone, of `plain` rows only: less to compute."""
    top, low = room(ops, lines, limit, v)
    plus = lines.x_plus * x + lines.v_plus * v + lines.c_plus
    minus = lines.x_minus * x + lines.v_minus * v + lines.c_minus
    per_plus, per_minus = ops.size(lines.per_plus), ops.size(lines.per_minus)
    above = ops.least((top - plus) * per_plus, (top - minus) * per_minus)
    below = ops.most((low + plus) * per_plus, (low + minus) * per_minus)
    up = lines.per_plus > 0
    return -ops.where(up, below, above), ops.where(up, above, below)


def plain_span(
    ops: Any, lines: Lines, limit: Any, x: Any, v: Any, least: Any, most: Any
) -> tuple[Any, Any]:
    """`span` where all rows are `plain`."""
    low_rows, high_rows = plain_bounds(ops, lines, limit, x, v)
    return ops.most(ops.highest(low_rows), least), ops.least(ops.lowest(high_rows), most)


def span(
    ops: Any, lines: Lines, limit: Any, x: Any, v: Any, least: Any, most: Any, holes: Any
) -> tuple[Any, Any]:
    """The least and the largest s'' from `least` to `most` that all limits allow.

    The first is above the second if there is none. `x` is s'^2, `v` is s'; `holes` are the rows
    that may have one.
    """
    low_rows, high_rows, hole_low, hole_high = bounds(ops, lines, limit, x, v)
    low = ops.most(ops.highest(low_rows), least)
    high = ops.least(ops.lowest(high_rows), most)
    for _ in range(SWEEPS):
        for r in holes:
            inside = ops.both(low > hole_low[r], low < hole_high[r])
            low = ops.where(inside, hole_high[r], low)
            inside = ops.both(high > hole_low[r], high < hole_high[r])
            high = ops.where(inside, hole_low[r], high)
    return low, high
