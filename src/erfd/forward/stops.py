"""Joint stops: the torques that hold a joint there, and the impact when it arrives.

Joint j is at rest if c_j w = 0, c_j the row j of K^-1. Holding torques l give M y = r + C^T l with
C y = 0; an inelastic impact changes w by M^-1 C^T p so that C w = 0, which is a projection: kinetic
energy never grows. Both need the small matrix G = C M^-1 C^T of the joints that are held.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..dynamics.linear import solve
from ..dynamics.vectors import Matrix, Scalar, dot, plus, times, total
from .plant import ScalarPlant
from .scalars import Condition, Ops, magnitude

CALM = 1e-9
"""A joint that would leave its stop by less than this in a step (rad, m) after an impact stays."""
ROUNDING = 1e-12
"""What is left of a difference of equal numbers, as a part of them: taken for zero."""


def balance(
    arm: ScalarPlant,
    matrix: Matrix,
    free: Sequence[Scalar],
    *,
    stuck: Sequence[Condition | None],
    held: Sequence[Scalar],
) -> tuple[list[Scalar], list[Scalar]]:
    """The accelerations y that leave the held joints at rest, and the torques of their stops.

    `free` are the accelerations without stops. A joint that rotors which stick hold already (its
    row of G vanishes) needs no torque of its stop.
    """
    ops, n = arm.ops, arm.plant.n
    rows = [
        [
            c if c == 0 or mask is None else ops.choose(mask, 0.0, c)
            for c, mask in zip(arm.plant.K_inverse[j], stuck, strict=True)
        ]
        for j in range(n)
    ]
    columns = [solve(matrix, row) for row in rows]  # M^-1 c_j
    speeds = [dot(row, free) for row in rows]
    stop = [-x for x in _masked_solve(ops, rows, columns, speeds, active=[h != 0 for h in held])]
    y = []
    for i in range(n):
        change = [times(columns[j][i], stop[j]) for j in range(n)]
        y.append(_snapped(ops, free[i], change))
    return y, stop


def impact_round(
    arm: ScalarPlant,
    A: Matrix,
    w: Sequence[Scalar],
    *,
    near: Sequence[Scalar],
    hit: Sequence[Scalar],
    single: Scalar,
    calm: Scalar,
) -> tuple[list[Scalar], list[Scalar], list[Scalar], Scalar]:
    """Do one round of an impact: w after it, J lost at every joint, better `hit`, 1 if it changed.

    `hit` (n) is 1 for the joints that get an impulse; it fits if every stop pushes and no joint at
    a stop moves on into it. A joint that would leave its stop slower than `calm` stays there (2):
    else two joints could throw each other off their stops again and again, ever faster and less.
    """
    ops, n, inertia = arm.ops, arm.plant.n, arm.p["inertia"]
    matrix = [
        [plus(x, inertia[i]) if i == j else x for j, x in enumerate(row)] for i, row in enumerate(A)
    ]
    rows = arm.plant.K_inverse
    columns = [solve(matrix, row) for row in rows]
    speeds = [dot(row, w) for row in rows]
    impulse = _masked_solve(ops, rows, columns, speeds, active=[h > 0.5 for h in hit])
    after = [
        _snapped(ops, w[i], [-times(columns[j][i], impulse[j]) for j in range(n)]) for i in range(n)
    ]
    lost = [times(0.5, times(p, speed)) for p, speed in zip(impulse, speeds, strict=True)]
    better, seen = list(hit), 0.0
    for j in range(n):
        terms = [times(k, rate) for k, rate in zip(rows[j], after, strict=True)]
        into = total(terms) * near[j] > ROUNDING * (
            total([magnitude(ops, x) for x in terms]) + magnitude(ops, speeds[j])
        )
        pulls = ops.both(hit[j] == 1, impulse[j] * near[j] < 0)
        free = ops.both(hit[j] < 0.5, near[j] != 0)
        misses = ops.both(free, into)
        slow = ops.both(free, total(terms) * near[j] > -calm)
        wrong = ops.either(pulls, slow)
        now = ops.both(wrong, ops.either(single < 0.5, seen < 0.5))
        seen = ops.choose(wrong, 1.0, seen)
        fresh = ops.choose(pulls, 0.0, ops.choose(misses, 1.0, 2.0))
        better[j] = ops.choose(now, fresh, hit[j])
    return after, lost, better, seen


def _masked_solve(
    ops: Ops,
    rows: Matrix,
    columns: Matrix,
    right: Sequence[Scalar],
    *,
    active: Sequence[Condition],
) -> list[Scalar]:
    """Solve G p = right for the active rows; p is 0 for the others and where G has no pivot."""
    n = len(rows)
    g = [
        [
            ops.choose(ops.both(active[i], active[j]), dot(rows[i], columns[j]), 0.0)
            for j in range(i + 1)
        ]
        for i in range(n)
    ]
    p = [ops.choose(active[i], right[i], 0.0) for i in range(n)]
    first = [g[i][i] for i in range(n)]
    inverse: list[Scalar] = []
    for k in range(n):
        pivot, column = g[k][k], [row[k] if len(row) > k else 0.0 for row in g]
        sound = pivot > ROUNDING * first[k]
        inverse.append(ops.choose(sound, 1.0, 0.0) / ops.choose(sound, pivot, 1.0))
        for i in range(k + 1, n):
            g[i][k] = column[i] * inverse[k]
            for j in range(k + 1, i + 1):
                g[i][j] = g[i][j] - g[i][k] * column[j]
            p[i] = p[i] - g[i][k] * p[k]
    for k in reversed(range(n)):
        p[k] = p[k] * inverse[k]
        for i in range(k + 1, n):
            p[k] = p[k] - g[i][k] * p[i]
    return p


def _snapped(ops: Ops, x: Scalar, changes: Sequence[Scalar]) -> Scalar:
    """The sum of x and its changes; exactly 0 if they cancel but for rounding."""
    result = plus(x, total(changes))
    scale = plus(magnitude(ops, x), total([magnitude(ops, c) for c in changes]))
    return ops.choose(magnitude(ops, result) <= ROUNDING * scale, 0.0, result)
