"""Convert values to the type that is wanted: int to real, (x, y, z) to a position, and so on."""

from __future__ import annotations

from typing import Any

from .types import Array, Type, type_text
from .values import (
    ArrayValue,
    Frame,
    Pair,
    Position,
    Triple,
    Trouble,
    kind_of,
    orientation,
    position,
)


def convert(value: Any, want: Type) -> Any:
    """The value as the wanted type; arrays are copied."""
    if isinstance(want, Array):
        return _array(value, want)
    if want == "real" and type(value) is int:
        return float(value)
    if type(value) is Triple:
        if want == "position":
            return position(*value)
        if want == "orientation":
            return orientation(*value)
    elif type(value) is Pair and want == "pose":
        return Frame(convert(value.first, "position"), convert(value.second, "orientation"))
    if kind_of(value) != want and want not in ("array", "?"):
        raise Trouble(f"expected {type_text(want)}, found {type_text(kind_of(value))}")
    return value


def _array(value: Any, want: Array) -> ArrayValue:
    if not isinstance(value, ArrayValue):
        raise Trouble(f"expected {want}, found {type_text(kind_of(value))}")
    if len(value.items) != want.length:
        raise Trouble(f"expected {want.length} elements, found {len(value.items)}")
    element = want.element
    return ArrayValue(
        want.low, [None if item is None else convert(item, element) for item in value.items]
    )


def empty(kind: Type) -> Any:
    """The value of a variable before anything is assigned: None, or an array of None."""
    if not isinstance(kind, Array):
        return None
    return ArrayValue(kind.low, [empty(kind.element) for _ in range(kind.length)])


def group(items: list[Any]) -> Any:
    """The value of (x, y, z) or (position, orientation), before its type is known."""
    if len(items) == 3 and all(type(item) in (int, float) for item in items):
        return Triple(*items)
    if len(items) == 2 and type(items[0]) in (Triple, Position):
        return Pair(*items)
    raise Trouble("a group is (x, y, z) or (position, orientation)")
