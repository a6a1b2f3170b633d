"""Which motors saturate, and what the others then do: the problem of Algorithm 1, step 6.

Wanted are rotor accelerations y with motor torques within their limits, such that every motor below
its limit gives its rotor the desired acceleration, and every motor at its limit falls short of it
in the direction in which it pushes. The load is x = A y + b, the motor torque

    u = x + F + grip y + drag,    F = (mu |x| + dry) sign(rate + y dt),

and a rotor that comes to rest at the end of the cycle has any friction within the cone. The torque
rises with y, so for the virtual-work path (A symmetric positive definite) that is the minimum of a
strictly convex function, and there is exactly one (erratum 8).

It is found rotor by rotor, the others held (Gauss-Seidel, a descent of that function). In between,
the pieces that the rotors are on make a linear system: if its solution stays where it is when the
rotors are gone through once more, it is exact, and the search ends. Simple and slow.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

REST = 1e-9
"""A rotor slower than this (rad/s) at the end of the cycle rests."""
SWEEPS = 100_000
SETTLED = 1e-11
"""The change in a sweep, as a part of the accelerations, that rounding explains."""
ENDLESS = 1e15
"""What an infinite torque limit is taken for, N m."""


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """One cycle's saturation problem for a batch of states; arrays (m, n), A is (m, n, n).

    `wanted` are the rotor accelerations asked for, `grip` the torque per acceleration of the rotor
    itself, `drag` what viscous friction takes anyway, `rate` the speeds at the start of the cycle.
    """

    A: Array
    b: Array
    wanted: Array
    mu: Array
    dry: Array
    grip: Array
    drag: Array
    rate: Array
    limit: Array
    dt: float

    @property
    def rest(self) -> Array:
        """The acceleration after which a rotor rests; the wanted one, if it rests after that."""
        to_rest = np.abs(self.rate + self.wanted * self.dt) <= REST
        return np.where(to_rest, self.wanted, -self.rate / self.dt)

    def load(self, y: Array) -> Array:
        """The load of the links on the rotors at accelerations y."""
        return np.einsum("mij,mj->mi", self.A, y) + self.b

    def most(self, x: Array) -> Array:
        """The most that dry friction is at loads x."""
        return self.mu * np.abs(x) + self.dry

    def rows(self, chosen: NDArray[np.intp]) -> Problem:
        """Some of the states."""
        names = ("A", "b", "wanted", "mu", "dry", "grip", "drag", "rate", "limit")
        return Problem(*(getattr(self, name)[chosen] for name in names), self.dt)


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """Rotor accelerations, loads, motor torques, and which motors are at a limit (-1, 0, +1).

    `slip` is the direction in which a rotor turns at the end of the cycle, 0 if it rests.
    """

    y: Array
    load: Array
    torque: Array
    side: Array
    slip: Array
    solved: Mask


@dataclass(frozen=True, slots=True, eq=False)
class _Pieces:
    """Where each rotor is: `side` (0: as wanted), `slip` (0: at rest), `sign` of the load."""

    side: Array
    slip: Array
    sign: Array


def solve(problem: Problem) -> Solution:
    """The one solution, state by state."""
    m, n = problem.wanted.shape
    y = problem.wanted.copy()
    side, slip = np.zeros((m, n)), np.zeros((m, n))
    open_ = np.arange(m)
    for _ in range(SWEEPS):
        p = problem.rows(open_)
        swept, pieces = sweep(p, y[open_])
        exact = _on_pieces(p, pieces)
        again, same = sweep(p, exact)
        settled = (np.abs(again - exact) <= SETTLED * _size(p, exact)).all(axis=1)
        y[open_] = np.where(settled[:, None], exact, swept)
        side[open_], slip[open_] = same.side, same.slip
        # a rotor that has what it wants is at no limit, whatever rounding says
        open_ = open_[~settled]
        if not len(open_):
            break
    solved = np.ones(m, dtype=bool)
    solved[open_] = False
    y = np.where(side == 0, problem.wanted, y)
    slip = np.where(side == 0, _direction(problem, y), slip)
    load = problem.load(y)
    bare = load + problem.grip * y + problem.drag
    torque = np.where(
        side != 0,
        side * np.minimum(problem.limit, ENDLESS),
        np.where(
            slip != 0,
            bare + problem.most(load) * slip,
            np.clip(bare, -problem.limit, problem.limit),
        ),
    )
    return Solution(y, load, torque, side, slip, solved)


def _size(p: Problem, y: Array) -> Array:
    """How large the accelerations of a state are."""
    return np.maximum(np.abs(y), np.abs(p.wanted)).max(axis=1, keepdims=True) + 1e-30


def _direction(p: Problem, y: Array) -> Array:
    """Where a rotor turns at the end of the cycle, 0 at rest."""
    end = p.rate + y * p.dt
    return np.where(np.abs(end) <= REST, 0.0, np.sign(end))


def sweep(p: Problem, y: Array) -> tuple[Array, _Pieces]:
    """Each rotor in turn gets what it can, given the others: accelerations, and their pieces."""
    y = y.copy()
    side, slip, sign = (np.zeros(y.shape) for _ in range(3))
    rest = p.rest
    for i in range(y.shape[1]):
        a = p.A[:, i, i]
        others = np.einsum("mj,mj->m", p.A[:, i], y) + p.b[:, i] - a * y[:, i]
        wanted = p.wanted[:, i]
        low, low_piece = _at_limit(p, i, others, rest[:, i], -1.0)
        high, high_piece = _at_limit(p, i, others, rest[:, i], 1.0)
        slack = 1e-13 * np.abs(wanted)
        over, under = high < wanted - slack, low > wanted + slack
        side[:, i] = np.where(over, 1.0, np.where(under, -1.0, 0.0))
        y[:, i] = np.where(over, high, np.where(under, low, wanted))
        for found, place in ((slip, 0), (sign, 1)):
            found[:, i] = np.where(over, high_piece[place], low_piece[place])
    return y, _Pieces(side, slip, sign)


def _at_limit(
    p: Problem, i: int, others: Array, rest: Array, side: float
) -> tuple[Array, tuple[Array, Array]]:
    """The acceleration of rotor i with its motor at a limit, and (slip, sign of the load)."""
    a, mu, dry, grip = p.A[:, i, i], p.mu[:, i], p.dry[:, i], p.grip[:, i]
    given = side * np.minimum(p.limit[:, i], ENDLESS) - p.drag[:, i]
    at_rest = a * rest + others
    left = given - at_rest - grip * rest  # for friction, were the rotor at rest
    most = mu * np.abs(at_rest) + dry
    slip = np.where(left > most, 1.0, np.where(left < -most, -1.0, 0.0))
    positive, negative = (
        (given - dry * slip - (1 + mu * slip * sign) * others) / ((1 + mu * slip * sign) * a + grip)
        for sign in (1.0, -1.0)
    )
    forward = a * positive + others >= 0
    moving = np.where(forward, positive, negative)
    return np.where(slip == 0, rest, moving), (slip, np.where(forward, 1.0, -1.0))


def _on_pieces(p: Problem, pieces: _Pieces) -> Array:
    """The accelerations if every rotor stays on its piece: a linear system."""
    n = p.wanted.shape[1]
    slipping = (pieces.side != 0) & (pieces.slip != 0)
    slope = 1 + p.mu * pieces.sign * pieces.slip
    matrix = np.where(slipping[:, :, None], slope[:, :, None] * p.A, 0.0)
    matrix[:, np.arange(n), np.arange(n)] += np.where(slipping, p.grip, 1.0)
    limit = pieces.side * np.minimum(p.limit, ENDLESS)
    pushed = limit - p.drag - p.dry * pieces.slip - slope * p.b
    held = np.where(pieces.side == 0, p.wanted, p.rest)
    return np.linalg.solve(matrix, np.where(slipping, pushed, held)[..., None])[..., 0]


def violation(p: Problem, y: Array, torque: Array, side: Array) -> dict[str, Array]:
    """By how much each condition fails, (m, n): torques as parts of their size, and accelerations.

    It knows nothing of how y was found: `torque` equation, `limit`, and whether a motor `free` of
    its limit does as wanted, one at its limit falls `short`.
    """
    x = p.load(y)
    most, end = p.most(x), p.rate + y * p.dt
    limit = np.minimum(p.limit, ENDLESS)
    friction = torque - x - p.grip * y - p.drag
    # the speeds that rounding of y cannot tell from rest
    blurred = REST + 1e-9 * (np.abs(p.rate) + np.abs(y) * p.dt)
    cone = np.maximum(np.abs(friction) - most, 0)
    law = np.where(np.abs(end) <= blurred, cone, np.abs(friction - most * np.sign(end)))
    size = np.abs(x) + np.abs(p.grip * y) + np.abs(p.drag) + most + np.abs(torque)
    size = np.maximum(size, np.abs(p.A * y[:, None, :]).max(axis=2))
    scale = _size(p, y)
    return {
        "torque": law / (size + 1e-30),
        "limit": np.maximum(np.abs(torque) - limit, 0) / (limit + 1e-30),
        "at limit": np.where(side != 0, np.abs(torque - side * limit) / (limit + 1e-30), 0.0),
        "free": np.where(side == 0, np.abs(y - p.wanted), 0.0) / scale,
        "short": np.where(side != 0, np.maximum(side * (y - p.wanted), 0), 0.0) / scale,
    }


def every_solution(p: Problem) -> tuple[Array, Array]:
    """All fitting accelerations of one state (m = 1) of a few rotors, and their sides: (k, n) each.

    Brute force: a rotor moves as wanted, or its motor is at either limit while the rotor comes to
    rest or slips either way under a load of either sign, eleven pieces each. Neighbouring pieces
    meet, so a solution on an edge is found more than once.
    """
    n = p.wanted.shape[1]
    one = [(0.0, 0.0, 1.0)]
    one += [(side, 0.0, 1.0) for side in (-1.0, 1.0)]
    one += [(a, b, c) for a in (-1.0, 1.0) for b in (-1.0, 1.0) for c in (-1.0, 1.0)]
    index = np.stack(np.meshgrid(*[np.arange(len(one))] * n, indexing="ij"), -1).reshape(-1, n)
    table = np.array(one)[index]
    pieces = _Pieces(*(np.ascontiguousarray(table[..., k]) for k in range(3)))
    many = p.rows(np.zeros(len(index), dtype=np.intp))
    y = _on_pieces(many, pieces)
    x = many.load(y)
    most, end, bare = many.most(x), many.rate + y * p.dt, x + many.grip * y + many.drag
    limit = np.minimum(many.limit, ENDLESS)
    tight = pieces.side != 0
    speed = np.abs(many.rate) + np.abs(y) * p.dt
    size = np.abs(x) + np.abs(bare) + most + limit
    wants_rest = np.abs(many.rate + many.wanted * p.dt) <= REST
    own = np.where(wants_rest, 0.0, np.sign(many.rate + many.wanted * p.dt))
    beyond = np.abs(bare + most * own) - np.where(wants_rest, most, 0.0) - limit
    good = np.where(tight, pieces.side * (many.wanted - y) >= -1e-10 * _size(many, y), True)
    good &= np.where(tight, True, beyond <= 1e-10 * size)
    slipping = tight & (pieces.slip != 0)
    good &= np.where(slipping, pieces.slip * end >= -1e-10 * speed, True)
    good &= np.where(slipping, pieces.sign * x >= -1e-10 * size, True)
    held = np.abs(pieces.side * limit - bare) <= most + 1e-10 * size
    good &= np.where(tight & (pieces.slip == 0), held, True)
    fits = good.all(axis=1)
    return y[fits], pieces.side[fits]
