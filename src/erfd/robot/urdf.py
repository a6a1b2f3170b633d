"""Robots from URDF files: the chain from base to tip; what hangs on a link is lumped with it.

A URDF joint moves about any axis of its joint frame, ours about z of frame i-1. So frame i-1 is put
at the origin of joint i, with z on its axis. Seen from the link that the joint moves, that axis
frame A_i is constant, and so is `Joint.after` = A_i^-1 * (axis frame of joint i+1). All D-H
parameters are 0. Lengths in m, angles in rad, masses in kg.
"""

from __future__ import annotations

import difflib
import math
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import MissingDependencyError, RobotError
from .model import Drive, Joint, Link, Robot, Visual
from .pose import Pose, as_mat3, snap
from .reader import Table

FIXED, MOVING, REFUSED = ("fixed",), ("revolute", "continuous", "prismatic"), ("floating", "planar")
SHAPES = ("box", "cylinder", "sphere", "mesh")
AXIS_SLACK = 1e-3  # an axis such as 0.7071 0.7071 0 is meant to be a unit vector
CHILDREN = {"joint": ("parent", "child"), "inertial": ("mass", "inertia"), "visual": ("geometry",)}
TEXTS = {
    **{"robot": ("name",), "link": ("name",), "joint": ("name", "type"), "mesh": ("filename",)},
    **{"parent": ("link",), "child": ("link",), "mimic": ("joint",)},
}
NUMBERS = {  # how many numbers an attribute holds, and whether it must be there
    **{"origin": {"xyz": (3, False), "rpy": (3, False)}, "axis": {"xyz": (3, True)}},
    **{"mass": {"value": (1, True)}, "inertia": {f"i{a}{a}": (1, True) for a in "xyz"}},
    **{"limit": {k: (1, False) for k in ("lower", "upper", "effort", "velocity")}},
    **{"dynamics": {"damping": (1, False), "friction": (1, False)}, "box": {"size": (3, True)}},
    **{"cylinder": {"radius": (1, True), "length": (1, True)}, "sphere": {"radius": (1, True)}},
    **{"color": {"rgba": (4, True)}, "mimic": {"multiplier": (1, False), "offset": (1, False)}},
}
NUMBERS["inertia"] |= {k: (1, False) for k in ("ixy", "ixz", "iyz")}


def read(path: Path, *, base: str | None, tip: str | None, locked: Mapping[str, float]) -> Robot:
    """The arm between the links `base` and `tip` of a URDF file.

    `locked` gives positions (rad, m) to joints off the chain; the others off it are locked at 0.
    """
    tree = _Tree(path.name, _parse(path))
    start = tree.root if base is None else tree.find("base", base, tree.links)
    chain = tree.chain(start, tree.tip(start, tip))
    moving = {joint.name: joint for joint in chain if joint.type in MOVING}
    idle = {j.name: j for j in tree.under(start) if j.type in MOVING and j.name not in moving}
    _check_joints(tree, start, moving)
    positions = _lock(tree, moving, idle, locked)
    bodies = _bodies(tree, start, list(moving), positions)
    robot = _robot(tree, bodies, list(moving.values()), chain[-1].child)
    _warn(tree, bodies, {name: x for name, x in positions.items() if idle[name].mimic})
    return robot


def _parse(path: Path) -> Any:
    """The file as yourdfpy's `Robot`; its mistakes found before, for yourdfpy guesses or fails."""
    try:
        import yourdfpy
        from lxml import etree  # type: ignore[import-untyped]
    except ImportError:
        raise MissingDependencyError(
            f"{path.name}: URDF files are read with the package yourdfpy, which is not installed; "
            "pip install 'erfd[urdf]' installs it"
        ) from None
    parser = etree.XMLParser(recover=True, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(path.read_bytes(), parser)
    except FileNotFoundError:
        raise RobotError(f"{path}: no such file") from None
    except OSError as error:
        raise RobotError(f"{path}: cannot be read: {error.strerror}") from None
    except etree.XMLSyntaxError as error:
        raise RobotError(f"{path.name}: expected XML, found: {error.msg}") from None
    for entry in parser.error_log:  # old simulator tags use prefixes that nobody declared
        if entry.domain != etree.ErrorDomains.NAMESPACE:
            raise RobotError(f"{path.name}: line {entry.line}: not valid XML: {entry.message}")
    if root.tag != "robot":
        raise RobotError(f"{path.name}: expected a <robot> element, found <{root.tag}>")
    for child in [x for x in root if x.tag not in ("link", "joint", "material")]:
        root.remove(child)
    etree.strip_elements(root, "collision", "calibration", "safety_controller", with_tail=False)
    for element in root.iter():
        _check_element(path.name, element)
    source = BytesIO(etree.tostring(root))
    return yourdfpy.URDF.load(source, build_scene_graph=False, load_meshes=False).robot


def _check_element(file: str, element: Any) -> None:
    """No tag or attribute that we use may be missing or, if it holds numbers, be anything else."""
    where = Table(f"{file}: line {element.sourceline}", f"<{element.tag}>", dict(element.attrib))
    for tag in CHILDREN.get(element.tag, ()):
        if element.find(tag) is None:
            where.take(f"<{tag}>", ..., "an element")
    for key in TEXTS.get(element.tag, ()):
        where.text(key)
    for key, (count, required) in NUMBERS.get(element.tag, {}).items():
        expected = "a number" if count == 1 else f"{count} numbers"
        text = where.take(key, ... if required else None, expected)
        if text is not None and not _is_numbers(text, count, infinite=element.tag == "limit"):
            raise where.error(key, expected, text)
    if element.tag == "joint":
        where.choice("type", FIXED + MOVING + REFUSED)
    if element.tag == "geometry":
        if not len(element):
            where.take(f"<{SHAPES[0]}>", ..., "a shape")
        if element[0].tag not in SHAPES:  # yourdfpy would refuse the file; we skip it like a mesh
            element[0].set("filename", f"<{element[0].tag}>")
            element[0].tag = "mesh"


def _is_numbers(text: str, count: int, infinite: bool) -> bool:
    try:
        values = [float(word) for word in text.split()]
    except ValueError:
        return False
    good = not any(math.isnan(x) or (math.isinf(x) and not infinite) for x in values)
    return good and len(values) == count


class _Tree:
    """The links and joints of one file, known to be a tree."""

    def __init__(self, file: str, model: Any):
        self.file, self.name = file, str(model.name)
        self.links = self._unique("link", model.links)
        self.joints = self._unique("joint", model.joints)
        self.above: dict[str, Any] = {}
        self.below: dict[str, list[Any]] = {name: [] for name in self.links}
        for joint in model.joints:
            for key, link in (("parent", joint.parent), ("child", joint.child)):
                self.find(f"joint {joint.name!r}: <{key}>", link, self.links)
            other = self.above.setdefault(joint.child, joint)
            if other is not joint:
                found = f"{other.name!r} and {joint.name!r}"
                raise self.error(f"link {joint.child!r}: expected one parent joint, found {found}")
            self.below[joint.parent].append(joint)
        roots = [name for name in self.links if name not in self.above]
        if len(roots) != 1:
            found = ", ".join(roots) or "none"
            raise self.error(f"expected one link without a parent joint, found {found}")
        self.root = roots[0]
        loose = self.above.keys() - {joint.child for joint in self.under(self.root)}
        if loose:
            raise self.error(f"expected a tree of links, found a loop through {min(loose)!r}")
        used = [v.material for link in model.links for v in link.visuals if v.material]
        self.colors = {m.name: m.color for m in (*used, *model.materials) if m.color}

    def error(self, sentence: str) -> RobotError:
        """The sentence, with the file before it."""
        return RobotError(f"{self.file}: {sentence}")

    def _unique(self, what: str, items: Iterable[Any]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for item in items:
            if result.setdefault(item.name, item) is not item:
                raise self.error(
                    f"{what} {item.name!r}: expected a name of its own, found it twice"
                )
        return result

    def find(self, key: str, name: str, known: Mapping[str, Any], what: str = "link") -> str:
        """`name`, which must be one of the known ones."""
        if name not in known:
            near = difflib.get_close_matches(str(name), known, 1)
            hint = (
                f"did you mean {near[0]!r}?" if near else f"there is {', '.join(known) or 'none'}"
            )
            raise self.error(f"{key}: expected the name of a {what}, found {name!r}; {hint}")
        return name

    def under(self, link: str) -> list[Any]:
        """All joints below a link, each after the one that carries it."""
        result = list(self.below[link])
        for joint in result:  # grows while we walk it
            result += self.below[joint.child]
        return result

    def tip(self, base: str, tip: str | None) -> str:
        """The link that was asked for, or else the only one below the base that carries nothing."""
        if tip is not None:
            return self.find("tip", tip, self.links)
        tips = [j.child for j in self.under(base) if not self.below[j.child]]
        if len(tips) > 1:
            raise self.error(f"tip: expected one of {', '.join(tips)}, found no choice of a tip")
        return tips[0] if tips else base

    def chain(self, base: str, tip: str) -> list[Any]:
        """The joints from base to tip, at least one of which moves."""
        joints: list[Any] = []
        link = tip
        while link != base:
            if link not in self.above:
                raise self.error(f"tip: expected a link below base {base!r}, found {tip!r}")
            joints.insert(0, self.above[link])
            link = joints[0].parent
        if not any(joint.type not in FIXED for joint in joints):
            raise self.error(f"expected a moving joint between {base!r} and {tip!r}, found none")
        return joints


def _check_joints(tree: _Tree, base: str, moving: Mapping[str, Any]) -> None:
    for joint in tree.under(base):
        where = f"joint {joint.name!r}"
        if joint.type in REFUSED:
            expected = f"one of {', '.join(FIXED + MOVING)}"
            raise tree.error(f"{where}: expected a type of {expected}, found {joint.type!r}")
        length = float(np.linalg.norm(joint.axis))
        if joint.type in MOVING and abs(length - 1) > AXIS_SLACK:
            found = " ".join(f"{x:g}" for x in joint.axis)
            raise tree.error(f"{where}: axis: expected a unit vector, found {found}")
        if joint.name in moving and joint.mimic:
            leader = joint.mimic.joint
            found = f"one that mimics {leader!r}, which is not supported"
            raise tree.error(f"{where}: expected an independent joint on the chain, found {found}")


def _lock(
    tree: _Tree, moving: Mapping[str, Any], idle: Mapping[str, Any], locked: Mapping[str, float]
) -> dict[str, float]:
    """Positions of the joints off the chain: as given, where a mimic tag puts them, or 0."""
    for name, value in locked.items():
        if name in moving:
            raise tree.error(f"locked: expected joints off the chain, found {name!r} on it")
        tree.find("locked", name, idle, "moving joint off the chain")
        if not isinstance(value, int | float) or not math.isfinite(value):
            raise tree.error(f"locked: {name}: expected a finite number, found {value!r}")
    positions = {}
    for name in idle:
        factor, offset, seen, leader = 1.0, 0.0, {name}, name
        while leader not in locked and leader in idle and idle[leader].mimic:
            mimic = idle[leader].mimic
            offset, factor = offset + factor * mimic.offset, factor * mimic.multiplier
            leader = mimic.joint
            if leader in seen:
                raise tree.error(f"joint {name!r}: expected a joint to mimic, found a circle")
            seen.add(leader)
        positions[name] = offset + factor * float(locked.get(leader, 0.0))
    return positions


@dataclass(slots=True)
class _Body:
    """Links that move as one, with their poses in the frame of the first; where its joint ends."""

    links: list[tuple[Any, Pose]] = field(default_factory=list)
    end: Pose = Pose()


def _bodies(
    tree: _Tree, base: str, moving: list[str], positions: Mapping[str, float]
) -> list[_Body]:
    """The base and the n moving bodies; `end` is the frame of the next joint."""
    bodies = [_Body() for _ in range(len(moving) + 1)]
    places = [(base, 0, Pose())]
    for name, number, pose in places:  # grows while we walk it
        body = bodies[number]
        body.links.append((tree.links[name], pose))
        for joint in tree.below[name]:
            origin = pose @ _pose(joint.origin)
            if joint.name in moving:
                body.end = origin
                places.append((joint.child, moving.index(joint.name) + 1, Pose()))
            else:
                moved = _motion(joint, positions.get(joint.name, 0.0))
                places.append((joint.child, number, origin @ moved))
    return bodies


def _pose(matrix: Any) -> Pose:
    """The pose in a 4x4 matrix (None is the identity), exact at right angles."""
    if matrix is None:
        return Pose()
    return Pose.of(as_mat3([[snap(x) for x in row[:3]] for row in matrix[:3]]), matrix[:3, 3])


def _axis_frame(joint: Any) -> Pose:
    """A frame of the joint with z on the axis: a signed permutation if the axis is +-x, +-y, +-z."""
    z = joint.axis / np.linalg.norm(joint.axis)
    beside = (int(np.argmax(abs(z))) + 1) % 3
    x = np.eye(3)[beside] - z[beside] * z
    x /= np.linalg.norm(x)
    return Pose.of(as_mat3(np.array([x, np.cross(z, x), z]).T.tolist()), (0.0, 0.0, 0.0))


def _motion(joint: Any, position: float) -> Pose:
    """What a locked joint does at its position."""
    if position == 0:
        return Pose()
    along = (0.0, 0.0, position)
    moved = Pose(xyz=along) if joint.type == "prismatic" else Pose(rpy=along)
    frame = _axis_frame(joint)
    return frame @ moved @ frame.inverse()


def _robot(tree: _Tree, bodies: list[_Body], moving: list[Any], tip: str) -> Robot:
    """The robot from the base, the bodies and the joints before each of them."""
    axes = [_axis_frame(joint) for joint in moving]
    frames = [body.end @ axis for body, axis in zip(bodies, axes, strict=False)] + axes[-1:]
    after = [axis.inverse() @ frame for axis, frame in zip(axes, frames[1:-1], strict=False)]
    placed = next(pose for link, pose in bodies[-1].links if link.name == tip)
    visuals = [_visuals(tree, body, frame) for body, frame in zip(bodies, frames, strict=True)]
    return Robot(
        name=tree.name,
        source=tree.file,
        joints=tuple(_joint(tree, j, a) for j, a in zip(moving, [*after, Pose()], strict=True)),
        links=tuple(_link(tree, *x) for x in zip(bodies[1:], frames[1:], visuals[1:], strict=True)),
        drives=tuple(_drive(tree, joint) for joint in moving),
        base=frames[0],
        tool=frames[-1].inverse() @ placed,
        base_visuals=_visuals(tree, bodies[0], Pose()),
    )


def _joint(tree: _Tree, joint: Any, after: Pose) -> Joint:
    values: dict[str, Any] = {"name": joint.name, "after": after}
    values["kind"] = "prismatic" if joint.type == "prismatic" else "revolute"
    limit = joint.limit
    if joint.type != "continuous":
        if limit is None:
            raise tree.error(f"joint {joint.name!r}: expected a <limit>, found nothing")
        values["position_min"], values["position_max"] = limit.lower or 0.0, limit.upper or 0.0
    values["velocity_max"] = (limit and limit.velocity) or math.inf  # 0 is how URDF says unknown
    values["damping"] = float((joint.dynamics and joint.dynamics.damping) or 0.0)
    return Table(tree.file, f"joint {joint.name!r}", {}).build(lambda: Joint(**values))


def _drive(tree: _Tree, joint: Any) -> Drive:
    limit, dynamics = joint.limit, joint.dynamics
    values = {
        "torque_max": (limit and limit.effort) or math.inf,
        "speed_max": (limit and limit.velocity) or math.inf,
        "coulomb": float((dynamics and dynamics.friction) or 0.0),
    }
    return Table(tree.file, f"joint {joint.name!r}", {}).build(lambda: Drive(**values))


def _link(tree: _Tree, body: _Body, frame: Pose, visuals: tuple[Visual, ...]) -> Link:
    """The links of a body as one, in `frame`; each must be possible by itself."""
    seen, parts = frame.inverse(), []
    for link, pose in body.links:
        if link.inertial is not None:
            placed = seen @ pose @ _pose(link.inertial.origin)
            turn = np.array(placed.rotation)
            inertia = as_mat3((turn @ link.inertial.inertia @ turn.T).tolist())
            values = (link.name, float(link.inertial.mass), placed.xyz, inertia)
            where = Table(tree.file, f"link {link.name!r}", {})
            parts.append(where.build(lambda values=values: Link(*values)))
    mass = sum(part.mass for part in parts)
    center = sum((part.mass * np.array(part.center) for part in parts), np.zeros(3)) / (mass or 1.0)
    if sum(part.mass > 0 for part in parts) == 1:
        center = np.array(max(parts, key=lambda part: part.mass).center)  # without rounding
    tensor = np.zeros((3, 3))
    for part in parts:
        arm = np.array(part.center) - center  # parallel axes
        tensor += part.inertia + part.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    x, y, z = center.tolist()
    return Link(body.links[0][0].name, mass, (x, y, z), as_mat3(tensor.tolist()), visuals)


def _visuals(tree: _Tree, body: _Body, frame: Pose) -> tuple[Visual, ...]:
    """The primitives of a body, in `frame`."""
    seen, result = frame.inverse(), []
    for link, pose in body.links:
        for visual in link.visuals:
            shape = visual.geometry
            if shape.mesh is not None:
                continue
            if shape.box is not None:
                values: tuple[Any, ...] = ("box", tuple(shape.box.size.tolist()))
            elif shape.cylinder is not None:
                values = ("cylinder", (shape.cylinder.radius, shape.cylinder.length))
            else:
                values = ("sphere", (shape.sphere.radius,))
            values += (seen @ pose @ _pose(visual.origin), *_color(tree, visual.material))
            where = Table(tree.file, f"link {link.name!r}: visual", {})
            result.append(where.build(lambda values=values: Visual(*values)))
    return tuple(result)


def _color(tree: _Tree, material: Any) -> tuple[str, ...]:
    """The colour as (#rrggbb,), or () if the file does not say."""
    color = material and (material.color or tree.colors.get(material.name))
    if not color:
        return ()
    return ("#" + "".join(f"{round(255 * min(max(x, 0.0), 1.0)):02x}" for x in color.rgba[:3]),)


def _warn(tree: _Tree, bodies: list[_Body], mimics: Mapping[str, float]) -> None:
    """What the robot lacks that the file has."""
    drawn = [v.geometry for body in bodies for link, _ in body.links for v in link.visuals]
    meshes = [shape.mesh.filename for shape in drawn if shape.mesh is not None]
    if meshes:
        names = ", ".join(dict.fromkeys(meshes))
        message = f"{tree.file}: skipped {len(meshes)} visuals that are no primitives: {names}"
        warnings.warn(message, stacklevel=4)  # the line that calls load
    if mimics:
        names = ", ".join(f"{name} at {x:g}" for name, x in mimics.items())
        warnings.warn(f"{tree.file}: mimic joints are locked: {names}", stacklevel=4)
