"""Reduce the points of curves to what a screen can show, keeping every extreme value."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...ground.arrays import Array


def decimate(t: Array, values: Array, points: int) -> tuple[Array, Array]:
    """Reduce t (N,) and values (m, N) to about `points` columns that look the same when drawn.

    Moments are put into equal groups; each gives two, which hold the smallest and the largest value
    of every curve, in the order in which they came, at the group's first and middle time. So no
    peak is lost, however short. Few enough moments come back as they are. What is no number (NaN)
    is kept only where a group has nothing else.
    """
    size = len(t)
    groups = max(1, points // 2)
    if size <= 2 * groups:
        return t, values
    length = -(-size // groups)
    whole = size // length * length
    times, columns = [], []
    for first, last in ((0, whole), (whole, size)):
        if last - first < 2:
            times.append(t[first:last])
            columns.append(values[:, first:last])
            continue
        width = min(length, last - first)
        starts = np.arange(first, last, width)
        times.append(np.stack([t[starts], t[starts + width // 2]], axis=1).reshape(-1))
        columns.append(np.stack([_extremes(row[first:last], width) for row in values]))
    return np.concatenate(times), np.concatenate(columns, axis=1)


def _extremes(values: Array, width: int) -> Array:
    """Two values for each group of `width`: its extremes, in the order in which they came."""
    block = np.ascontiguousarray(values).reshape(-1, width)
    low = np.where(np.isnan(block), np.inf, block).argmin(axis=1)
    high = np.where(np.isnan(block), -np.inf, block).argmax(axis=1)
    order = np.stack([np.minimum(low, high), np.maximum(low, high)], axis=1)
    return np.take_along_axis(block, order, axis=1).reshape(-1)


def even_rows(size: int, points: int) -> NDArray[np.intp]:
    """At most `points` row numbers of 0..size-1, evenly spread, with both ends."""
    if size <= points:
        return np.arange(size)
    return np.unique(np.linspace(0, size - 1, points).round().astype(np.intp))
