"""The parts database as data: links of parts, parts of sections, and the robot around them."""

from __future__ import annotations

from dataclasses import dataclass

from ..model import Robot
from ..pose import IDENTITY, Pose
from ..visual import check_color
from .body import Body
from .materials import DEFAULT_COLOR
from .shapes import Shape


@dataclass(frozen=True, slots=True)
class Section:
    """A shape filled with one material, in the frame of its part.

    `density` in kg/m3 is below 0 for a hole. `material` is its name, empty if the file gives a
    density or a mass; what is not `visible` has a mass and no picture.
    """

    shape: Shape
    density: float
    pose: Pose = IDENTITY
    name: str = ""
    material: str = ""
    color: str = DEFAULT_COLOR
    visible: bool = True

    def __post_init__(self) -> None:
        check_color(self.color)

    @property
    def hole(self) -> bool:
        """Whether it takes material away."""
        return self.density < 0

    @property
    def body(self) -> Body:
        """Mass, centre and inertia in the part's frame."""
        return self.shape.unit.times(self.density).placed(self.pose)


@dataclass(frozen=True, slots=True)
class Part:
    """A part, as one drawing shows it: sections in the frame of the part."""

    name: str
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class PlacedPart:
    """A part placed in a link's drawing frame, by its `pose`."""

    name: str
    part: Part
    pose: Pose = IDENTITY


@dataclass(frozen=True, slots=True)
class LinkParts:
    """The parts of one link; `frame` is its drawing frame in its D-H frame."""

    name: str
    uses: tuple[PlacedPart, ...]
    frame: Pose = IDENTITY


@dataclass(frozen=True, slots=True)
class Database:
    """A parts database: all that a `.parts.toml` file says.

    `skeleton` is the robot without what comes from parts: its links weigh nothing. `base` are the
    parts that stand still; they are drawn and weighed, but no equation needs their mass.
    """

    skeleton: Robot
    links: tuple[LinkParts, ...]
    base: tuple[PlacedPart, ...] = ()
    file: str = ""
