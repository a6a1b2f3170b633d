"""All contacts of a motion: of the links with the cell, and with each other."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from ..ground.arrays import Array
from ..robot.model import Robot
from ..robot.sticks import has_sticks
from .contact import Contact, in_order
from .model import Cell
from .motion_clearance import motion_clearance
from .self_clearance import OwnShapes, self_clearance
from .shapes import shapes_of


def motion_contacts(robot: Robot, cell: Cell | None, t: Array, q: Array) -> tuple[Contact, ...]:
    """What touches on a motion, t (N,) in s and q (N, n) in rad (m), in the order of time.

    Links touch each other only where the package coal is installed: `unseen` says so if not.
    """
    around = () if cell is None else motion_clearance(robot, cell, t, q).contacts
    return in_order((*around, *own_contacts(robot, t, q)))


def own_contacts(robot: Robot, t: Array, q: Array) -> tuple[Contact, ...]:
    """Which links touch each other on a motion; none where that cannot be looked at.

    Shapes that are `illustrative` decide nothing here: `unseen` says so.
    """
    if not can_meet_itself(robot):
        return ()
    return self_clearance(robot, t, q).contacts


def unseen(robot: Robot, cell: Cell | None) -> Iterator[str]:
    """What of the links' touching each other is not looked at, in sentences.

    Without a cell it is said of all collisions that they are not checked.
    """
    around = cell is not None and bool(cell.things)
    if not any(shapes_of(link) for link in robot.links):
        if around:
            yield "self-collision not checked (the robot has no shapes)"
    elif not robot.once(_installed, _installed):
        yield "self-collision not checked (the package coal is not installed)"
    elif _drawn_freely(robot):
        if around:
            yield "self-collision not checked (the robot's shapes are illustrative)"
    else:
        for first, second in OwnShapes.of(robot).touching:
            yield f"collision of {first} with {second} not checked (they touch at rest)"
    if has_sticks(robot):
        yield "collisions of real shapes not checked (capsules from joint to joint stand for them)"


def can_meet_itself(robot: Robot) -> bool:
    """Whether links are compared with each other: they have shapes that are not made up."""
    shaped = any(shapes_of(link) for link in robot.links)
    return shaped and robot.once(_installed, _installed) and not _drawn_freely(robot)


def _installed() -> bool:
    return find_spec("coal") is not None


def _drawn_freely(robot: Robot) -> bool:
    """Whether shapes were made up: links pass each other by millimetres, which they cannot tell."""
    return any("shape" in phrase for phrase in robot.illustrative)
