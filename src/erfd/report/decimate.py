"""Curves of many points for a screen of few: what is drawn keeps every extreme value."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def decimate(t: Array, values: Array, points: int) -> tuple[Array, Array]:
    """At most about `points` rows of t (N,) and values (N, m) that look the same when drawn.

    Rows are put into equal groups; each gives two rows, which hold the smallest and the largest
    value of every column, in the order in which they came, at the group's first and middle time.
    So no peak is lost, however short. Few enough rows come back as they are.
    """
    size = len(t)
    groups = max(1, points // 2)
    if size <= 2 * groups:
        return t, values
    length = -(-size // groups)
    whole = size // length * length
    times, rows = [], []
    for first, last in ((0, whole), (whole, size)):
        if last - first < 2:
            times.append(t[first:last])
            rows.append(values[first:last])
            continue
        width = min(length, last - first)
        block = values[first:last].reshape(-1, width, values.shape[1])
        low, high = block.argmin(axis=1), block.argmax(axis=1)
        early, late = np.minimum(low, high), np.maximum(low, high)
        pair = [np.take_along_axis(block, at[:, None, :], axis=1)[:, 0] for at in (early, late)]
        rows.append(np.stack(pair, axis=1).reshape(-1, values.shape[1]))
        starts = np.arange(first, last, width)
        times.append(np.stack([t[starts], t[starts + width // 2]], axis=1).reshape(-1))
    return np.concatenate(times), np.concatenate(rows)


def thin(size: int, points: int) -> NDArray[np.intp]:
    """At most `points` row numbers of 0..size-1, evenly spread, with both ends."""
    if size <= points:
        return np.arange(size)
    return np.unique(np.linspace(0, size - 1, points).round().astype(np.intp))
