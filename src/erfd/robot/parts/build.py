"""From a parts database to a robot: everything weighed, in D-H link frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...errors import RobotError
from ..model import Link, Robot
from ..pose import IDENTITY, Pose, as_mat3
from .body import NOTHING, Body, combine
from .database import Database, Use
from .visuals import visuals_of


@dataclass(frozen=True, slots=True)
class Item:
    """A link, part or section that has been weighed, and what it consists of.

    `body` is in the D-H frame of the link (of the base: in the base frame), `kind` the word for
    it: link, base, part or the shape of a section; `material` is that of a section.
    """

    name: str
    kind: str
    body: Body
    items: tuple[Item, ...] = ()
    material: str = ""


def weigh(database: Database) -> tuple[Item, ...]:
    """Links 1 to n, each with its parts and their sections; the base comes last, if it has any."""
    weighed = []
    for i, link in enumerate(database.links, 1):
        place = f"{database.file}: [[link]] {i} ({link.name})"
        if not link.uses:
            found = "none: a link needs a mass"
            raise RobotError(f"{place}: expected at least one part, found {found}")
        weighed.append(_total(link.name, "link", link.uses, link.frame, place))
    if database.base:
        place = f"{database.file}: [base]"
        weighed.append(_total("base", "base", database.base, IDENTITY, place))
    return tuple(weighed)


def build(database: Database) -> Robot:
    """The robot: inertia of every link from its parts, in D-H frames, and shapes to look at."""
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


def _total(name: str, kind: str, uses: Sequence[Use], frame: Pose, place: str) -> Item:
    """All sections of all parts as one body, which must weigh something."""
    parts = tuple(_part(use, frame @ use.pose) for use in uses)
    bodies = [section.body for part in parts for section in part.items]
    solid = sum(body.mass for body in bodies if body.mass > 0)
    taken = -sum(body.mass for body in bodies if body.mass < 0)
    if solid - taken <= NOTHING * solid:
        found = f"{solid:.6g} kg of material and {taken:.6g} kg of holes"
        raise RobotError(f"{place}: expected a mass > 0 kg, found {found}")
    return Item(name, kind, _sum(bodies), parts)


def _part(use: Use, pose: Pose) -> Item:
    sections = tuple(
        Item(s.name, s.shape.kind, s.body.placed(pose), (), s.material) for s in use.part.sections
    )
    return Item(use.name, "part", _sum([s.body for s in sections]), sections)


def _sum(bodies: Sequence[Body]) -> Body:
    """All bodies as one, with exact zeros where rounding left next to nothing.

    A product of inertia of 1e-19 would stay in every equation of the robot; a zero disappears.
    """
    body = combine(bodies)
    big = max(abs(v) for row in body.inertia for v in row)
    far = max(abs(v) for one in bodies for v in one.center)
    far = max(far, (big / abs(body.mass)) ** 0.5)  # or the radius of gyration
    x, y, z = (0.0 if abs(v) <= NOTHING * far else v for v in body.center)
    rows = [[0.0 if abs(v) <= NOTHING * big else v for v in row] for row in body.inertia]
    return Body(body.mass, (x, y, z), as_mat3(rows))
