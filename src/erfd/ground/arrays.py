"""Arrays of numbers: their types, and checks of arguments."""

from __future__ import annotations

from types import EllipsisType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Shape = tuple[int | str | EllipsisType, ...]
"""A shape that is asked for: a letter is an axis of any length, `...` in front are any axes."""


def as_numbers(name: str, value: Any, *, copy: bool = True) -> Array:
    """The argument `name` as an array of float64: a new one, unless no `copy` is asked for."""
    try:
        return np.array(value, dtype=np.float64) if copy else np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):  # the last one of Python's long integers
        raise InputError(f"{name}: expected numbers, found {value!r:.60}") from None


def shaped_array(name: str, value: Any, *shapes: Shape) -> Array:
    """The argument `name` as a new array that has one of the shapes."""
    return require_shape(name, as_numbers(name, value), *shapes)


def require_shape(name: str, array: Array, *shapes: Shape) -> Array:
    """The array, or an error if it has none of the shapes."""
    if not any(_fits(array.shape, shape) for shape in shapes):
        expected = " or ".join(_shape_text(shape) for shape in shapes)
        raise InputError(f"{name}: expected shape {expected}, found {array.shape}")
    return array


def finite_array(name: str, value: Any, *shapes: Shape) -> Array:
    """The argument `name` as a new array of finite numbers that has one of the shapes."""
    return require_finite(name, shaped_array(name, value, *shapes))


def require_finite(name: str, array: Array) -> Array:
    """The array, or an error that says what is not finite in it, and where."""
    if not np.isfinite(array).all():
        where = [int(i) for i in np.argwhere(~np.isfinite(array))[0]]
        raise InputError(f"{name}: expected finite numbers, found {array[tuple(where)]} at {where}")
    return array


def finite_vector(name: str, value: Any, n: int) -> Array:
    """The argument `name` as a new array of n finite numbers."""
    array = as_numbers(name, value)
    if array.shape != (n,) or not np.isfinite(array).all():
        raise InputError(f"{name}: expected {n} finite numbers, found {value!r:.80}")
    return array


def nearest(rising: Array, wanted: Array) -> NDArray[np.intp]:
    """The places (M,) of the nearest of rising numbers (N,) to each wanted one (M,)."""
    after = np.clip(np.searchsorted(rising, wanted), 1, max(len(rising) - 1, 1))
    if len(rising) < 2:
        return np.zeros(len(wanted), dtype=np.intp)
    earlier = wanted - rising[after - 1] <= rising[after] - wanted
    return np.asarray(after - earlier)


def _fits(found: tuple[int, ...], shape: Shape) -> bool:
    """Whether an array has a shape."""
    if shape[0] is ...:
        found, shape = found[1 - len(shape) :], shape[1:]
    sizes = zip(found, shape, strict=False)
    return len(found) == len(shape) and all(isinstance(b, str) or a == b for a, b in sizes)


def _shape_text(shape: Shape) -> str:
    """A shape as Python writes it, letters without quotes."""
    axes = ["..." if axis is ... else str(axis) for axis in shape]
    return f"({', '.join(axes)}{',' if len(axes) == 1 else ''})"
