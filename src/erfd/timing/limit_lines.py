"""The limits of all cells of a piece as lines over s'' and s'^2, for `span`."""

from __future__ import annotations

import numpy as np

from ..ground.arrays import Array
from .cells import SHY, Cells
from .reserve import Reserve
from .span import BIG, Lines

TINY = 1e-30
"""The slope of a line that has none: it meets its limit far away or nowhere."""


def lines_of(cells: Cells, reserve: Reserve) -> tuple[Lines, list[int]]:
    """The limits of all cells, fields (N, R), and the rows that may have holes.

    R is 2 n, motors at the left and at the right end of a cell, and 2 n more if accelerations of
    joints count. `reserve` is taken off the limits.
    """
    bounds = cells.bounds
    d, n = bounds.drives, bounds.robot.n
    mu, inertia, viscous = d.load_friction, d.inertia, d.viscous
    sign = np.where(cells.direction < 0, -1.0, 1.0)
    rests = cells.direction == 0
    step = 2 * cells.length[:, None]
    damping = np.array([joint.damping for joint in bounds.robot.joints])
    drag = (cells.first * damping) @ d.K_inverse
    kept = (1 - bounds.margin) * (1 - SHY)
    parts: list[dict[str, Array]] = []
    for (a, b, c), rows, right in (
        (cells.loads_left, slice(None, -1), 0.0),
        (cells.loads_right, slice(1, None), 1.0),
    ):
        r1, r2 = cells.turn[rows], cells.bend[rows]
        slope = a + right * step * b
        rotor = inertia * (r1 + right * step * r2)
        own_x, own_v = inertia * r2, viscous * r1
        part = {}
        for name, gain in (("plus", 1 + mu), ("minus", 1 - mu)):
            part[f"m_{name}"] = _not_zero(sign * (rotor + gain * slope))
            part[f"x_{name}"] = sign * (own_x + gain * b)
            part[f"v_{name}"] = sign * (own_v + gain * drag[rows])
            part[f"c_{name}"] = sign * gain * c
        dry = np.where(rests, -1.0, 1.0) * d.coulomb
        up = np.where(sign > 0, reserve.up, reserve.down)
        down = np.where(sign > 0, reserve.down, reserve.up)
        part["scale"] = np.full_like(r1, kept)
        part["rate"] = np.abs(r1)
        part["top_shift"], part["low_shift"] = up + dry, down - d.coulomb
        part["volt"] = np.broadcast_to(
            np.minimum(bounds.volt * bounds.per_volt * kept, BIG), r1.shape
        )
        part["emf"] = sign * bounds.per_volt * bounds.emf * r1
        part["rests"] = rests.astype(float)
        parts.append(part)
    if np.isfinite(bounds.acceleration).any():
        parts += _acceleration_rows(cells, step, 1 - reserve.part)
    lines = Lines(**{name: np.hstack([part[name] for part in parts]) for name in parts[0]})
    mixed = (lines.m_plus > 0) != (lines.m_minus > 0)
    return lines, np.flatnonzero(mixed.any(axis=0)).tolist()


def _acceleration_rows(cells: Cells, step: Array, kept: Array) -> list[dict[str, Array]]:
    """The rows of the joints' accelerations, q' s'' + q'' s'^2, at both ends of each cell."""
    most = np.minimum(cells.bounds.acceleration * kept, BIG)
    parts = []
    for rows, right in ((slice(None, -1), 0.0), (slice(1, None), 1.0)):
        q1, q2 = cells.first[rows], cells.second[rows]
        nothing = np.zeros_like(q1)
        slope = _not_zero(q1 + right * step * q2)
        parts.append(
            {
                "m_plus": slope, "m_minus": slope, "x_plus": q2, "x_minus": q2,
                "v_plus": nothing, "v_minus": nothing, "c_plus": nothing, "c_minus": nothing,
                "scale": nothing, "rate": nothing,
                "top_shift": nothing - most, "low_shift": nothing - most,
                "volt": nothing + BIG, "emf": nothing, "rests": nothing,
            }
        )  # fmt: skip
    return parts


def _not_zero(slope: Array) -> Array:
    """The slopes, none of them zero: but `TINY`."""
    return np.where(np.abs(slope) < TINY, TINY, slope)
