"""The operators, in one table for the checker (types) and the interpreter (values)."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from .convert import convert
from .types import PROMOTIONS, Type, type_text
from .values import (
    Frame,
    Position,
    RobTarget,
    Trouble,
    combine,
    frame_of_target,
    kind_of,
    position,
    product,
    transform,
    turn,
)
from .words import MAX_INT, MAX_STRING


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator on some types: the result's type, the function, and the operands' types."""

    result: str
    apply: Callable[..., Any]
    operands: tuple[str, ...]


def whole(value: int) -> int:
    """An int within its bounds."""
    if -MAX_INT <= value <= MAX_INT:
        return value
    raise Trouble(f"the result is larger than {MAX_INT}")


def finite(value: float) -> float:
    """A real, unless it is infinite or no number."""
    if math.isfinite(value):
        return value
    raise Trouble("the result is too large")


def _over_whole(function: Callable[[int, int], int]) -> Callable[[int, int], int]:
    return lambda a, b: whole(function(a, b))


def _over_reals(function: Callable[[float, float], float]) -> Callable[[float, float], float]:
    return lambda a, b: finite(function(a, b))


def _divide(a: float, b: float) -> float:
    if b == 0:
        raise Trouble("division by zero")
    return finite(a / b)


def _div(a: int, b: int) -> int:
    """Whole quotient, towards zero."""
    if b == 0:
        raise Trouble("division by zero")
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _mod(a: int, b: int) -> int:
    """Remainder of `div`, with the sign of a."""
    return a - b * _div(a, b)


def _power(a: float, b: float) -> float:
    try:
        return finite(math.pow(a, b))
    except OverflowError:
        raise Trouble("the result is too large") from None
    except ValueError:
        raise Trouble("zero has no negative power, and a negative number only whole ones") from None


def _join(a: str, b: str) -> str:
    if len(a) + len(b) > MAX_STRING:
        raise Trouble(f"the text is longer than {MAX_STRING} characters")
    return a + b


def _add(a: Position, b: Position) -> Position:
    return position(a.x + b.x, a.y + b.y, a.z + b.z)


def _subtract(a: Position, b: Position) -> Position:
    return position(a.x - b.x, a.y - b.y, a.z - b.z)


def _scale(k: float, p: Position) -> Position:
    return position(k * p.x, k * p.y, k * p.z)


def _shrink(p: Position, k: float) -> Position:
    return position(_divide(p.x, k), _divide(p.y, k), _divide(p.z, k))


def _moved(target: Any, by: Position) -> Any:
    return target._replace(pos=_add(target.pos, by))


def _moved_back(target: Any, by: Position) -> Any:
    return target._replace(pos=_subtract(target.pos, by))


def _through(frame: Frame, target: RobTarget) -> RobTarget:
    if target.ori is None:
        return RobTarget(transform(frame, target.pos), None, target.config)
    return RobTarget(*product(frame, Frame(target.pos, target.ori)), target.config)


def _onward(target: RobTarget, frame: Frame) -> RobTarget:
    return RobTarget(*product(frame_of_target(target), frame), target.config)


def _axiswise(function: Callable[[float, float], float]) -> Callable[[Any, Any], Any]:
    def apply(a: Any, b: Any) -> Any:
        if len(a.axes) != len(b.axes):
            counts = f"{len(a.axes)} and {len(b.axes)}"
            raise Trouble(f"both need the same number of axes, found {counts}")
        return type(a)(tuple(finite(function(*pair)) for pair in zip(a.axes, b.axes, strict=True)))

    return apply


def _scaled_axes(k: float, value: Any) -> Any:
    return type(value)(tuple(finite(k * axis) for axis in value.axes))


def _table() -> dict[tuple[str, ...], tuple[str, Callable[..., Any]]]:
    """Result type and function by (operator, type, type), or (operator, type) for a prefix."""
    table: dict[tuple[str, ...], tuple[str, Callable[..., Any]]] = {}
    for word, function in (("+", operator.add), ("-", operator.sub), ("*", operator.mul)):
        table[word, "int", "int"] = ("int", _over_whole(function))
        table[word, "real", "real"] = ("real", _over_reals(function))
    table["/", "real", "real"] = ("real", _divide)
    table["**", "real", "real"] = ("real", _power)
    table["div", "int", "int"] = ("int", _div)
    table["mod", "int", "int"] = ("int", _mod)
    table["+", "string", "string"] = ("string", _join)
    ordered = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
    for word, compare in ordered.items():
        for kind in ("int", "real", "string"):
            table[word, kind, kind] = ("bool", compare)
    plain = ("int", "real", "bool", "string")
    geometric = ("position", "orientation", "pose", "robtarg", "joint", "mainjoint")
    for kind in plain + geometric:
        table["=", kind, kind] = ("bool", operator.eq)
        table["<>", kind, kind] = ("bool", operator.ne)
    table["and", "bool", "bool"] = ("bool", lambda a, b: a and b)
    table["or", "bool", "bool"] = ("bool", lambda a, b: a or b)
    table["xor", "bool", "bool"] = ("bool", operator.ne)
    table["+", "position", "position"] = ("position", _add)
    table["-", "position", "position"] = ("position", _subtract)
    table["*", "real", "position"] = ("position", _scale)
    table["*", "position", "real"] = ("position", lambda p, k: _scale(k, p))
    table["/", "position", "real"] = ("position", _shrink)
    table["*", "orientation", "orientation"] = ("orientation", combine)
    table["*", "orientation", "position"] = ("position", turn)
    table["*", "pose", "pose"] = ("pose", product)
    table["*", "pose", "position"] = ("position", transform)
    table["*", "pose", "robtarg"] = ("robtarg", _through)
    table["*", "robtarg", "pose"] = ("robtarg", _onward)
    for kind in ("pose", "robtarg"):
        table["+", kind, "position"] = (kind, _moved)
        table["-", kind, "position"] = (kind, _moved_back)
    for kind in ("joint", "mainjoint"):
        table["+", kind, kind] = (kind, _axiswise(operator.add))
        table["-", kind, kind] = (kind, _axiswise(operator.sub))
        table["*", "real", kind] = (kind, _scaled_axes)
        table["*", kind, "real"] = (kind, lambda j, k: _scaled_axes(k, j))
        table["-", kind] = (kind, lambda j: _scaled_axes(-1.0, j))
    for kind in ("int", "real", "position"):
        table["+", kind] = (kind, lambda x: x)
        table["-", kind] = (kind, operator.neg)
    table["-", "position"] = ("position", lambda p: _scale(-1.0, p))
    table["not", "bool"] = ("bool", operator.not_)
    return table


TABLE = _table()


@lru_cache(maxsize=4096)
def resolve(word: str, *kinds: Type) -> Operation | None:
    """The operation of an operator on these types, operands promoted as little as possible."""
    choices = itertools.product(*((kind, *PROMOTIONS.get(kind, ())) for kind in kinds))
    for operands in sorted(choices, key=lambda operands: sum(map(operator.ne, operands, kinds))):
        entry = TABLE.get((word, *operands))  # type: ignore[arg-type]
        if entry is not None:
            return Operation(entry[0], entry[1], operands)  # type: ignore[arg-type]
    return None


_FUNCTIONS: dict[tuple[str, type, type], Callable[..., Any]] = {}
"""The functions of binary operators met so far, by operator and the values' classes."""


def apply(word: str, left: Any, right: Any) -> Any:
    """The value of a binary operator on these values."""
    key = (word, type(left), type(right))
    function = _FUNCTIONS.get(key)
    if function is None:
        function = _FUNCTIONS[key] = _converting(word, kind_of(left), kind_of(right))
    return function(left, right)


def apply_prefix(word: str, value: Any) -> Any:
    """The value of a sign or `not` before a value."""
    return _converting(word, kind_of(value))(value)


@lru_cache(maxsize=4096)
def _converting(word: str, *kinds: Type) -> Callable[..., Any]:
    """The function of an operator, its operands converted first where they need it."""
    operation = resolve(word, *kinds)
    if operation is None:
        raise Trouble(f"`{word}` cannot be applied to {' and '.join(map(type_text, kinds))}")
    wanted, function = operation.operands, operation.apply
    if wanted == kinds:
        return function
    return lambda *values: function(*map(convert, values, wanted))
