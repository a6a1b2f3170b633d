"""Read robots from URDF files: the chain from base to tip, with what is fixed to its links.

A URDF joint moves about any axis of its joint frame, ours about z of frame i-1. So frame i-1 is put
at the origin of joint i, with z on its axis. Seen from the link that the joint moves, that axis
frame A_i is constant, and so is `Joint.after` = A_i^-1 * (axis frame of joint i+1). All D-H
parameters are 0. Lengths in m, angles in rad, masses in kg.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ...errors import RobotError
from ...ground.caller import warn_caller
from ..drive_file.seen_at import seen_at
from ..model import Drive, Joint, Link, NamedFrame, Robot, Visual
from ..pose import Pose, as_mat3, snap
from .table import Table
from .urdf_actuation import Actuation
from .urdf_xml import MOVING, parse

T = TypeVar("T")
LinkGroup = list[tuple[Any, Pose]]
"""URDF links that move as one, with their poses in the frame of the first."""

AXIS_SLACK = 1e-3  # an axis such as 0.7071 0.7071 0 is meant to be a unit vector


def read(path: Path, *, base: str | None, tip: str | None, locked: Mapping[str, float]) -> Robot:
    """Read the arm between the links `base` and `tip` of a URDF file.

    `locked` gives positions (rad, m) to joints off the chain; the others off it are locked at 0.
    """
    tree = _Tree(path.name, *parse(path))
    start = tree.root if base is None else tree.find("base", base, tree.links)
    chain = tree.chain(start, tree.tip(start, tip))
    moving = {joint.name: joint for joint in chain if joint.type in MOVING}
    off_chain = {j.name: j for j in tree.under(start) if j.type in MOVING and j.name not in moving}
    positions = _lock(tree, moving, off_chain, locked)
    bodies, ends = _bodies(tree, start, list(moving), positions)
    robot = _robot(tree, bodies, ends, list(moving.values()), chain[-1].child)
    mimics = ", ".join(f"{name} at {x:g}" for name, x in positions.items() if off_chain[name].mimic)
    shapes = [v.geometry for body in bodies for link, _ in body for v in link.visuals]
    meshes = [shape.mesh.filename for shape in shapes if shape.mesh]
    if meshes:
        names = ", ".join(dict.fromkeys(meshes))
        message = f"{path.name}: skipped {len(meshes)} visuals that are no primitives: {names}"
        warn_caller(message)
    if mimics:
        warn_caller(f"{path.name}: mimic joints are locked: {mimics}")
    if tree.motors.skipped:
        names = ", ".join(tree.motors.skipped)
        warn_caller(f"{path.name}: transmissions of several joints are not read: {names}")
    return robot


class _Tree:
    """The links and joints of one file, checked to form a tree."""

    def __init__(self, file: str, model: Any, motors: Actuation):
        self.file, self.name, self.motors = file, str(model.name), motors
        self.links = self._unique("link", model.links)
        self._unique("joint", model.joints)
        self.above: dict[str, Any] = {}
        self.below: dict[str, list[Any]] = {name: [] for name in self.links}
        for joint in model.joints:
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
        unreached = self.above.keys() - {joint.child for joint in self.under(self.root)}
        if unreached:
            raise self.error(f"expected a tree of links, found a loop through {min(unreached)!r}")
        used = [v.material for link in model.links for v in link.visuals if v.material]
        self.colors = {m.name: m.color for m in (*used, *model.materials) if m.color}

    def error(self, sentence: str) -> RobotError:
        """The error with this sentence, and the file before it."""
        return RobotError(f"{self.file}: {sentence}")

    def build(self, where: str, make: Callable[..., T], *values: Any, **more: Any) -> T:
        """Call `make` with the values; its RobotError is raised again with file and place."""
        return Table(self.file, where, {}).build(lambda: make(*values, **more))

    def _unique(self, what: str, items: Iterable[Any]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for item in items:
            if result.setdefault(item.name, item) is not item:
                raise self.error(f"{what} {item.name!r}: expected a name of its own, found two")
        return result

    def find(self, key: str, name: str, names: Mapping[str, Any], what: str = "link") -> str:
        """`name`, if it is one of `names`; else an error that suggests the nearest one."""
        if name not in names:
            near = difflib.get_close_matches(str(name), names, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names) or 'none'}"
            raise self.error(f"{key}: expected the name of a {what}, found {name!r}; {hint}")
        return name

    def under(self, link: str) -> list[Any]:
        """All joints below a link, each after the one that carries it."""
        result = list(self.below[link])
        for joint in result:  # grows while we walk it
            result += self.below[joint.child]
        return result

    def tip(self, base: str, tip: str | None) -> str:
        """The link `tip`; if it is None, the only link that moves and has none below it."""
        if tip is not None:
            return self.find("tip", tip, self.links)
        moves = {base: False}
        for joint in self.under(base):
            moves[joint.child] = moves[joint.parent] or joint.type != "fixed"
        tips = [link for link in moves if moves[link] and not self.below[link]]
        if not tips:
            raise self.error(f"expected a moving joint below {base!r}, found none")
        if len(tips) > 1:
            raise self.error(f"tip: expected one of {', '.join(tips)}, found none given")
        return tips[0]

    def chain(self, base: str, tip: str) -> list[Any]:
        """The joints from base to tip; at least one moves, all below the base are usable."""
        joints: list[Any] = []
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


def _lock(
    tree: _Tree,
    moving: Mapping[str, Any],
    off_chain: Mapping[str, Any],
    locked: Mapping[str, float],
) -> dict[str, float]:
    """Positions of the joints off the chain: as given, where a mimic tag puts them, or 0."""
    for name, value in locked.items():
        if name in moving:
            raise tree.error(f"locked: expected joints off the chain, found {name!r} on it")
        tree.find("locked", name, off_chain, "moving joint off the chain")
        if not isinstance(value, Real) or not math.isfinite(value):
            raise tree.error(f"locked: {name}: expected a finite number, found {value!r}")
    positions = {}
    for name in off_chain:
        factor, offset, leader = 1.0, 0.0, name
        for _ in range(len(off_chain) + 1):
            mimic = (
                off_chain[leader].mimic if leader in off_chain and leader not in locked else None
            )
            if mimic is None:
                break
            offset, factor = offset + factor * mimic.offset, factor * mimic.multiplier
            leader = mimic.joint
        else:
            raise tree.error(f"joint {name!r}: mimic: expected a joint to follow, found a circle")
        positions[name] = offset + factor * float(locked.get(leader, 0.0))
    return positions


def _bodies(
    tree: _Tree, base: str, moving: list[str], positions: Mapping[str, float]
) -> tuple[list[LinkGroup], list[Pose]]:
    """The base and the n moving bodies, and the frame of joint i+1 in body i."""
    bodies: list[LinkGroup] = [[] for _ in range(len(moving) + 1)]
    ends = [Pose() for _ in moving]
    places = [(base, 0, Pose())]
    for name, i, pose in places:  # grows while we walk it
        bodies[i].append((tree.links[name], pose))
        for joint in tree.below[name]:
            origin = pose @ _pose(joint.origin)
            if joint.name in moving:
                ends[i] = origin
                places.append((joint.child, i + 1, Pose()))
            else:
                places.append((joint.child, i, origin @ _motion(joint, positions)))
    return bodies, ends


def _pose(matrix: Any) -> Pose:
    """The pose in a 4x4 matrix (None is the identity), exact at right angles."""
    if matrix is None:
        return Pose()
    return Pose.of(as_mat3([[snap(x) for x in row[:3]] for row in matrix[:3]]), matrix[:3, 3])


def _axis_frame(joint: Any) -> Pose:
    """A frame with z on the joint's axis: a signed permutation if that is +-x, +-y or +-z."""
    z = joint.axis / np.linalg.norm(joint.axis)
    beside = (int(np.argmax(abs(z))) + 1) % 3
    x = np.eye(3)[beside] - z[beside] * z
    x /= np.linalg.norm(x)
    return Pose.of(as_mat3(np.array([x, np.cross(z, x), z]).T.tolist()), (0.0, 0.0, 0.0))


def _motion(joint: Any, positions: Mapping[str, float]) -> Pose:
    """The pose that a locked joint adds at its position: none at 0, as for a fixed joint."""
    along = (0.0, 0.0, positions.get(joint.name, 0.0))
    if not along[2]:
        return Pose()
    moved = Pose(xyz=along) if joint.type == "prismatic" else Pose(rpy=along)
    frame = _axis_frame(joint)
    return frame @ moved @ frame.inverse()


def _robot(
    tree: _Tree, bodies: list[LinkGroup], ends: list[Pose], moving: list[Any], tip: str
) -> Robot:
    """The robot from its bodies (the base first) and the joint that moves each of them."""
    axes = [_axis_frame(joint) for joint in moving]
    frames = [end @ axis for end, axis in zip(ends, axes, strict=True)]  # 0..n-1, each in its body
    after = [axis.inverse() @ frame for axis, frame in zip(axes, frames[1:], strict=False)]
    frames.append(axes[-1])
    tip_pose = next(pose for link, pose in bodies[-1] if link.name == tip)
    return Robot(
        name=tree.name,
        source=tree.file,
        joints=tuple(_joint(tree, j, a) for j, a in zip(moving, [*after, Pose()], strict=True)),
        links=tuple(_link(tree, b, f) for b, f in zip(bodies[1:], frames[1:], strict=True)),
        drives=tuple(_drive(tree, joint) for joint in moving),
        base=frames[0],
        tool=frames[-1].inverse() @ tip_pose,
        base_visuals=_visuals(tree, bodies[0], Pose()),
        frames=_named_frames(bodies, frames),
    )


def _named_frames(bodies: list[LinkGroup], frames: list[Pose]) -> tuple[NamedFrame, ...]:
    """Every link of the file as a frame that can be named; `frames` 0..n, each in its body.

    Frame i < n is fixed to body i, as the axis of joint i+1; frame n to the last body.
    """
    return tuple(
        NamedFrame(link.name, i, frame.inverse() @ pose)
        for i, (body, frame) in enumerate(zip(bodies, frames, strict=True))
        for link, pose in body
    )


def _joint(tree: _Tree, joint: Any, after: Pose) -> Joint:
    values: dict[str, Any] = {"name": joint.name, "after": after}
    values["kind"] = "prismatic" if joint.type == "prismatic" else "revolute"
    limit, where = joint.limit, f"joint {joint.name!r}"
    if joint.type != "continuous":
        if limit is None:
            raise tree.error(f"{where}: expected a <limit>, found nothing")
        if limit.lower is not None or limit.upper is not None:
            # URDF takes 0 for what is left out, but who leaves out both means a joint that moves
            values |= {"position_min": limit.lower or 0.0, "position_max": limit.upper or 0.0}
    low, high = tree.motors.limits.get(joint.name, {}).get("position", (-math.inf, math.inf))
    values["position_min"] = max(values.get("position_min", -math.inf), low)
    values["position_max"] = min(values.get("position_max", math.inf), high)
    speed = (limit and limit.velocity) or math.inf  # 0 is how URDF says unknown
    values["velocity_max"] = min(speed, tree.motors.most(joint.name, "velocity"))
    values["acceleration_max"] = tree.motors.most(joint.name, "acceleration")
    values["damping"] = float((joint.dynamics and joint.dynamics.damping) or 0.0)
    return tree.build(where, Joint, **values)


def _drive(tree: _Tree, joint: Any) -> Drive:
    """The limits of the joint as a drive, seen at the rotor if there is a transmission."""
    torque = (joint.limit and joint.limit.effort) or math.inf
    speed = (joint.limit and joint.limit.velocity) or math.inf
    torque = min(torque, tree.motors.most(joint.name, "effort"))
    speed = min(speed, tree.motors.most(joint.name, "velocity"))
    friction = float((joint.dynamics and joint.dynamics.friction) or 0.0)
    values = {"torque_max": torque, "speed_max": speed, "coulomb": friction}
    drive = tree.build(f"joint {joint.name!r}", Drive, **values)
    return seen_at(drive, tree.motors.reductions.get(joint.name, 1.0))


def _link(tree: _Tree, body: LinkGroup, frame: Pose) -> Link:
    """The links of a body summed to one, in `frame`; each must be possible by itself."""
    name, body_pose = body[0][0].name, frame.inverse()
    parts = []
    for link, pose in body:
        if link.inertial is not None:
            placed = body_pose @ pose @ _pose(link.inertial.origin)
            turn = np.array(placed.rotation)
            inertia = as_mat3((turn @ link.inertial.inertia @ turn.T).tolist())
            values = (link.name, float(link.inertial.mass), placed.xyz, inertia)
            parts.append(tree.build(f"link {link.name!r}", Link, *values))
    mass = sum(part.mass for part in parts)
    # from the heaviest part on, so that one part alone keeps its numbers
    center = np.array(max(parts, key=lambda part: part.mass).center if parts else (0.0, 0.0, 0.0))
    center += sum(part.mass * (np.array(part.center) - center) for part in parts) / (mass or 1.0)
    tensor = np.zeros((3, 3))
    for part in parts:
        arm = np.array(part.center) - center  # parallel axes
        tensor += part.inertia + part.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return Link(
        name, mass, tuple(center.tolist()), as_mat3(tensor.tolist()), _visuals(tree, body, frame)
    )


def _visuals(tree: _Tree, body: LinkGroup, frame: Pose) -> tuple[Visual, ...]:
    """The primitives of a body, in `frame`."""
    body_pose, result = frame.inverse(), []
    for link, pose in body:
        for visual in link.visuals:
            shape = visual.geometry
            if shape.mesh:
                continue
            if shape.box:
                values: tuple[Any, ...] = ("box", tuple(shape.box.size.tolist()))
            elif shape.cylinder:
                values = ("cylinder", (shape.cylinder.radius, shape.cylinder.length))
            else:
                values = ("sphere", (shape.sphere.radius,))
            values += (body_pose @ pose @ _pose(visual.origin), *_color(tree, visual.material))
            result.append(tree.build(f"link {link.name!r}: visual", Visual, *values))
    return tuple(result)


def _color(tree: _Tree, material: Any) -> tuple[str, ...]:
    """The colour as (#rrggbb,), or () if the file does not say."""
    color = material and (material.color or tree.colors.get(material.name))
    if not color:
        return ()
    return ("#" + "".join(f"{round(255 * min(max(x, 0.0), 1.0)):02x}" for x in color.rgba[:3]),)
