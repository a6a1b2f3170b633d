"""The distance of a wrist centre from what the first three joints reach (limits apart).

Joint 1 turns the whole arm, so only distance from axis 1 and height count: the nearest point is
looked for over (q2, q3), by Newton's method with exact derivatives from the best of a grid.
"""

from __future__ import annotations

import numpy as np

from ...ground.arrays import Array
from .front import Geometry
from .scalars import NUMPY

GRID = 48
"""Points a turn of q2 and of q3."""
STEPS = 30
BLOCK = 512


def nearest_distance(g: Geometry, centers: Array) -> Array:
    """The distances (N,) in m of wrist centres (N, 3) in frame 0 from the nearest reached one."""
    wanted = np.stack([np.hypot(centers[:, 0], centers[:, 1]), centers[:, 2]])
    parts = [_search(g, wanted[:, k : k + BLOCK]) for k in range(0, wanted.shape[1], BLOCK)]
    return np.concatenate(parts) if parts else np.zeros(0)


def _search(g: Geometry, wanted: Array) -> Array:
    """The distances (N,) of (distance from axis 1, height) `wanted` (2, N)."""
    circle = np.linspace(-np.pi, np.pi, GRID, endpoint=False)
    if g.slides:
        span = float(np.abs(wanted).sum(axis=0).max()) + float(
            sum(np.linalg.norm(v) for v in (g.p1, g.p2, g.center))
        )
        third = np.linspace(-span, span, 2 * GRID)
    else:
        third = circle
    _, place = g.wrist_center(NUMPY, circle[:, None], third)
    x, y, z = np.broadcast_arrays(*place)
    count = wanted.shape[1]
    gap = np.square(np.hypot(x, y) - wanted[0, :, None, None])
    gap += np.square(z - wanted[1, :, None, None])
    # the grid in four by four parts, the best point of each, and starts from the best three parts
    parts = gap.reshape(count, 4, len(circle) // 4, 4, len(third) // 4).transpose(0, 1, 3, 2, 4)
    parts = parts.reshape(count, 16, -1)
    inside, rows = parts.argmin(axis=2), np.arange(count)
    order = np.take_along_axis(parts, inside[..., None], axis=2)[..., 0].argsort(axis=1)
    best = np.full(count, np.inf)
    for part in order[:, :3].T:
        row, column = np.divmod(inside[rows, part], len(third) // 4)
        second = circle[part // 4 * (len(circle) // 4) + row]
        best = np.minimum(
            best, _newton(g, wanted, second, third[part % 4 * (len(third) // 4) + column])
        )
    return np.asarray(np.sqrt(best))


def _newton(g: Geometry, wanted: Array, q2: Array, q3: Array) -> Array:
    """The squared distance at the local minimum next to (q2, q3)."""
    shift = np.full(len(q2), 1e-3)
    value, slope, bend = _model(g, wanted, q2, q3)
    for _ in range(STEPS):
        (a, b), (_, d) = bend
        least = 0.5 * (a + d) - np.hypot(0.5 * (a - d), b)
        add = np.maximum(shift - least, 0.0) + 1e-14
        det = (a + add) * (d + add) - b * b
        step2 = -((d + add) * slope[0] - b * slope[1]) / det
        step3 = -((a + add) * slope[1] - b * slope[0]) / det
        new, new_slope, new_bend = _model(g, wanted, q2 + step2, q3 + step3)
        better = new <= value
        shift = np.where(better, np.maximum(0.2 * shift, 1e-12), 10.0 * shift)
        q2, q3 = np.where(better, q2 + step2, q2), np.where(better, q3 + step3, q3)
        value = np.where(better, new, value)
        slope = np.where(better, new_slope, slope)
        bend = np.where(better, new_bend, bend)
        # a Newton step this small leaves nothing; a large shift means that no step helps
        if ((np.maximum(np.abs(step2), np.abs(step3)) < 1e-9) | (shift > 1e6)).all():
            break
    return np.asarray(value)


def _model(g: Geometry, wanted: Array, q2: Array, q3: Array) -> tuple[Array, Array, Array]:
    """Squared distance in the half-plane of axis 1, half its slope (2, N), half its bend."""
    r1, r2 = np.array(g.r1), np.array(g.r2)
    _, place = g.wrist_center(NUMPY, q2, q3)
    p = np.stack(np.broadcast_arrays(*place, q2)[:3], axis=-1)
    axis2 = r1[:, 2]
    c, s, zero = np.cos(q2), np.sin(q2), np.zeros_like(q2)
    turn = np.stack([c, -s, zero, s, c, zero, zero, zero, zero + 1], axis=-1).reshape(-1, 3, 3)
    outer = r1 @ turn
    axis3 = outer @ r2[:, 2]
    p2 = np.cross(axis2, p - g.p1)
    if g.slides:
        p3, p33 = axis3, np.zeros_like(axis3)
    else:
        p3 = np.cross(axis3, p - (g.p1 + outer @ g.p2))
        p33 = np.cross(axis3, p3)
    p22, p23 = np.cross(axis2, p2), np.cross(axis2, p3)
    radius = np.maximum(np.hypot(p[:, 0], p[:, 1]), 1e-12)
    gap, rise = radius - wanted[0], p[:, 2] - wanted[1]

    def flat(a: Array, b: Array) -> Array:
        return np.asarray(a[:, 0] * b[:, 0] + a[:, 1] * b[:, 1])

    first = [flat(p, d) / radius for d in (p2, p3)]
    slope = np.stack([gap * r + rise * d[:, 2] for r, d in zip(first, (p2, p3), strict=True)])

    def bend(i: int, j: int, pi: Array, pj: Array, pij: Array) -> Array:
        second = (flat(pi, pj) + flat(p, pij)) / radius - first[i] * first[j] / radius
        value = first[i] * first[j] + gap * second + pi[:, 2] * pj[:, 2] + rise * pij[:, 2]
        return np.asarray(value)

    mixed = bend(0, 1, p2, p3, p23)
    matrix = np.stack([np.stack([bend(0, 0, p2, p2, p22), mixed]),
                       np.stack([mixed, bend(1, 1, p3, p3, p33)])])  # fmt: skip
    return gap * gap + rise * rise, slope, matrix
