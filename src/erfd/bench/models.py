"""The robot as a model of its peers: Pinocchio's, MuJoCo's MJCF, the toolbox's D-H links."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from ..dynamics.chain import chain_of
from ..ground.arrays import Array
from ..robot.model import Robot


def placements(robot: Robot) -> list[tuple[Array, Array]]:
    """Rotation and origin of frame i in the frame that joint i has moved, for every link."""
    return [(np.array(r), np.array(p)) for r, p in (joint.placement for joint in robot.joints)]


def pinocchio_model(robot: Robot) -> Any:
    """The arm in Pinocchio: joint i turns about (slides along) z, its body hangs behind it."""
    pin: Any = import_module("pinocchio")
    model = pin.Model()
    model.gravity.linear = np.array(chain_of(robot).gravity)
    before, parent = pin.SE3.Identity(), 0
    pairs = zip(robot.joints, robot.links, placements(robot), strict=True)
    for joint, link, (rotation, origin) in pairs:
        kind = pin.JointModelRZ() if joint.revolute else pin.JointModelPZ()
        parent = model.addJoint(parent, kind, before, joint.name)
        before = pin.SE3(rotation, origin)
        inertia = pin.Inertia(link.mass, np.array(link.center), np.array(link.inertia))
        model.appendBodyToJoint(parent, inertia, before)
    return model


def mjcf(robot: Robot) -> str:
    """The arm as a MuJoCo model without contacts, limits, damping or anything else that costs."""
    rows = [
        '<mujoco><compiler angle="radian" inertiafromgeom="false"/>',
        f'<option timestep="0.001" gravity="{_text(chain_of(robot).gravity)}">',
        '<flag contact="disable" constraint="disable" sensor="disable"/></option><worldbody>',
    ]
    place = (np.eye(3), np.zeros(3))
    pairs = zip(robot.joints, robot.links, placements(robot), strict=True)
    for i, (joint, link, (rotation, origin)) in enumerate(pairs, 1):
        axes = _text(np.concatenate([place[0][:, 0], place[0][:, 1]]))
        rows.append(f'<body name="{i}" pos="{_text(place[1])}" xyaxes="{axes}">')
        center = rotation @ np.array(link.center) + origin
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = rotation @ np.array(link.inertia) @ rotation.T
        tensor = _text(np.array([xx, yy, zz, xy, xz, yz]))
        body = f'mass="{link.mass!r}" pos="{_text(center)}" fullinertia="{tensor}"'
        rows.append(f"<inertial {body}/>")
        kind = "hinge" if joint.revolute else "slide"
        rows.append(f'<joint name={quoteattr(joint.name)} type="{kind}" axis="0 0 1"/>')
        place = (rotation, origin)
    rows.append("</body>" * robot.n + "</worldbody></mujoco>")
    return "\n".join(rows)


def _text(values: Iterable[float]) -> str:
    """Numbers with all their digits, between spaces."""
    return " ".join(repr(float(x)) for x in values)


def toolbox_robot(robot: Robot) -> Any:
    """The arm of robotics-toolbox-python: plain standard D-H links.

    A shift along z behind a joint goes into the next d, and into where the link's mass centre is.
    """
    rtb: Any = import_module("roboticstoolbox")
    links, shift_before = [], 0.0
    for i, (joint, link) in enumerate(zip(robot.joints, robot.links, strict=True), 1):
        turn, shift = np.array(joint.after.rotation), np.array(joint.after.xyz)
        if i < robot.n and (any(joint.after.rpy) or shift[0] or shift[1]):
            raise ValueError(f"joint {i} is no plain D-H joint")
        same: dict[str, Any] = {
            "a": joint.a,
            "alpha": joint.alpha,
            "m": link.mass,
            "r": turn @ np.array(link.center) + shift,
            "I": turn @ np.array(link.inertia) @ turn.T,
        }
        if joint.revolute:
            links.append(rtb.RevoluteDH(d=joint.d + shift_before, offset=joint.theta, **same))
        else:
            links.append(rtb.PrismaticDH(theta=joint.theta, offset=joint.d + shift_before, **same))
        shift_before = float(shift[2])
    arm = rtb.DHRobot(links, name=robot.name)
    down = arm.gravity[2] < 0  # until 1.4 it meant the acceleration of the base, up
    arm.gravity = np.array(chain_of(robot).gravity) * (1.0 if down else -1.0)
    return arm
