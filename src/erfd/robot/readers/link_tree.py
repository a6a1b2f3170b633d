"""The links and joints of a robot file that is a tree (URDF, MJCF), whatever its language.

Lengths in m, angles in rad, masses in kg.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, TypeVar

import numpy as np

from ...errors import RobotError
from ...ground.arrays import Array
from ..mesh import Mesh
from ..pose import Pose
from .table import Table

T = TypeVar("T")
MOVING = ("revolute", "continuous", "prismatic")
"""The joints that move in one direction."""
AXIS_SLACK = 1e-3  # an axis such as 0.7071 0.7071 0 is meant to be a unit vector


class Degrees(float):
    """A position of a joint that nobody knows yet to turn or to slide: degrees, or m."""


@dataclass(frozen=True, slots=True)
class FileShape:
    """A shape of a link: a primitive by its `size`, or a mesh, by its file or in itself.

    `kind` and `size` are those of a `Visual`; `scale` are factors of a mesh along x, y and z.
    """

    kind: Any
    size: tuple[float, ...] = ()
    pose: Pose = field(default_factory=Pose)
    color: str | None = None
    file: str = ""
    scale: tuple[float, ...] = (1.0, 1.0, 1.0)
    mesh: Mesh | None = None


@dataclass(frozen=True, slots=True)
class Inertial:
    """A mass in kg at a pose, and the inertia about it in the axes of the pose, (3, 3)."""

    mass: float
    inertia: Array
    pose: Pose


@dataclass(frozen=True, slots=True)
class FileLink:
    """A link with its shapes, and with frames that have a name of their own.

    One that is only the place of a joint is no frame of the file.
    """

    name: str
    inertial: Inertial | None = None
    visuals: tuple[FileShape, ...] = ()
    collisions: tuple[FileShape, ...] = ()
    frames: tuple[tuple[str, Pose], ...] = ()
    place_of_joint: bool = False


@dataclass(frozen=True, slots=True)
class Mimic:
    """A joint that follows another one: multiplier * q + offset."""

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True, slots=True)
class FileJoint:
    """A joint: its child frame in its parent's, and what its `Joint` and `Drive` are made of.

    The drive is said at the joint; `ratio` is that of its gear. `flaw` is the sentence why it
    cannot be used, if it moves the arm.
    """

    name: str
    type: str
    parent: str
    child: str
    pose: Pose
    axis: Array
    values: Mapping[str, Any] = field(default_factory=dict)
    drive: Mapping[str, Any] = field(default_factory=dict)
    ratio: float = 1.0
    mimic: Mimic | None = None
    flaw: str = ""
    position: float = 0.0
    """Where it is if it is locked and nobody says where."""


class LinkTree:
    """The links and joints of one file, checked to form a tree."""

    def __init__(self, file: str, name: str, links: Iterable[FileLink], joints: Any):
        self.file, self.name = file, name
        self.links: dict[str, FileLink] = self._unique("link", links)
        joints = list(self._unique("joint", joints).values())
        self.above: dict[str, FileJoint] = {}
        self.below: dict[str, list[FileJoint]] = {name: [] for name in self.links}
        for joint in joints:
            for key, link in (("parent", joint.parent), ("child", joint.child)):
                self.find(f"joint {joint.name!r}: {key}", link, self.links)
            other = self.above.setdefault(joint.child, joint)
            if other is not joint:
                names = f"{other.name!r} and {joint.name!r}"
                raise self.error(f"link {joint.child!r}: expected one parent joint, found {names}")
            self.below[joint.parent].append(joint)
        roots = [name for name in self.links if name not in self.above]
        if len(roots) != 1:
            listed = ", ".join(roots) or "none"
            raise self.error(f"expected one link without a parent joint, found {listed}")
        self.root = roots[0]
        self.frames = {
            name: (link.name, pose) for link in self.links.values() for name, pose in link.frames
        }
        unreached = self.above.keys() - {joint.child for joint in self.under(self.root)}
        if unreached:
            raise self.error(f"expected a tree of links, found a loop through {min(unreached)!r}")

    def error(self, sentence: str) -> RobotError:
        """The error with this sentence, and the file before it."""
        return RobotError(f"{self.file}: {sentence}")

    def build(self, where: str, make: Callable[..., T], *values: Any, **more: Any) -> T:
        """Call `make` with the values; its RobotError is raised again with file and place."""
        return Table(self.file, where, {}).build(lambda: make(*values, **more))

    def _unique(self, what: str, items: Iterable[T]) -> dict[str, T]:
        result: dict[str, T] = {}
        for item in items:
            name = str(getattr(item, "name"))  # noqa: B009
            if result.setdefault(name, item) is not item:
                raise self.error(f"{what} {name!r}: expected a name of its own, found two")
        return result

    def find(self, key: str, name: str, names: Mapping[str, Any], what: str = "link") -> str:
        """`name`, if it is one of `names`; else an error that suggests the nearest one."""
        if name not in names:
            near = difflib.get_close_matches(str(name), names, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names) or 'none'}"
            raise self.error(f"{key}: expected the name of a {what}, found {name!r}; {hint}")
        return name

    def under(self, link: str) -> list[FileJoint]:
        """All joints below a link, each after the one that carries it."""
        result = list(self.below[link])
        for joint in result:  # grows while we walk it
            result += self.below[joint.child]
        return result

    def tips(self, base: str) -> list[str]:
        """The links below `base` that move and have none below them."""
        moves = {base: False}
        for joint in self.under(base):
            moves[joint.child] = moves[joint.parent] or joint.type != "fixed"
        return [link for link in moves if moves[link] and not self.below[link]]

    def tip(self, base: str, tip: str | None) -> str:
        """The link `tip`; if it is None, the only link that moves and has none below it."""
        if tip is not None and tip not in self.links and tip in self.frames:
            return self.frames[tip][0]
        if tip is not None:
            return self.find("tip", tip, {**self.links, **self.frames})
        tips = self.tips(base)
        if not tips:
            raise self.error(f"expected a moving joint below {base!r}, found none")
        if len(tips) > 1:
            raise self.error(f"tip: expected one of {', '.join(tips)}, found none given")
        return tips[0]

    def chain(self, base: str, tip: str) -> list[FileJoint]:
        """The joints from base to tip; at least one moves, all below the base are usable."""
        joints: list[FileJoint] = []
        link = tip
        while link != base:
            if link not in self.above:
                raise self.error(f"tip: expected a link below base {base!r}, found {tip!r}")
            joints.insert(0, self.above[link])
            link = joints[0].parent
        for joint in self.under(base):
            where = f"joint {joint.name!r}"
            if joint.type not in ("fixed", *MOVING):
                expected = f"{', '.join(MOVING)} or fixed"
                raise self.error(f"{where}: type: expected {expected}, found {joint.type!r}")
            if joint.type in MOVING and abs(np.linalg.norm(joint.axis) - 1) > AXIS_SLACK:
                axis = " ".join(f"{x:g}" for x in joint.axis)
                raise self.error(f"{where}: axis: expected a unit vector, found {axis}")
        for joint in joints:
            if joint.type in MOVING and joint.mimic:
                mimic = f"one that mimics {joint.mimic.joint!r}, which is not supported"
                raise self.error(
                    f"joint {joint.name!r}: expected a joint of its own, found {mimic}"
                )
        if all(joint.type == "fixed" for joint in joints):
            raise self.error(f"expected a moving joint between {base!r} and {tip!r}, found none")
        return joints

    def locked_positions(
        self,
        moving: Mapping[str, FileJoint],
        off_chain: Mapping[str, FileJoint],
        locked: Mapping[str, float],
    ) -> dict[str, float]:
        """Positions of the joints off the chain: as given, where a mimic tag puts them, or 0."""
        for name, value in locked.items():
            if name in moving:
                raise self.error(f"locked: expected joints off the chain, found {name!r} on it")
            self.find("locked", name, off_chain, "moving joint off the chain")
            if not isinstance(value, Real) or not math.isfinite(value):
                raise self.error(f"locked: {name}: expected a finite number, found {value!r}")
        given = {
            name: math.radians(value)
            if isinstance(value, Degrees) and off_chain[name].type != "prismatic"
            else float(value)
            for name, value in locked.items()
        }
        positions = {}
        for name in off_chain:
            factor, offset, leader = 1.0, 0.0, name
            for _ in range(len(off_chain) + 1):
                mimic = (
                    off_chain[leader].mimic
                    if leader in off_chain and leader not in locked
                    else None
                )
                if mimic is None:
                    break
                offset, factor = offset + factor * mimic.offset, factor * mimic.multiplier
                leader = mimic.joint
            else:
                raise self.error(
                    f"joint {name!r}: mimic: expected a joint to follow, found a circle"
                )
            rest = off_chain[leader].position if leader in off_chain else 0.0
            positions[name] = offset + factor * given.get(leader, rest)
        return positions
