"""The arm between two links of a robot file: a chain with what is fixed to its links.

A joint of such a file moves about any axis of its joint frame, ours about z of frame i-1. So frame
i-1 is put at the origin of joint i, with z on its axis. Seen from the link that the joint moves,
that axis frame A_i is constant, and so is `Joint.after` = A_i^-1 * (axis frame of joint i+1). All
D-H parameters are 0. Lengths in m, angles in rad, masses in kg.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import RobotError
from ...ground.caller import warn_caller
from ..drive_file.seen_at import seen_at
from ..model import BASE, Drive, Joint, Link, NamedFrame, Robot
from ..physical import nearest_physical
from ..pose import Pose, as_mat3
from ..sticks import with_sticks
from ..visual import Visual
from .link_tree import MOVING, FileJoint, FileLink, FileShape, LinkTree
from .meshes.find import FileFinder
from .meshes.shapes import ShapeReader

LinkGroup = list[tuple[FileLink, Pose]]
"""Links of a file that move as one, with their poses in the frame of the first."""


@dataclass(frozen=True, slots=True)
class ArmChoice:
    """What of a robot file is the arm, and how it is read.

    `base` and `tip` are the first and the last link (None: the root, the only end), `locked`
    positions (rad, m) by name of joints off the chain. `packages` and `within`: see `FileFinder`.
    `nearest_physical` repairs inertias that no body has.
    """

    base: str | None = None
    tip: str | None = None
    locked: Mapping[str, float] = field(default_factory=dict)
    packages: Mapping[str, Path] = field(default_factory=dict)
    within: Path | None = None
    nearest_physical: bool = False


def read_arm(tree: LinkTree, path: Path, choice: ArmChoice, touching: Any = ()) -> Robot:
    """The arm that `choice` takes from the tree of the file at `path`.

    `touching` are pairs of links of the file that may touch each other.
    """
    start = tree.root if choice.base is None else tree.find("base", choice.base, tree.links)
    chain = tree.chain(start, tree.tip(start, choice.tip))
    moving = {joint.name: joint for joint in chain if joint.type in MOVING}
    off_chain = {j.name: j for j in tree.under(start) if j.type in MOVING and j.name not in moving}
    positions = tree.locked_positions(moving, off_chain, choice.locked)
    bodies, ends = _bodies(tree, start, list(moving), positions)
    shapes = ShapeReader(FileFinder(path, choice.packages, choice.within))
    everything = [link for body in bodies for link, _ in body]
    shapes.read(
        (s for link in everything for s in link.visuals),
        (s for link in everything for s in link.collisions),
    )
    changes: list[str] = []
    mend = changes.append if choice.nearest_physical else None
    robot = _robot(tree, bodies, ends, list(moving.values()), chain[-1].child, shapes, mend)
    if choice.tip is not None and choice.tip not in tree.links:
        robot = replace(robot, tool=robot.tool @ tree.frames[choice.tip][1])
    pairs = _touching(touching, bodies, robot)
    robot = with_sticks(replace(robot, touching=pairs) if pairs else robot)
    line = shapes.skipped_line()
    if line:
        warn_caller(f"{tree.file}: {line}")
    mimics = ", ".join(f"{name} at {x:g}" for name, x in positions.items() if off_chain[name].mimic)
    if mimics:
        warn_caller(f"{tree.file}: mimic joints are locked: {mimics}")
    if changes:
        warn_caller(f"{tree.file}: nearest physical inertias: {'; '.join(changes)}")
        made = tuple(f"inertia of {change}" for change in changes)
        robot = replace(robot, illustrative=(*robot.illustrative, *made))
    return robot


def _bodies(
    tree: LinkTree, base: str, moving: list[str], positions: Mapping[str, float]
) -> tuple[list[LinkGroup], list[Pose]]:
    """The base and the n moving bodies, and the frame of joint i+1 in body i."""
    bodies: list[LinkGroup] = [[] for _ in range(len(moving) + 1)]
    ends = [Pose() for _ in moving]
    places = [(base, 0, Pose())]
    for name, i, pose in places:  # grows while we walk it
        bodies[i].append((tree.links[name], pose))
        for joint in tree.below[name]:
            origin = pose @ joint.pose
            if joint.name in moving:
                ends[i] = origin
                places.append((joint.child, i + 1, Pose()))
            else:
                places.append((joint.child, i, origin @ _motion(joint, positions)))
    return bodies, ends


def _axis_frame(joint: FileJoint) -> Pose:
    """A frame with z on the joint's axis: a signed permutation if that is +-x, +-y or +-z."""
    z = joint.axis / np.linalg.norm(joint.axis)
    beside = (int(np.argmax(abs(z))) + 1) % 3
    x = np.eye(3)[beside] - z[beside] * z
    x /= np.linalg.norm(x)
    return Pose.of(as_mat3(np.array([x, np.cross(z, x), z]).T.tolist()), (0.0, 0.0, 0.0))


def _motion(joint: FileJoint, positions: Mapping[str, float]) -> Pose:
    """The pose that a locked joint adds at its position: none at 0, as for a fixed joint."""
    along = (0.0, 0.0, positions.get(joint.name, 0.0))
    if not along[2]:
        return Pose()
    moved = Pose(xyz=along) if joint.type == "prismatic" else Pose(rpy=along)
    frame = _axis_frame(joint)
    return frame @ moved @ frame.inverse()


def _robot(
    tree: LinkTree,
    bodies: list[LinkGroup],
    ends: list[Pose],
    moving: list[FileJoint],
    tip: str,
    shapes: ShapeReader,
    mend: Callable[[str], None] | None,
) -> Robot:
    """The robot from its bodies (the base first) and the joint that moves each of them."""
    axes = [_axis_frame(joint) for joint in moving]
    frames = [end @ axis for end, axis in zip(ends, axes, strict=True)]  # 0..n-1, each in its body
    after = [axis.inverse() @ frame for axis, frame in zip(axes, frames[1:], strict=False)]
    frames.append(axes[-1])
    tip_pose = next(pose for link, pose in bodies[-1] if link.name == tip)
    drawn, colliding = _shapes(tree, bodies[0], Pose(), shapes)
    return Robot(
        name=tree.name,
        source=tree.file,
        joints=tuple(_joint(tree, j, a) for j, a in zip(moving, [*after, Pose()], strict=True)),
        links=tuple(
            _link(tree, b, f, shapes, mend) for b, f in zip(bodies[1:], frames[1:], strict=True)
        ),
        drives=tuple(_drive(tree, joint) for joint in moving),
        base=frames[0],
        tool=frames[-1].inverse() @ tip_pose,
        base_visuals=drawn,
        base_collisions=colliding,
        frames=_named_frames(bodies, frames),
    )


def _named_frames(bodies: list[LinkGroup], frames: list[Pose]) -> tuple[NamedFrame, ...]:
    """Every link of the file as a frame that can be named; `frames` 0..n, each in its body.

    Frame i < n is fixed to body i, as the axis of joint i+1; frame n to the last body.
    """
    named: dict[str, NamedFrame] = {}
    for i, (body, frame) in enumerate(zip(bodies, frames, strict=True)):
        for link, pose in body:
            if not link.place_of_joint:
                named[link.name] = NamedFrame(link.name, i, frame.inverse() @ pose)
    for i, (body, frame) in enumerate(zip(bodies, frames, strict=True)):
        for link, pose in body:
            for name, inner in link.frames:
                named.setdefault(name, NamedFrame(name, i, frame.inverse() @ pose @ inner))
    return tuple(named.values())


def _joint(tree: LinkTree, joint: FileJoint, after: Pose) -> Joint:
    if joint.flaw:
        raise tree.error(f"joint {joint.name!r}: {joint.flaw}")
    kind = "prismatic" if joint.type == "prismatic" else "revolute"
    values = {"name": joint.name, "after": after, "kind": kind, **joint.values}
    return tree.build(f"joint {joint.name!r}", Joint, **values)


def _drive(tree: LinkTree, joint: FileJoint) -> Drive:
    drive = tree.build(f"joint {joint.name!r}", Drive, **joint.drive)
    return seen_at(drive, joint.ratio)


def _link(
    tree: LinkTree,
    body: LinkGroup,
    frame: Pose,
    shapes: ShapeReader,
    mend: Callable[[str], None] | None,
) -> Link:
    """The links of a body summed to one, in `frame`; each must be possible by itself."""
    names = [link.name for link, _ in body if not link.place_of_joint]
    name, body_pose = (names or [body[0][0].name])[0], frame.inverse()
    parts = []
    for link, pose in body:
        if link.inertial is not None:
            inertia = link.inertial.inertia
            if mend is not None:
                inertia, change = nearest_physical(inertia)
                if change:
                    mend(f"{link.name} {change}")
            placed = body_pose @ pose @ link.inertial.pose
            turn = np.array(placed.rotation)
            tensor = as_mat3((turn @ inertia @ turn.T).tolist())
            values = (link.name, float(link.inertial.mass), placed.xyz, tensor)
            parts.append(_part(tree, link.name, values))
    mass = sum(part.mass for part in parts)
    # from the heaviest part on, so that one part alone keeps its numbers
    center = np.array(max(parts, key=lambda part: part.mass).center if parts else (0.0, 0.0, 0.0))
    center += sum(part.mass * (np.array(part.center) - center) for part in parts) / (mass or 1.0)
    total = np.zeros((3, 3))
    for part in parts:
        arm = np.array(part.center) - center  # parallel axes
        total += part.inertia + part.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    where = (mass, tuple(center.tolist()), as_mat3(total.tolist()))
    return Link(name, *where, *_shapes(tree, body, body_pose, shapes))


def _part(tree: LinkTree, name: str, values: tuple[Any, ...]) -> Link:
    """One link of the file as a body; an inertia that no body has is an error with a way out."""
    try:
        return tree.build(f"link {name!r}", Link, *values)
    except RobotError as error:
        if "principal moments" not in str(error):
            raise
        hint = "--nearest-physical (nearest_physical=True) takes the nearest one that a body has"
        raise RobotError(f"{error}; {hint}") from None


def _shapes(
    tree: LinkTree, body: LinkGroup, body_pose: Pose, shapes: ShapeReader
) -> tuple[tuple[Visual, ...], tuple[Visual, ...]]:
    """What is drawn of a body, and what it collides with if that is not the same; in its frame."""
    drawn: list[Visual] = []
    colliding: list[Visual] = []
    for link, pose in body:
        outer = body_pose @ pose
        for shape in link.visuals:
            drawn += shapes.visuals(tree, link.name, shape, outer)
        for shape in _colliding(link):
            colliding += shapes.collisions(tree, link.name, shape, outer)
    plain = [replace(visual, color=Visual("sphere", (1.0,)).color) for visual in drawn]
    return tuple(drawn), () if plain == colliding else tuple(colliding)


def _colliding(link: FileLink) -> Iterable[FileShape]:
    return link.collisions or link.visuals


def _touching(
    pairs: Iterable[tuple[str, str]], bodies: list[LinkGroup], robot: Robot
) -> tuple[tuple[str, str], ...]:
    """Pairs of bodies all of whose links with shapes may touch each other."""
    allowed = {frozenset(pair) for pair in pairs}
    if not allowed:
        return ()
    names = [BASE, *(link.name for link in robot.links)]
    shaped = [[link.name for link, _ in body if any(_colliding(link))] for body in bodies]
    result = []
    for i, first in enumerate(shaped):
        for j in range(i + 2, len(shaped)):
            both = [frozenset((a, b)) for a in first for b in shaped[j]]
            if both and all(pair in allowed for pair in both):
                result.append((names[i], names[j]))
    return tuple(result)


def finite_or(value: float | None, missing: float) -> float:
    """The value, if there is one other than 0; files of robots say "unknown" by 0."""
    return missing if not value or math.isnan(value) else float(value)
