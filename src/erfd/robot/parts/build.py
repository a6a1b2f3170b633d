"""Weigh the parts of a database and build a robot of them, in D-H link frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...errors import RobotError
from ..model import Link, Robot
from ..pose import IDENTITY, Pose, as_mat3
from .body import NEGLIGIBLE, Body, combine
from .database import Database, PlacedPart
from .visuals import visuals_of


@dataclass(frozen=True, slots=True)
class Item:
    """A weighed link, part or section, with the items that it consists of.

    `body` is in the D-H frame of the link (of the base: in the base frame), `kind` the word for
    it: link, base, part or the shape of a section; `material` is that of a section.
    """

    name: str
    kind: str
    body: Body
    items: tuple[Item, ...] = ()
    material: str = ""


def weigh(database: Database) -> tuple[Item, ...]:
    """Weigh every link, its parts and their sections.

    Args:
        database: The parts database, as `read` returns it.

    Returns:
        Links 1 to n, then the base if it has parts; masses in kg, lengths in m, inertia in kg m2.

    Raises:
        RobotError: A link without parts, or one that weighs nothing.
    """
    weighed = []
    for i, link in enumerate(database.links, 1):
        place = f"{database.file}: [[link]] {i} ({link.name})"
        if not link.uses:
            reason = "none: a link needs a mass"
            raise RobotError(f"{place}: expected at least one part, found {reason}")
        weighed.append(_total(link.name, "link", link.uses, link.frame, place))
    if database.base:
        place = f"{database.file}: [base]"
        weighed.append(_total("base", "base", database.base, IDENTITY, place))
    return tuple(weighed)


def build(database: Database) -> Robot:
    """Build the robot of a parts database.

    Args:
        database: The parts database, as `read` returns it.

    Returns:
        The robot: inertia of every link from its parts, in D-H frames, and shapes for the 3D view.

    Raises:
        RobotError: Parts that make no possible body, such as holes outside the material.
    """
    links = []
    for i, (item, link) in enumerate(zip(weigh(database), database.links, strict=False), 1):
        body, visuals = item.body, visuals_of(link.uses, link.frame)
        try:
            links.append(Link(link.name, body.mass, body.center, body.inertia, visuals))
        except RobotError as error:
            place = f"{database.file}: [[link]] {i} ({link.name})"
            raise RobotError(f"{place}: {error}; are all holes inside the material?") from None
    return replace(
        database.skeleton,
        links=tuple(links),
        base_visuals=visuals_of(database.base, IDENTITY),
    )


def _total(name: str, kind: str, uses: Sequence[PlacedPart], frame: Pose, place: str) -> Item:
    """The item of all parts together, which must weigh something."""
    parts = tuple(_part(use, frame @ use.pose) for use in uses)
    bodies = [section.body for part in parts for section in part.items]
    solid = sum(body.mass for body in bodies if body.mass > 0)
    removed = -sum(body.mass for body in bodies if body.mass < 0)
    if solid - removed <= NEGLIGIBLE * solid:
        masses = f"{solid:.6g} kg of material and {removed:.6g} kg of holes"
        raise RobotError(f"{place}: expected a mass > 0 kg, found {masses}")
    return Item(name, kind, _sum(bodies), parts)


def _part(use: PlacedPart, pose: Pose) -> Item:
    sections = tuple(
        Item(s.name, s.shape.kind, s.body.placed(pose), (), s.material) for s in use.part.sections
    )
    return Item(use.name, "part", _sum([s.body for s in sections]), sections)


def _sum(bodies: Sequence[Body]) -> Body:
    """The sum of the bodies, with exact zeros where rounding left next to nothing.

    A product of inertia of 1e-19 would stay in every equation of the robot; a zero disappears.
    """
    body = combine(bodies)
    largest = max(abs(v) for row in body.inertia for v in row)
    reach = max(abs(v) for b in bodies for v in b.center)
    reach = max(reach, (largest / abs(body.mass)) ** 0.5)  # or the radius of gyration
    x, y, z = (0.0 if abs(v) <= NEGLIGIBLE * reach else v for v in body.center)
    rows = [[0.0 if abs(v) <= NEGLIGIBLE * largest else v for v in row] for row in body.inertia]
    return Body(body.mass, (x, y, z), as_mat3(rows))
