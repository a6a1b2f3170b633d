"""Read robots from URDF files: the chain from base to tip, with what is fixed to its links."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from ...ground.caller import warn_caller
from ..model import Robot
from ..pose import Pose, as_mat3, snap
from .arm import ArmChoice, finite_or, read_arm
from .link_tree import FileJoint, FileLink, Inertial, LinkTree, Mimic
from .srdf import touching_beside
from .urdf_actuation import Actuation
from .urdf_shapes import UrdfShapes
from .urdf_xml import parse, root_of


def read(path: Path, choice: ArmChoice, text: bytes | None = None) -> Robot:
    """Read the arm of a URDF file that `choice` takes; `text` is its text if it was made."""
    root, motors = root_of(path, text)
    shapes = UrdfShapes.of(root)
    model = parse(root, path.name)
    links = [_link(link, shapes) for link in model.links]
    joints = [_joint(joint, motors) for joint in model.joints]
    tree = LinkTree(path.name, str(model.name), links, joints)
    robot = read_arm(tree, path, choice, touching_beside(path, tree.name, choice.within))
    if motors.skipped:
        names = ", ".join(motors.skipped)
        warn_caller(f"{path.name}: transmissions of several joints are not read: {names}")
    return robot


def _link(link: Any, shapes: UrdfShapes) -> FileLink:
    inertial = None
    if link.inertial is not None:
        given = link.inertial
        inertial = Inertial(float(given.mass), np.array(given.inertia), _pose(given.origin))
    return FileLink(
        link.name,
        inertial,
        shapes.of_link(link.name, "visual"),
        shapes.of_link(link.name, "collision"),
    )


def _joint(joint: Any, motors: Actuation) -> FileJoint:
    values: dict[str, Any] = {}
    limit, dynamics, mimic = joint.limit, joint.dynamics, joint.mimic
    flaw = ""
    if joint.type != "continuous":
        if limit is None:
            flaw = "expected a <limit>, found nothing"
        elif limit.lower is not None or limit.upper is not None:
            # URDF takes 0 for what is left out, but who leaves out both means a joint that moves
            values |= {"position_min": limit.lower or 0.0, "position_max": limit.upper or 0.0}
    low, high = motors.limits.get(joint.name, {}).get("position", (-math.inf, math.inf))
    values["position_min"] = max(values.get("position_min", -math.inf), low)
    values["position_max"] = min(values.get("position_max", math.inf), high)
    speed = finite_or(limit and limit.velocity, math.inf)  # 0 is how URDF says unknown
    speed = min(speed, motors.most(joint.name, "velocity"))
    values["velocity_max"] = speed
    values["acceleration_max"] = motors.most(joint.name, "acceleration")
    values["damping"] = float((dynamics and dynamics.damping) or 0.0)
    torque = finite_or(limit and limit.effort, math.inf)
    drive = {
        "torque_max": min(torque, motors.most(joint.name, "effort")),
        "speed_max": speed,
        "coulomb": float((dynamics and dynamics.friction) or 0.0),
    }
    follows = Mimic(mimic.joint, float(mimic.multiplier), float(mimic.offset)) if mimic else None
    ends = (joint.parent, joint.child, _pose(joint.origin), np.array(joint.axis, dtype=np.float64))
    return FileJoint(
        joint.name,
        joint.type,
        *ends,
        values,
        drive,
        motors.reductions.get(joint.name, 1.0),
        follows,
        flaw,
    )


def _pose(matrix: Any) -> Pose:
    """The pose in a 4x4 matrix (None is the identity), exact at right angles."""
    if matrix is None:
        return Pose()
    return Pose.of(as_mat3([[snap(x) for x in row[:3]] for row in matrix[:3]]), matrix[:3, 3])
