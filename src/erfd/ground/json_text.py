"""JSON as every reader of it takes it: numbers that are not finite are written as null."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any

import numpy as np


def json_value(value: Any) -> Any:
    """A value in types that JSON has; numbers that are not finite become None."""
    if isinstance(value, dict):
        return {key: json_value(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(entry) for entry in value]
    if isinstance(value, np.ndarray):
        return json_value(value.tolist())
    if isinstance(value, float | np.floating):
        return float(value) if np.isfinite(value) else None
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, PurePath):
        return str(value)
    return int(value) if isinstance(value, np.integer) else value


def json_text(value: Any, *, indent: int | None = None) -> str:
    """A value as JSON, whatever numbers are in it.

    Args:
        value: Nested lists, tuples, dicts with names as keys, arrays, texts and numbers.
        indent: Blanks for each level; None: all on one line.

    >>> json_text({"limit": float("inf"), "value": 1.5})
    '{"limit": null, "value": 1.5}'
    """
    return json.dumps(json_value(value), indent=indent, allow_nan=False)
