"""The built-in functions and constructors, in one table for checker and interpreter.

Angles are in degrees, lengths in mm.
"""

from __future__ import annotations

import math
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
    constructor: bool = False
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


def _to_whole(function: Callable[[float], int]) -> Callable[[float], int]:
    return lambda x: whole(function(x))


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


def _cross(a: Position, b: Position) -> Position:
    return position(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)


def _shift(where: Any, by: Position) -> Any:
    return _relative(where, Frame(by, NO_ROTATION))


def _rotate(where: Any, by: Orientation) -> Any:
    return _relative(where, Frame(position(0, 0, 0), by))


def _relative(where: Any, step: Frame) -> Any:
    if isinstance(where, RobTarget):
        return RobTarget(*product(frame_of_target(where), step), where.config)
    return product(where, step)


def _inverse_orientation(ori: Orientation) -> Orientation:
    return invert(Frame(position(0, 0, 0), ori)).ori


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _overload(parameters: str, result: str, function: Callable[..., Any]) -> Overload:
    return Overload(tuple(parameters.split()), result, function)


def _reals(function: Callable[..., float], meaning: str, why: str = "") -> Function:
    apply = _defined(function, why or "the result is too large")
    return Function((_overload("real", "real", apply),), meaning)


def _angle(function: Callable[[float], float]) -> Callable[[float], float]:
    """Sine, cosine or tangent of degrees, exact at multiples of 90."""
    if function is math.tan:
        return lambda x: _tan(x)
    phase = 0.0 if function is math.sin else 90.0

    def apply(x: float) -> float:
        turned = math.fmod(x + phase, 360.0)
        exact = {0.0: 0.0, 90.0: 1.0, 180.0: 0.0, 270.0: -1.0}
        exact |= {-90.0: -1.0, -180.0: 0.0, -270.0: 1.0}
        return exact.get(turned, function(math.radians(math.fmod(x, 360.0))))

    return apply


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
    points = ("position", "pose", "robtarg")
    unit = "the argument must lie between -1 and 1"
    functions = {
        "sin": _reals(_angle(math.sin), "sine of an angle"),
        "cos": _reals(_angle(math.cos), "cosine of an angle"),
        "tan": _reals(_angle(math.tan), "tangent of an angle", "the tangent is infinite there"),
        "asin": _reals(lambda x: math.degrees(math.asin(x)), "angle with this sine", unit),
        "acos": _reals(lambda x: math.degrees(math.acos(x)), "angle with this cosine", unit),
        "atan": _reals(lambda x: math.degrees(math.atan(x)), "angle with this tangent"),
        "sqrt": _reals(math.sqrt, "square root", "a negative number has no square root"),
        "exp": _reals(math.exp, "power of e"),
        "ln": _reals(math.log, "natural logarithm", "only a positive number has a logarithm"),
        "min": _extremes(min, "the smallest"),
        "max": _extremes(max, "the largest"),
    }
    atan2 = _overload("real real", "real", lambda y, x: math.degrees(math.atan2(y, x)))
    functions["atan2"] = Function((atan2,), "angle of the point (x, y), arguments y, x")
    absolute = (_overload("int", "int", abs), _overload("real", "real", abs))
    functions["abs"] = Function(absolute, "value without its sign")
    for name, rounding, meaning in (
        ("round", _round, "nearest whole number, halves away from zero"),
        ("trunc", math.trunc, "whole number without the fraction"),
        ("floor", math.floor, "next whole number below"),
        ("ceil", math.ceil, "next whole number above"),
    ):
        functions[name] = Function((_overload("real", "int", _to_whole(rounding)),), meaning)
    functions["pi"] = Function((Overload((), "real", lambda: math.pi),), "3.14159...")
    functions["distance"] = Function(
        tuple(Overload((a, b), "real", _distance) for a in points for b in points),
        "distance of two points",
    )
    norm = _overload("position", "real", lambda p: finite(math.hypot(*p)))
    functions["norm"] = Function((norm,), "length of a vector")
    dot = _overload(
        "position position", "real", lambda a, b: finite(a.x * b.x + a.y * b.y + a.z * b.z)
    )
    functions["dot"] = Function((dot,), "scalar product")
    functions["cross"] = Function(
        (_overload("position position", "position", _cross),), "vector product"
    )
    turned = _overload("orientation orientation", "real", angle_between)
    functions["angle"] = Function((turned,), "angle from one orientation to another")
    functions["inverse"] = Function(
        (
            _overload("pose", "pose", invert),
            _overload("orientation", "orientation", _inverse_orientation),
        ),
        "the frame it is given in, seen from the frame",
    )
    functions["shift"] = Function(
        tuple(Overload((kind, "position"), kind, _shift) for kind in ("pose", "robtarg")),
        "moved along its own axes",
    )
    functions["rotate"] = Function(
        (
            *(Overload((kind, "orientation"), kind, _rotate) for kind in ("pose", "robtarg")),
            _overload("orientation orientation", "orientation", combine),
        ),
        "turned about its own axes",
    )
    functions["low"] = Function((_overload("array", "int", lambda a: a.low),), "first index")
    high = _overload("array", "int", lambda a: a.low + len(a.items) - 1)
    functions["high"] = Function((high,), "last index")
    functions["len"] = Function(
        (_overload("array", "int", lambda a: len(a.items)), _overload("string", "int", len)),
        "number of elements, or of characters",
    )
    functions["here"] = Function(
        (Overload((), "pose", lambda standing: standing.pose),),
        "pose of the tool now, in the robot's base",
        asks=True,
    )
    functions["joints"] = Function(
        (Overload((), "joint", lambda standing: JointValue(standing.axes)),),
        "positions of all axes now",
        asks=True,
    )
    functions["time"] = Function(
        (Overload((), "real", lambda standing: standing.time),), "time of the program, s", asks=True
    )
    return functions | _constructors()


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
        name: Function(overloads, meaning, constructor=True)
        for name, (overloads, meaning) in constructors.items()
    }


FUNCTIONS = _table()


@lru_cache(maxsize=4096)
def choose(name: str, kinds: tuple[Type, ...]) -> Overload | None:
    """The overload that fits arguments of these types best; None if none does."""
    fitting = [
        overload
        for overload in FUNCTIONS[name].overloads
        if len(overload.parameters) == len(kinds)
        and all(fits(kind, want) for kind, want in zip(kinds, overload.parameters, strict=True))
    ]
    pairs = [(sum(a != b for a, b in zip(kinds, o.parameters, strict=True)), o) for o in fitting]
    return min(pairs, key=lambda pair: pair[0])[1] if pairs else None


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
