"""Arguments of public functions that are no arrays: checked, or one sentence says what is wrong.

Every check takes the argument's name and its value, and returns the value.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from ..errors import InputError

T = TypeVar("T")


def number_of(name: str, value: Any, expected: str = "a finite number") -> float:
    """A finite number; `expected` says which ones, where that is checked besides."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, str | bytes) or _is_array(value) or not math.isfinite(number):
        raise InputError(f"{name}: expected {expected}, found {value!r:.60}")
    return number


def _is_array(value: Any) -> bool:
    """Whether it is an array with axes, which is neither true nor false."""
    return bool(getattr(value, "shape", None))


def choice_of(name: str, value: T, choices: Sequence[T]) -> T:
    """One of a few words, or None where that is one of them."""
    if not any(value is choice or _same_text(value, choice) for choice in choices):
        expected = ", ".join(str(choice) for choice in choices if choice is not None)
        raise InputError(f"{name}: expected one of {expected}, found {value!r:.60}")
    return value


def _same_text(value: object, choice: object) -> bool:
    return isinstance(value, str) and value == choice


def flag_of(name: str, value: Any) -> bool:
    """Whether something is so: True or False."""
    if _is_array(value) or value not in (True, False):
        raise InputError(f"{name}: expected True or False, found {value!r:.60}")
    return bool(value)


def instance_of(name: str, value: Any, kind: type[T]) -> T:
    """An object of a public class."""
    if not isinstance(value, kind):
        raise InputError(f"{name}: expected an erfd.{kind.__name__}, found {value!r:.60}")
    return value


def text_of(name: str, value: Any) -> str:
    """A text."""
    if not isinstance(value, str):
        raise InputError(f"{name}: expected a text, found {value!r:.60}")
    return value


def path_of(name: str, value: Any) -> Path:
    """The path of a file."""
    if not isinstance(value, str | os.PathLike):
        raise InputError(f"{name}: expected the path of a file, found {value!r:.60}")
    return Path(value)


def function_of(name: str, value: T) -> T:
    """A function that is to be called."""
    if not callable(value):
        raise InputError(f"{name}: expected a function, found {value!r:.60}")
    return value
