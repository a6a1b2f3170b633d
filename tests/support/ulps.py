"""Errors in units of the last place."""

import mpmath
import numpy as np


def ulps(found: np.ndarray, exact: list) -> np.ndarray:
    """Errors in units of the last place of the exact value."""
    errors = []
    for value, wanted in zip(found, exact, strict=True):
        unit = mpmath.mpf(float(np.spacing(abs(float(wanted)))))
        errors.append(float(abs(mpmath.mpf(float(value)) - wanted) / unit))
    return np.array(errors)
