"""The arm in an MJCF file: bodies as links, sites as frames, actuators as drives."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ....ground.arrays import Array
from ....ground.caller import warn_caller
from ...model import Robot
from ...pose import Pose
from ..arm import ArmChoice, read_arm
from ..link_tree import FileJoint, FileLink, Inertial, LinkTree, Mimic
from ..meshes.find import FileFinder
from .actuators import drives_of
from .shapes import pose_at, shapes_of
from .source import compiled

TYPES = ("floating", "ball", "prismatic", "revolute")
"""The types of joints, by their numbers in MuJoCo."""
EQUAL_JOINTS = 2
"""The type of an equality that couples two joints, by its number in MuJoCo."""


def read(path: Path, choice: ArmChoice) -> Robot:
    """Read the arm of an MJCF file that `choice` takes."""
    model = compiled(path, FileFinder(path, choice.packages, choice.within))
    notes: list[str] = []
    tree = _tree(path, model, notes)
    base = choice.base or tree.root
    tip = choice.tip or _only_end(tree, base)
    robot = read_arm(tree, path, replace(choice, tip=tip), _excluded(model))
    number = next(i for i in range(model.nbody) if _body_name(model, i) == base)
    x, y, z = (float(v) + 0.0 for v in model.opt.gravity)
    robot = replace(robot, gravity=(x, y, z), mount=_in_world(model, number))
    if notes:
        warn_caller(f"{path.name}: not read: {'; '.join(notes)}")
    return robot


def _tree(path: Path, model: Any, notes: list[str]) -> LinkTree:
    drives, mimics = drives_of(model, notes), _mimics(model, notes)
    links: list[FileLink] = []
    joints: list[FileJoint] = []
    away: set[int] = set()
    for body in range(model.nbody):
        parent = int(model.body_parentid[body])
        own = _joints_of(model, body)
        free = any(TYPES[model.jnt_type[j]] == "floating" for j in own)
        if body and (parent in away or free):
            if free:
                notes.append(f"{_body_name(model, body)}, which moves freely")
            away.add(body)
            continue
        links.append(_link(model, body))
        if not body:
            continue
        at, pose = _body_name(model, parent), pose_at(model.body_pos[body], model.body_quat[body])
        for joint in own:
            name = _joint_name(model, joint)
            inner = f"{_body_name(model, body)}/{name}"
            links.append(FileLink(inner, place_of_joint=True))
            anchor = Pose(tuple(model.jnt_pos[joint].tolist()))
            axis = np.array(model.jnt_axis[joint])
            start = _moved(model, joint, axis, -float(model.qpos0[model.jnt_qposadr[joint]]))
            place = pose @ anchor @ start
            joints.append(_joint(model, joint, at, inner, place, axis, drives[joint], mimics))
            at, pose = inner, anchor.inverse()
            if model.jnt_stiffness[joint]:
                notes.append(f"the spring of joint {name}")
        child = _body_name(model, body)
        joints.append(FileJoint(f"{child}/fixed", "fixed", at, child, pose, np.zeros(3)))
    name = path.stem if not model.names else model.names.split(b"\0")[0].decode() or path.stem
    return LinkTree(path.name, name, links, joints)


def _only_end(tree: LinkTree, base: str) -> str | None:
    """The body that the only last joint moves; None if several joints are the last ones."""
    if base not in tree.links:
        return None
    joints = [joint for joint in tree.under(base) if joint.type != "fixed" and not joint.mimic]
    last = [joint for joint in joints if all(x.type == "fixed" for x in tree.under(joint.child))]
    if len(last) != 1:
        return None
    return tree.below[last[0].child][0].child  # the body behind the frame of its joint


def _joint(
    model: Any, joint: int, parent: str, child: str, pose: Pose, axis: Array, own: Any, mimics: Any
) -> FileJoint:
    values = dict(own.limits)
    if model.jnt_limited[joint]:
        low, high = (float(x) for x in model.jnt_range[joint])
        values["position_min"] = max(low, values.get("position_min", -math.inf))
        values["position_max"] = min(high, values.get("position_max", math.inf))
    kind = TYPES[model.jnt_type[joint]]
    name = _joint_name(model, joint)
    ends = (parent, child, pose, axis)
    return FileJoint(name, kind, *ends, values, own.drive, own.ratio, mimics.get(name))


def _moved(model: Any, joint: int, axis: Array, amount: float) -> Pose:
    """The motion of a joint by an amount, rad (m), in its own frame."""
    if not amount:
        return Pose()
    if TYPES[model.jnt_type[joint]] == "prismatic":
        return Pose(tuple((axis * amount).tolist()))
    quaternion = np.append(math.cos(amount / 2), math.sin(amount / 2) * axis)
    return pose_at(np.zeros(3), quaternion)


def _link(model: Any, body: int) -> FileLink:
    inertial = None
    if model.body_mass[body] or model.body_inertia[body].any():
        pose = pose_at(model.body_ipos[body], model.body_iquat[body])
        inertial = Inertial(float(model.body_mass[body]), np.diag(model.body_inertia[body]), pose)
    sites = [s for s in range(model.nsite) if model.site_bodyid[s] == body and model.site(s).name]
    frames = tuple(
        (model.site(s).name, pose_at(model.site_pos[s], model.site_quat[s])) for s in sites
    )
    return FileLink(_body_name(model, body), inertial, *shapes_of(model, body), frames)


def _mimics(model: Any, notes: list[str]) -> dict[str, Mimic]:
    """Joints that equalities make follow others."""
    found: dict[str, Mimic] = {}
    for k in range(model.neq):
        name = model.equality(k).name or f"equality {k + 1}"
        constant, factor, *rest = (float(x) for x in model.eq_data[k, :5])
        first, second = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
        if model.eq_type[k] != EQUAL_JOINTS or second < 0 or any(rest):
            notes.append(f"the constraint {name}")
        else:
            leader = _joint_name(model, second)
            found[_joint_name(model, first)] = Mimic(leader, factor, constant)
    return found


def _excluded(model: Any) -> list[tuple[str, str]]:
    """Pairs of bodies of which the file says that they may touch."""
    return [
        (_body_name(model, int(pair) >> 16), _body_name(model, int(pair) & 0xFFFF))
        for pair in model.exclude_signature
    ]


def _in_world(model: Any, body: int) -> Pose:
    """The pose of a body in the world as the file has it."""
    pose = Pose()
    while body:
        pose = pose_at(model.body_pos[body], model.body_quat[body]) @ pose
        body = int(model.body_parentid[body])
    return pose


def _body_name(model: Any, body: int) -> str:
    return str(model.body(body).name) or f"body {body}"


def _joint_name(model: Any, joint: int) -> str:
    return str(model.joint(joint).name) or f"joint {joint + 1}"


def _joints_of(model: Any, body: int) -> range:
    first = int(model.body_jntadr[body])
    return range(first, first + int(model.body_jntnum[body]))
