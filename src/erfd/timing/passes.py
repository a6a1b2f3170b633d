"""The two passes over the cells of a piece: what is controllable, and the largest reachable.

Within a cell s'' is constant, so that s'^2 goes evenly from x to x + 2 s'' length. Backwards, the
x at a node from which some allowed s'' leads to a controllable x at the next node are controllable:
a set of intervals, found by a scan over x and by narrowing down every change. Forwards, from the
given start, the largest controllable x that an allowed s'' reaches is taken at each node.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..ground.arrays import Array
from .cells import Bounds
from .limit_lines import CELL, NODE, Given, limit_lines
from .span import BIG, Lines, NumpyOperations, span

SCAN = 24
"""How many x are tried at a node, even in s'."""
ROUNDS, PARTS = 16, 17
"""A change is narrowed down in so many rounds at most, each to one of so many parts,"""
FINE = 1e-9
"""until it is known to this part of it."""
DIFFERS = 0.1
"""By this part s'' may differ from what it would be with the speed at the end of the cell there."""

Sets = list[tuple[float, float]]
"""Intervals of x = s'^2 at a node, rising."""


@dataclass(frozen=True, eq=False)
class PassProblem:
    """A piece to be timed: N cells and x at both ends.

    `left`, `right` (N, 8 n) and `own` (N, 4 n + 1) are what `limit_lines` takes of the ends of the
    cells and of the cells, `cap` (N + 1,) is the largest x at the nodes.
    """

    bounds: Bounds
    left: Array
    right: Array
    own: Array
    cap: Array
    start: float
    end: float

    @property
    def count(self) -> int:
        """The number of cells."""
        return len(self.own)

    @property
    def step(self) -> Array:
        """Twice the length of each cell, (N,)."""
        return np.asarray(self.own[:, -1])

    @cached_property
    def lines(self) -> Lines:
        """The lines of all cells, fields (N, R)."""
        parts: list[Given] = []
        for names, array in ((NODE, self.left), (NODE, self.right), (CELL, self.own)):
            columns = np.split(array[:, : len(names) * self.bounds.robot.n], len(names), axis=1)
            parts.append(Given(dict(zip(names, columns, strict=True))))
        robot, (left, right, own) = Given(self.bounds.vectors()), parts
        rows = self.bounds.acceleration is not None
        return limit_lines(NumpyOperations, robot, left, right, own, self.step[:, None], rows)

    @cached_property
    def holes(self) -> list[int]:
        """The rows that may have holes."""
        mixed = (self.lines.per_plus > 0) != (self.lines.per_minus > 0)
        return [int(r) for r in np.flatnonzero(mixed.any(axis=0))]

    def limit(self, rate: Array) -> Array:
        """The torque limits of the rows at rotor speeds (R, M), N m."""
        n = self.bounds.robot.n
        motors = np.moveaxis(rate[: 2 * n].reshape(2, n, -1), 1, 2)
        torque = np.minimum(self.bounds.drives.limit(motors), BIG)
        result = np.full(rate.shape, BIG)
        result[: 2 * n] = np.moveaxis(torque, 2, 1).reshape(2 * n, -1)
        return result

    def span(self, k: int, x: Array, low: float, high: float) -> tuple[Array, Array]:
        """The least and largest s'' in cell k from x (M,) to an x between `low` and `high`.

        Where x is outside of them, the speed at the end of the cell is that of the nearer one.
        """
        step, v = float(self.own[k, -1]), self._speeds(x, np.clip(x, low, high))
        return span(
            NumpyOperations, self.lines.at(k), self.limit, x, v, (low - x) / step,
            (high - x) / step, self.holes,
        )  # fmt: skip

    def _speeds(self, x: Array | float, y: Array) -> Array:
        """s' of the rows (R, M) in a cell that begins with x and ends with y (M,)."""
        n = self.bounds.robot.n
        v = np.zeros((self.lines.rests.shape[1], len(y)))
        v[:n], v[n : 2 * n] = np.sqrt(x), np.sqrt(y)
        return v

    def ahead(self, k: int, x: float, y: Array) -> Array:
        """By how much s'' in cell k from x could be larger than the one that leads to y (M,).

        At each end of the cell with the speed there.
        """
        step = float(self.own[k, -1])
        v = self._speeds(x, y)
        _, most = span(NumpyOperations, self.lines.at(k), self.limit, x, v, -BIG, BIG, self.holes)
        return np.asarray(most - (y - x) / step)

    def fits(self, k: int, x: Array, after: Sets) -> Any:
        """Whether some s'' leads from x (M,) at node k to one of the intervals at the next."""
        result = np.zeros(len(x), dtype=bool)
        for low, high in after:
            least, most = self.span(k, x, low, high)
            result |= least <= most
        return result


def controllable(problem: PassProblem, scan: int = SCAN) -> list[Sets]:
    """The controllable sets at all nodes; empty ones where there is none, and before them."""
    count = problem.count
    sets: list[Sets] = [[] for _ in range(count + 1)]
    sets[count] = [(problem.end, problem.end)]
    for k in range(count - 1, -1, -1):
        sets[k] = controllable_at(problem, k, sets[k + 1], scan)
        if not sets[k]:
            break
    return sets


def controllable_at(problem: PassProblem, k: int, after: Sets, scan: int = SCAN) -> Sets:
    """The controllable set at node k if that at the next node is `after`."""
    cap = float(problem.cap[k])
    tried = cap * np.linspace(0, 1, scan) ** 2
    known = [min(v, cap) for pair in after for v in pair]
    if k == 0:
        known.append(problem.start)
    tried = np.unique(np.concatenate([tried, known]))
    good = problem.fits(k, tried, after)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], good, [False]]).astype(int)))
    sets: Sets = []
    for first, last in zip(edges[::2], edges[1::2] - 1, strict=True):
        low, high = float(tried[first]), float(tried[last])
        if first > 0:
            low = _narrowed(problem, k, after, low, float(tried[first - 1]))
        if last < len(tried) - 1:
            high = _narrowed(problem, k, after, high, float(tried[last + 1]))
        sets.append((low, high))
    return sets


def _narrowed(problem: PassProblem, k: int, after: Sets, good: float, bad: float) -> float:
    """The x next to `bad` from which it still works, as from `good`."""
    return _last_good(lambda x: problem.fits(k, x, after), good, bad)


def _last_good(works_at: Callable[[Array], Any], good: float, bad: float) -> float:
    """The x next to `bad` at which it still works, as at `good`."""
    part = np.arange(1, PARTS) / PARTS
    for _ in range(ROUNDS):
        if abs(bad - good) <= FINE * (abs(good) + abs(bad)) + 1e-18:
            break
        x = good + (bad - good) * part
        works = works_at(x)
        place = int(works.argmin()) if not works.all() else len(x)
        here = good if place == 0 else float(x[place - 1])
        bad = bad if place == len(x) else float(x[place])
        good = here
    return good


def largest(problem: PassProblem, sets: list[Sets]) -> tuple[Array, int]:
    """The largest x (N + 1,) that can be reached within the sets, and the node where it ends.

    That is N if all goes well.
    """
    count = problem.count
    x = np.zeros(count + 1)
    x[0] = problem.start
    for k in range(count):
        reached = step_up(problem, k, float(x[k]), sets[k + 1])
        if reached is None:
            return x, k
        x[k + 1] = reached
    return x, count


def step_up(problem: PassProblem, k: int, x: float, after: Sets) -> float | None:
    """The largest x at node k + 1 that is reached from x at node k, within its set."""
    here = np.array([x])
    for low, high in reversed(after):
        least, most = problem.span(k, here, low, high)
        if least[0] <= most[0]:
            ends = x + problem.own[k, -1] * np.array([least[0], most[0]])
            lowest, y = (float(end) for end in np.clip(ends, low, high))
            return steady(problem, k, x, y, lowest, high)
    return None


def steady(problem: PassProblem, k: int, x: float, y: float, lowest: float, high: float) -> float:
    """The x at node k + 1 that is reached from x at node k, y if the speed did not change.

    Where torques depend much on the speed (it is all that a motor has against viscous friction, or
    its curve falls), s'' is that of the speeds at both ends. Otherwise the speed would swing from
    cell to cell.
    """

    def slack(place: float) -> float:
        return float(problem.ahead(k, x, np.array([place]))[0])

    step = float(problem.own[k, -1])
    differs, spare = DIFFERS * abs(y - x) / step, slack(y)
    if spare < -differs:
        good, bad = lowest, y
        if slack(lowest) < 0:
            return y
    elif spare > differs and y < high:
        good, bad = y, min(high, step * slack(0.0))  # what rest would allow
        if bad <= y:
            return y
        if slack(bad) >= 0:
            return bad
    else:
        return y
    return _last_good(lambda place: problem.ahead(k, x, place) >= 0, good, bad)
