"""The shapes of sections and their volumes, centres and inertia in closed form.

`unit` is the body of density 1 kg/m3: its mass is the volume in m3. Lengths in m. Each shape has a
frame of its own, in which it is centred on the origin or as its docstring says.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ..polygon import Area, Point, area_of, check_convex, inside, wrong
from ..pose import Mat3, as_mat3
from .body import Body, combine


class Shape(Protocol):
    """A shape of a section: its kind, and its body of density 1 kg/m3."""

    @property
    def kind(self) -> str:
        """The name of the shape in a file."""

    @property
    def unit(self) -> Body:
        """The body of density 1 kg/m3."""


@dataclass(frozen=True, slots=True)
class _Round:
    """What is round about z, from -length/2 to length/2; hollow if `inner_radius` is not 0."""

    radius: float
    length: float
    inner_radius: float = 0.0

    def __post_init__(self) -> None:
        _check_round(self.radius, self.inner_radius)
        _check_length("length", self.length)


@dataclass(frozen=True, slots=True)
class Cylinder(_Round):
    """A cylinder about z, from -length/2 to length/2; a tube if `inner_radius` is not 0."""

    kind = "cylinder"

    @property
    def unit(self) -> Body:
        """The body of density 1 kg/m3."""
        outer, inner = self.radius**2, self.inner_radius**2
        area = math.pi * (self.radius - self.inner_radius) * (self.radius + self.inner_radius)
        moment = area * (outer + inner) / 4
        return _extruded(Area(area, (0.0, 0.0), moment, moment, 0.0), self.length)


@dataclass(frozen=True, slots=True)
class SemiCylinder(_Round):
    """Half a cylinder about z, the side y >= 0, from -length/2 to length/2.

    The origin is the middle of the flat side, not the mass centre.
    """

    kind = "semi-cylinder"

    @property
    def unit(self) -> Body:
        """The body of density 1 kg/m3."""
        r, s = self.radius, self.inner_radius
        area = math.pi / 2 * (r - s) * (r + s)
        y = 4 / (3 * math.pi) * (r * r + r * s + s * s) / (r + s)
        moment = area * (r * r + s * s) / 4  # about the axis of the whole cylinder
        return _extruded(Area(area, (0.0, y), moment, moment - area * y * y, 0.0), self.length)


@dataclass(frozen=True, slots=True)
class Box:
    """A box, edges along x, y, z; `inner_size` is a hollow in its middle, open where as large."""

    size: tuple[float, float, float]
    inner_size: tuple[float, float, float] | None = None
    kind = "box"

    def __post_init__(self) -> None:
        for i, edge in enumerate(self.size):
            _check_length(f"size[{i}]", edge)
        for i, edge in enumerate(self.inner_size or ()):
            _check_length(f"inner_size[{i}]", edge)
            if edge > self.size[i]:
                raise wrong(f"inner_size[{i}]", f"at most {self.size[i]} m, the box's own", edge)
        if self.inner_size == self.size:
            raise wrong("inner_size", "a hollow smaller than the box", list(self.size))

    @property
    def unit(self) -> Body:
        """The body of density 1 kg/m3."""
        solid = _box(self.size)
        return combine([solid, _box(self.inner_size).times(-1.0)]) if self.inner_size else solid


@dataclass(frozen=True, slots=True)
class Sphere:
    """A sphere about the origin; a shell if `inner_radius` is not 0."""

    radius: float
    inner_radius: float = 0.0
    kind = "sphere"

    def __post_init__(self) -> None:
        _check_round(self.radius, self.inner_radius)

    @property
    def unit(self) -> Body:
        """The body of density 1 kg/m3."""
        r, s = self.radius, self.inner_radius
        volume = 4 / 3 * math.pi * (r - s) * (r * r + r * s + s * s)
        moment = 8 / 15 * math.pi * (r - s) * sum(r**k * s ** (4 - k) for k in range(5))
        return Body(volume, (0.0, 0.0, 0.0), _diagonal(moment, moment, moment))


@dataclass(frozen=True, slots=True)
class Prism:
    """A convex polygon in the plane of x and y, extruded along z from -length/2 to length/2.

    Its corners are where `points` say, in either direction of rotation; `inner_points` are those
    of a hole along its whole length.
    """

    points: tuple[Point, ...]
    length: float
    inner_points: tuple[Point, ...] = ()
    kind = "prism"

    def __post_init__(self) -> None:
        _check_length("length", self.length)
        check_convex("points", self.points)
        if self.inner_points:
            check_convex("inner_points", self.inner_points)
            for i, (x, y) in enumerate(self.inner_points, 1):
                if not inside(self.points, (x, y)):
                    corner = f"corner {i} at [{x:g}, {y:g}]"
                    raise wrong("inner_points", "corners inside the prism", corner)
            whole, hole = area_of(self.points).area, area_of(self.inner_points).area
            if hole >= whole * (1 - 1e-12):
                raise wrong("inner_points", "a hole smaller than the prism", "all of it")

    @property
    def unit(self) -> Body:
        """The body of density 1 kg/m3."""
        area = area_of(self.points)
        if self.inner_points:
            area = area.minus(area_of(self.inner_points))
        return _extruded(area, self.length)


def _extruded(area: Area, length: float) -> Body:
    """A flat shape made `length` long, half of it to either side."""
    volume = area.area * length
    along = volume * length**2 / 12
    xx, yy, xy = (moment * length for moment in (area.xx, area.yy, area.xy))
    tensor = [[yy + along, -xy, 0.0], [-xy, xx + along, 0.0], [0.0, 0.0, xx + yy]]
    return Body(volume, (*area.center, 0.0), as_mat3(tensor))


def _box(size: Sequence[float]) -> Body:
    x, y, z = size
    volume = x * y * z
    moments = [volume * (a * a + b * b) / 12 for a, b in ((y, z), (z, x), (x, y))]
    return Body(volume, (0.0, 0.0, 0.0), _diagonal(*moments))


def _diagonal(x: float, y: float, z: float) -> Mat3:
    return as_mat3([[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]])


def _check_length(key: str, value: float) -> None:
    if not (math.isfinite(value) and value > 0):
        raise wrong(key, "a length > 0 m", value)


def _check_round(radius: float, inner: float) -> None:
    _check_length("radius", radius)
    if not 0 <= inner < radius:
        raise wrong("inner_radius", f"a radius from 0 to below {radius} m", inner)
