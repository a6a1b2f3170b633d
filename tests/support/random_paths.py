"""Random curves, and the rotations between orientations, for the tests of paths."""

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from erfd.planning.path.curve import Curve, arc, line

numbers = st.integers(0, 2**32 - 1).map(np.random.default_rng)


def random_curve(rng: np.random.Generator, start: np.ndarray) -> Curve:
    if rng.random() < 0.5:
        return line(start, start + rng.normal(size=3))
    return arc(start, start + rng.normal(size=3), start + rng.normal(size=3))


def between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The rotation vectors (N, 3) from orientations a to b (N, 3, 3), in base axes."""
    return Rotation.from_matrix(b @ np.swapaxes(a, 1, 2)).as_rotvec()
