"""The nearest inertia that a body can have, for files whose numbers no body has."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..ground.arrays import Array

SLACK = 1e-9
"""What a tensor may break the rules by, as a part of its largest entry: print rounds."""


def nearest_physical(inertia: ArrayLike) -> tuple[Array, str]:
    """The tensor nearest to one (Frobenius norm) that a body can have, and what was changed.

    A body's second moments S = tr(I)/2 1 - I are not negative; principal moments then obey the
    triangle inequality. The tensor keeps its principal axes; its moments move as little as
    possible (a projection onto the cone of the three inequalities).

    Args:
        inertia: A symmetric tensor about the mass centre, kg m2, (3, 3).

    Returns:
        The tensor, and a sentence of its principal moments before and after; the same tensor and
        an empty sentence if nothing had to be changed.
    """
    tensor = np.array(inertia, dtype=np.float64)
    if not np.isfinite(tensor).all():
        return tensor, ""
    tensor = (tensor + tensor.T) / 2
    moments, axes = np.linalg.eigh(tensor)
    size = float(np.abs(tensor).max())
    if moments[0] >= -SLACK * size and moments[0] + moments[1] >= moments[2] - SLACK * size:
        return np.array(inertia, dtype=np.float64), ""
    near = _project(moments)
    before, after = (", ".join(f"{x:.4g}" for x in values) for values in (moments, near))
    return np.asarray(axes * near @ axes.T), f"{before} -> {after} kg m2"


def _project(moments: Array) -> Array:
    """The nearest moments that obey the triangle inequality: the cone 2 x = M s with s >= 0."""
    from scipy.optimize import nnls

    # moments are sums of two of the second moments s along the axes
    sums = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    size = float(np.abs(moments).max())
    second, _ = nnls(sums, moments / size)
    return np.asarray(sums @ second * size)
