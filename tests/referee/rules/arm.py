"""The arm as the referee reads it: robot file or URDF text in, joints, limits and drives out.

After docs/robot-format.md. Lists are joint by joint; what has no limit is infinite.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass, replace
from typing import Any
from xml.etree import ElementTree

import numpy as np

Array = np.ndarray
STEP = 0.01
"""The cycle of a controller whose robot file says nothing, s."""


@dataclass(frozen=True)
class Body:
    """Mass (kg), mass centre (m) and inertia about it (kg m2), in a frame."""

    mass: float
    center: Array
    inertia: Array


@dataclass(frozen=True)
class Drives:
    """Motors and gears, everything at the rotor but the torques of the gears, (n,) each."""

    K: Array
    load_friction: Array
    coulomb: Array
    viscous: Array
    inertia: Array
    torque_max: Array
    speed_max: Array
    curves: tuple[tuple[tuple[float, float], ...], ...]
    torque_rated: Array
    resistance: Array
    torque_constant: Array
    voltage_max: Array
    thermal: Array
    gear_average: Array
    gear_peak: Array


@dataclass(frozen=True)
class Arm:
    """An arm of n joints; frames are (4, 4), `fixed[i]` is what stands behind joint i."""

    slides: tuple[bool, ...]
    base: Array
    fixed: tuple[Array, ...]
    links: tuple[Body, ...]
    tool: Array
    gravity: Array
    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    damping: Array
    drives: Drives
    cycle: float
    bus_power: float

    @property
    def n(self) -> int:
        """The number of joints."""
        return len(self.slides)


def rotation(roll: float, pitch: float, yaw: float) -> Array:
    """Rz(yaw) Ry(pitch) Rx(roll), rad."""
    a, b, c = math.cos(yaw), math.cos(pitch), math.cos(roll)
    x, y, z = math.sin(yaw), math.sin(pitch), math.sin(roll)
    return np.array([
        [a * b, a * y * z - x * c, a * y * c + x * z],
        [x * b, x * y * z + a * c, x * y * c - a * z],
        [-y, b * z, b * c],
    ])  # fmt: skip


def placed(turn: Array, xyz: Any) -> Array:
    """The frame at a point, turned."""
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = turn, xyz
    return frame


def _placement(table: dict[str, Any], unit: float) -> Array:
    roll, pitch, yaw = (unit * angle for angle in table.get("rpy", (0, 0, 0)))
    return placed(rotation(roll, pitch, yaw), table.get("xyz", (0, 0, 0)))


def _inertia(given: list[Any]) -> Array:
    if len(given) == 6:
        xx, yy, zz, xy, xz, yz = given
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return np.diag(given) if np.ndim(given) == 1 else np.array(given, float)


def read_drives(tables: list[dict[str, Any]]) -> Drives:
    """The drives of a robot file."""

    def each(key: str, default: float) -> Array:
        return np.array([float(table.get(key, default)) for table in tables])

    gears = np.diag(each("ratio", 1.0))
    for i, table in enumerate(tables):
        gears[i] += np.array(table.get("coupling", [0.0] * len(tables)), float)
    return Drives(
        K=gears,
        load_friction=each("load_friction", 0.0),
        coulomb=each("coulomb", 0.0),
        viscous=each("viscous", 0.0),
        inertia=each("inertia", 0.0),
        torque_max=each("torque_max", np.inf),
        speed_max=each("speed_max", np.inf),
        curves=tuple(tuple(map(tuple, table.get("curve", ()))) for table in tables),
        torque_rated=each("torque_rated", np.inf),
        resistance=each("resistance", np.nan),
        torque_constant=each("torque_constant", np.nan),
        voltage_max=each("voltage_max", np.inf),
        thermal=each("thermal_time_constant", np.nan),
        gear_average=each("gear_torque_average", np.inf),
        gear_peak=each("gear_torque_peak", np.inf),
    )


def read_toml(text: str) -> Arm:
    """The arm of a robot file."""
    file = tomllib.loads(text)
    unit = math.pi / 180 if file.get("angle_unit", "rad") == "deg" else 1.0
    joints = file["joint"]
    slides = tuple(joint.get("kind", "revolute") == "prismatic" for joint in joints)

    def joint_limits(key: str) -> Array:
        return np.array([float(joint.get(key, np.inf)) for joint in joints])

    fixed = []
    for joint in joints:
        theta, alpha = unit * joint.get("theta", 0.0), unit * joint.get("alpha", 0.0)
        turned = placed(rotation(0, 0, theta), (0, 0, joint.get("d", 0.0)))
        moved = placed(rotation(alpha, 0, 0), (joint.get("a", 0.0), 0, 0))
        fixed.append(turned @ moved @ _placement(joint.get("after", {}), unit))
    ranges = np.array([
        np.array(joint.get("position", (-np.inf, np.inf)), float) * (1.0 if s else unit)
        for joint, s in zip(joints, slides, strict=True)
    ])  # fmt: skip
    mount = _placement(file.get("mount", {}), unit)
    return Arm(
        slides=slides,
        base=_placement(file.get("base", {}), unit),
        fixed=tuple(fixed),
        links=tuple(
            Body(
                link["mass"],
                np.array(link.get("center", (0.0, 0.0, 0.0)), float),
                _inertia(link.get("inertia", [0.0, 0.0, 0.0])),
            )
            for link in file["link"]
        ),
        tool=_placement(file.get("tool", {}), unit),
        gravity=mount[:3, :3].T @ np.array(file.get("gravity", (0.0, 0.0, -9.81)), float),
        lower=ranges[:, 0],
        upper=ranges[:, 1],
        velocity=joint_limits("velocity"),
        acceleration=joint_limits("acceleration"),
        damping=np.array([joint.get("damping", 0.0) for joint in joints]),
        drives=read_drives(file["drive"]),
        cycle=file.get("cycle_time", STEP),
        bus_power=file.get("bus_power", np.inf),
    )


def _origin(tag: ElementTree.Element | None) -> Array:
    if tag is None:
        return np.eye(4)
    roll, pitch, yaw = map(float, tag.get("rpy", "0 0 0").split())
    return placed(rotation(roll, pitch, yaw), [float(x) for x in tag.get("xyz", "0 0 0").split()])


def _aligned(axis: Array) -> Array:
    """A rotation whose z axis is a unit vector."""
    aside = np.eye(3)[np.argmin(abs(axis))]
    x = np.cross(aside, axis)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])


def read_urdf(text: str, drives: str) -> Arm:
    """The arm of a URDF text that is one chain, its drives in [[drive]] tables of a TOML text,
    the accelerations of its joints in its table [accelerations].

    Joints move about z here, so that each joint's frame is turned and the rest turned back.
    """
    root = ElementTree.fromstring(text)
    joints = root.findall("joint")
    by_parent = {j.find("parent").get("link"): j for j in joints}
    link_tags = {tag.get("name"): tag for tag in root.findall("link")}
    children = {j.find("child").get("link") for j in joints}
    (name,) = [link for link in link_tags if link not in children]
    ahead, base = np.eye(4), None  # from the last joint's z frame to where the chain has come
    fixed: list[Array] = []
    links: list[Body] = []
    moving = []
    while name in by_parent:
        joint = by_parent[name]
        name = joint.find("child").get("link")
        ahead = ahead @ _origin(joint.find("origin"))
        if joint.get("type") != "fixed":
            axis = np.array([float(x) for x in joint.find("axis").get("xyz").split()])
            turn = placed(_aligned(axis), (0, 0, 0))
            if moving:
                fixed.append(ahead @ turn)
            else:
                base = ahead @ turn
            moving.append(joint)
            ahead = np.linalg.inv(turn)
            links.append(Body(0.0, np.zeros(3), np.zeros((3, 3))))
        if moving and (inertial := link_tags[name].find("inertial")) is not None:
            links[-1] = together(links[-1], moved(_inertial(inertial), ahead))
    assert base is not None
    # links are told in the frame before the fixed part that follows them: the joint's own
    fixed.append(ahead)
    n = len(moving)
    added = tomllib.loads(drives)
    limits = [joint.find("limit") for joint in moving]
    damping = [
        0.0 if (tag := joint.find("dynamics")) is None else float(tag.get("damping", 0))
        for joint in moving
    ]
    return Arm(
        slides=tuple(joint.get("type") == "prismatic" for joint in moving),
        base=base,
        fixed=tuple(np.eye(4) if i == n - 1 else fixed[i] for i in range(n)),
        links=tuple(
            body if i == n - 1 else moved(body, np.linalg.inv(fixed[i]))
            for i, body in enumerate(links)
        ),
        tool=fixed[-1],
        gravity=np.array([0.0, 0.0, -9.81]),
        lower=np.array([float(tag.get("lower", 0)) for tag in limits]),
        upper=np.array([float(tag.get("upper", 0)) for tag in limits]),
        velocity=np.array([float(tag.get("velocity")) for tag in limits]),
        acceleration=np.array(added["accelerations"]["joint"]),
        damping=np.array(damping),
        drives=read_drives(added["drive"]),
        cycle=STEP,
        bus_power=added.get("bus_power", np.inf),
    )


def _inertial(tag: ElementTree.Element) -> Body:
    frame = _origin(tag.find("origin"))
    values = tag.find("inertia")
    xx, yy, zz, xy, xz, yz = (
        float(values.get(key)) for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    )
    own = Body(
        float(tag.find("mass").get("value")), np.zeros(3), _inertia([xx, yy, zz, xy, xz, yz])
    )
    return moved(own, frame)


def moved(body: Body, frame: Array) -> Body:
    """A body of a frame, in the one that the frame is given in."""
    turn = frame[:3, :3]
    return Body(body.mass, turn @ body.center + frame[:3, 3], turn @ body.inertia @ turn.T)


def together(one: Body, other: Body) -> Body:
    """Two bodies as one, by the parallel-axis theorem."""
    mass = one.mass + other.mass
    if mass == 0:
        return Body(0.0, one.center, one.inertia + other.inertia)
    center = (one.mass * one.center + other.mass * other.center) / mass
    inertia = np.zeros((3, 3))
    for body in (one, other):
        r = body.center - center
        inertia += body.inertia + body.mass * (r @ r * np.eye(3) - np.outer(r, r))
    return Body(mass, center, inertia)


def carrying(arm: Arm, mass: float, center: Array, inertia: Array) -> Arm:
    """The arm with a payload, given in the tool frame, as a part of its last link."""
    if mass == 0:
        return arm
    added = moved(Body(mass, np.asarray(center, float), np.asarray(inertia, float)), arm.tool)
    return replace(arm, links=(*arm.links[:-1], together(arm.links[-1], added)))
