"""The built-in functions and constructors, in one table for checker and interpreter.

Angles are in degrees, lengths in mm.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..ik.config import STAY
from .convert import convert
from .operators import finite, whole
from .types import Type, fits, type_text
from .values import (
    NO_ROTATION,
    ORIGIN,
    Frame,
    JointValue,
    MainJoint,
    Orientation,
    Position,
    RobotState,
    RobTarget,
    Trouble,
    angle_between,
    combine,
    frame_of_target,
    invert,
    orientation,
    position,
    product,
)
from .words import MAX_AXES


@dataclass(frozen=True, slots=True)
class Overload:
    """One way to call a function: the types of its arguments and of its result."""

    parameters: tuple[str, ...]
    result: str
    apply: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Function:
    """A built-in function: its overloads and what it is, in a few words.

    `asks` means that it needs to know where the robot is: its only argument is then a `RobotState`.
    """

    overloads: tuple[Overload, ...]
    meaning: str
    asks: bool = False
    many: bool = False

    @property
    def signatures(self) -> tuple[str, ...]:
        """Its overloads as text."""
        if self.many:
            kinds = dict.fromkeys((o.parameters[0], o.result) for o in self.overloads)
            return tuple(f"({kind}, ...): {result}" for kind, result in kinds)
        return tuple(f"({', '.join(o.parameters)}): {o.result}" for o in self.overloads)


def _defined(function: Callable[[float], float], why: str) -> Callable[[float], float]:
    """A function that says why it has no value, where it has none."""

    def apply(x: float) -> float:
        try:
            return finite(function(x))
        except (ValueError, OverflowError):
            raise Trouble(why) from None

    return apply


def _round(x: float) -> int:
    """The nearest whole number; halves go away from zero."""
    return math.floor(abs(x) + 0.5) * (1 if x >= 0 else -1)


def _robtarg(where: Any, config: int = STAY) -> RobTarget:
    if not 0 <= config <= STAY:
        raise Trouble(f"CONFIG is a number from 0 to {STAY}, found {config}")
    if isinstance(where, Frame):
        return RobTarget(where.pos, where.ori, config)
    return RobTarget(where, None, config)


def _distance(a: Any, b: Any) -> float:
    points = [x if isinstance(x, Position) else x.pos for x in (a, b)]
    return finite(math.dist(*points))


def _dot(a: Position, b: Position) -> float:
    return finite(a.x * b.x + a.y * b.y + a.z * b.z)


def _cross(a: Position, b: Position) -> Position:
    return position(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)


def _shift(where: Any, by: Position) -> Any:
    return _relative(where, Frame(by, NO_ROTATION))


def _rotate(where: Any, by: Orientation) -> Any:
    return _relative(where, Frame(ORIGIN, by))


def _relative(where: Any, step: Frame) -> Any:
    if isinstance(where, RobTarget):
        return RobTarget(*product(frame_of_target(where), step), where.config)
    return product(where, step)


def _inverse_orientation(ori: Orientation) -> Orientation:
    return invert(Frame(ORIGIN, ori)).ori


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _overload(parameters: str, result: str, function: Callable[..., Any]) -> Overload:
    return Overload(tuple(parameters.split()), result, function)


def _function(meaning: str, *overloads: Overload) -> Function:
    return Function(overloads, meaning)


def _state(meaning: str, result: str, function: Callable[[RobotState], Any]) -> Function:
    return Function((_overload("", result, function),), meaning, asks=True)


def _whole(function: Callable[[float], int], meaning: str) -> Function:
    return _function(meaning, _overload("real", "int", lambda x: whole(function(x))))


def _reals(function: Callable[..., float], meaning: str, why: str = "") -> Function:
    apply = _defined(function, why or "the result is too large")
    return _function(meaning, _overload("real", "real", apply))


_EXACT_SINES = {0.0: 0.0, 90.0: 1.0, 180.0: 0.0, 270.0: -1.0}


def _sin(x: float) -> float:
    """The sine of degrees, exact at multiples of 90."""
    return _EXACT_SINES.get(x % 360.0, math.sin(math.radians(math.fmod(x, 360.0))))


def _cos(x: float) -> float:
    return _EXACT_SINES.get((x + 90.0) % 360.0, math.cos(math.radians(math.fmod(x, 360.0))))


def _tan(x: float) -> float:
    if math.fmod(x, 180.0) in (90.0, -90.0):
        raise ValueError
    return 0.0 if math.fmod(x, 180.0) == 0.0 else math.tan(math.radians(math.fmod(x, 360.0)))


def _extremes(function: Callable[..., Any], meaning: str) -> Function:
    overloads = tuple(
        Overload((kind,) * count, kind, function)
        for kind in ("int", "real")
        for count in range(2, MAX_AXES + 1)
    )
    return Function(overloads, meaning, many=True)


def _axes(make: Callable[[tuple[float, ...]], Any], kind: str) -> tuple[Overload, ...]:
    return tuple(
        Overload(("real",) * count, kind, lambda *axes: make(axes))
        for count in range(1, MAX_AXES + 1)
    )


def _table() -> dict[str, Function]:
    points, targets = ("position", "pose", "robtarg"), ("pose", "robtarg")
    unit = "the argument must lie between -1 and 1"
    return {
        "sin": _reals(_sin, "sine of an angle"),
        "cos": _reals(_cos, "cosine of an angle"),
        "tan": _reals(_tan, "tangent of an angle", "the tangent is infinite there"),
        "asin": _reals(lambda x: math.degrees(math.asin(x)), "angle with this sine", unit),
        "acos": _reals(lambda x: math.degrees(math.acos(x)), "angle with this cosine", unit),
        "atan": _reals(lambda x: math.degrees(math.atan(x)), "angle with this tangent"),
        "sqrt": _reals(math.sqrt, "square root", "a negative number has no square root"),
        "exp": _reals(math.exp, "power of e"),
        "ln": _reals(math.log, "natural logarithm", "only a positive number has a logarithm"),
        "min": _extremes(min, "the smallest"),
        "max": _extremes(max, "the largest"),
        "atan2": _function(
            "angle of the point (x, y), arguments y, x",
            _overload("real real", "real", lambda y, x: math.degrees(math.atan2(y, x))),
        ),
        "abs": _function(
            "value without its sign", _overload("int", "int", abs), _overload("real", "real", abs)
        ),
        "round": _whole(_round, "nearest whole number, halves away from zero"),
        "trunc": _whole(math.trunc, "whole number without the fraction"),
        "floor": _whole(math.floor, "next whole number below"),
        "ceil": _whole(math.ceil, "next whole number above"),
        "pi": _function("3.14159...", _overload("", "real", lambda: math.pi)),
        "distance": _function(
            "distance of two points",
            *(Overload((a, b), "real", _distance) for a in points for b in points),
        ),
        "norm": _function(
            "length of a vector",
            _overload("position", "real", lambda p: finite(math.hypot(*p))),
        ),
        "dot": _function("scalar product", _overload("position position", "real", _dot)),
        "cross": _function("vector product", _overload("position position", "position", _cross)),
        "angle": _function(
            "angle from one orientation to another",
            _overload("orientation orientation", "real", angle_between),
        ),
        "inverse": _function(
            "the frame it is given in, seen from the frame",
            _overload("pose", "pose", invert),
            _overload("orientation", "orientation", _inverse_orientation),
        ),
        "shift": _function(
            "moved along its own axes",
            *(Overload((kind, "position"), kind, _shift) for kind in targets),
        ),
        "rotate": _function(
            "turned about its own axes",
            *(Overload((kind, "orientation"), kind, _rotate) for kind in targets),
            _overload("orientation orientation", "orientation", combine),
        ),
        "low": _function("first index", _overload("array", "int", lambda a: a.low)),
        "high": _function(
            "last index", _overload("array", "int", lambda a: a.low + len(a.items) - 1)
        ),
        "len": _function(
            "number of elements, or of characters",
            _overload("array", "int", lambda a: len(a.items)),
            _overload("string", "int", len),
        ),
        "here": _state("pose of the tool now, in the robot's base", "pose", lambda now: now.pose),
        "joints": _state("positions of all axes now", "joint", lambda now: JointValue(now.axes)),
        "time": _state("time of the program, s", "real", lambda now: now.time),
    }


def _constructors() -> dict[str, Function]:
    places = (
        _overload("real real real", "position", position),
        _overload("position", "position", lambda p: p),
    )
    angles = (
        _overload("real real real", "orientation", orientation),
        _overload("orientation", "orientation", lambda o: o),
    )
    poses = (
        _overload("position orientation", "pose", Frame),
        _overload("pose", "pose", lambda p: p),
    )
    targets = tuple(
        _overload(f"{where}{config}", "robtarg", _robtarg)
        for where in ("pose", "position")
        for config in ("", " int")
    )
    joints = (
        _overload("mainjoint", "joint", lambda m: JointValue(m.axes)),
        *_axes(JointValue, "joint"),
    )
    texts = tuple(_overload(kind, "string", _text) for kind in ("int", "real", "bool", "string"))
    constructors = {
        "position": (places, "a point, mm"),
        "orientation": (angles, "angles A, B, C, degrees"),
        "pose": (poses, "position and orientation"),
        "robtarg": (targets, "a target of the tool"),
        "joint": (joints, "a target of the axes"),
        "mainjoint": (_axes(MainJoint, "mainjoint"), "positions of the axes, degrees or mm"),
        "real": ((_overload("real", "real", float),), "the number as a real"),
        "string": (texts, "the value as a text"),
    }
    return {
        name: Function(overloads, meaning) for name, (overloads, meaning) in constructors.items()
    }


FUNCTIONS = _table() | _constructors()


@lru_cache(maxsize=4096)
def choose(name: str, kinds: tuple[Type, ...]) -> Overload | None:
    """The overload that fits arguments of these types best; None if none does."""
    fitting = [
        overload
        for overload in FUNCTIONS[name].overloads
        if len(overload.parameters) == len(kinds) and all(map(fits, kinds, overload.parameters))
    ]
    return min(fitting, key=lambda o: sum(map(operator.ne, kinds, o.parameters)), default=None)


def call(name: str, kinds: tuple[Type, ...], values: list[Any], standing: RobotState | None) -> Any:
    """The value of a function; `standing` is needed for those that ask for it."""
    overload = choose(name, kinds)
    if overload is None:
        types = ", ".join(type_text(kind) for kind in kinds)
        raise Trouble(f"`{name}` cannot be called with ({types})")
    if FUNCTIONS[name].asks:
        return overload.apply(standing)
    return overload.apply(
        *(convert(v, want) for v, want in zip(values, overload.parameters, strict=True))
    )
