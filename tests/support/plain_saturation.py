"""Which motors saturate, and what the others then do: the problem of Algorithm 1, step 6.

Wanted are rotor accelerations y with motor torques within their limits, such that every motor below
its limit gives its rotor the desired acceleration, and every motor at its limit falls short of it
in the direction in which it pushes. With load x = A y + b (A symmetric positive definite for the
virtual-work path) and u_a = x + mu |x| s + c s + d y + f, d > 0, that is a complementarity problem
with exactly one solution (erratum 8). The set of saturated motors is grown and released until it
fits; after a few rounds only the lowest index changes (Murty), which always ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

ALL_AT_ONCE = 6
"""Rounds in which every violated index changes; then only the lowest one of each state does."""
ROUNDS = 200
SLACK = 1e-12
"""A torque may exceed its limit by this part of it before its motor counts as saturated."""


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """One cycle's saturation problem for a batch of states; arrays (m, n), A is (m, n, n)."""

    A: Array
    b: Array
    wanted: Array
    mu: Array
    dry: Array
    inertia: Array
    viscous: Array
    direction: Array
    limit: Array

    def torque(self, y: Array) -> tuple[Array, Array]:
        """Load and motor torque at rotor accelerations y."""
        x = np.einsum("mij,mj->mi", self.A, y) + self.b
        friction = (self.mu * np.abs(x) + self.dry) * self._against(x)
        return x, x + friction + self.inertia * y + self.viscous

    def _against(self, x: Array) -> Array:
        """Where friction points: a rotor that is to stay at rest can only slip with the load."""
        return np.where(self.direction == 0, -np.sign(x), self.direction)


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """Rotor accelerations, loads, motor torques, and which motors are at a limit (-1, 0, +1)."""

    y: Array
    load: Array
    torque: Array
    side: Array
    solved: Mask


def solve(problem: Problem) -> Solution:
    """The one solution, state by state."""
    m, n = problem.wanted.shape
    side = np.zeros((m, n))
    sign = np.sign(problem.torque(problem.wanted)[0])
    sign[sign == 0] = 1.0
    y = problem.wanted.copy()
    open_ = np.ones(m, dtype=bool)
    for count in range(ROUNDS):
        rows = np.flatnonzero(open_)
        part = _rows(problem, rows)
        y[rows] = _accelerations(part, side[rows], sign[rows])
        load, torque = part.torque(y[rows])
        single = count >= ALL_AT_ONCE
        changed = _changes(part, y[rows], load, torque, side[rows], sign[rows], single)
        side[rows], sign[rows] = changed[0], changed[1]
        open_[rows] = changed[2]
        if not open_.any():
            break
    load, torque = problem.torque(y)
    held = (problem.direction == 0) & (side == 0)  # at rest, and staying there: friction helps
    torque = np.where(held, np.clip(load, -problem.limit, problem.limit), torque)
    return Solution(y, load, torque, side, ~open_)


def _rows(p: Problem, rows: NDArray[np.intp]) -> Problem:
    return Problem(
        p.A[rows], p.b[rows], p.wanted[rows], p.mu[rows], p.dry[rows], p.inertia[rows],
        p.viscous[rows], p.direction[rows], p.limit[rows],
    )  # fmt: skip


def _accelerations(p: Problem, side: Array, sign: Array) -> Array:
    """y: as wanted where a motor has torque to spare, from its torque where it is at a limit."""
    tight = side != 0
    against = p._against(sign)
    slope = 1 + p.mu * sign * against  # of phi where the load has this sign
    matrix = np.where(tight[:, :, None] & tight[:, None, :], p.A, 0.0)
    n = p.wanted.shape[1]
    diagonal = np.where(tight, np.einsum("mii->mi", p.A) + p.inertia / slope, 1.0)
    matrix[:, np.arange(n), np.arange(n)] = diagonal
    free = np.where(tight, 0.0, p.wanted)
    given = (side * p.limit - p.viscous - p.dry * against) / slope - p.b
    right = np.where(tight, given - np.einsum("mij,mj->mi", p.A, free), p.wanted)
    return np.linalg.solve(matrix, right[..., None])[..., 0]


def _changes(
    p: Problem, y: Array, load: Array, torque: Array, side: Array, sign: Array, single: bool
) -> tuple[Array, Array, Mask]:
    """New sides and load signs, and which states have changed."""
    over = (side == 0) & (np.abs(torque) > p.limit * (1 + SLACK))
    short = side * (p.wanted - y)  # how much the motor would still have to push
    tiny = 1e-12 * (np.abs(p.wanted) + np.abs(y))
    release = (side != 0) & (short < -tiny)
    flip = (side != 0) & (load * sign < 0)
    violated = over | release | flip
    if single:
        first = violated & (np.cumsum(violated, axis=1) == 1)
        over, release, flip = over & first, release & first, flip & first
    new_sign = np.where(flip, -sign, np.where(over, np.where(load < 0, -1.0, 1.0), sign))
    new_side = np.where(release & ~flip, 0.0, np.where(over, np.sign(torque), side))
    return new_side, new_sign, violated.any(axis=1)
