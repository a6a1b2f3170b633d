"""Where the robot stands, as L-IRL text: mm and degrees."""

from __future__ import annotations

from collections.abc import Sequence
from math import degrees

import numpy as np

from ..api.kinematics import forward_kinematics
from ..robot.model import Robot
from ..robot.pose import Pose, as_mat3

STAY = 8


def pose_of(robot: Robot, q: Sequence[float]) -> Pose:
    """The tool frame in the robot's base."""
    matrix = forward_kinematics(robot, np.asarray(q))
    return Pose.of(as_mat3(matrix[:3, :3].tolist()), matrix[:3, 3].tolist())


def typed_pose(robot: Robot, q: Sequence[float]) -> list[float]:
    """x, y, z in mm and A, B, C in degrees: Rz(A) Ry(B) Rx(C) (erratum 23)."""
    pose = pose_of(robot, q)
    roll, pitch, yaw = (degrees(angle) for angle in pose.rpy)
    return [*(1000 * x for x in pose.xyz), yaw, pitch, roll]


def target_text(robot: Robot, q: Sequence[float]) -> str:
    """`robtarg(((x, y, z), (A, B, C)), CONFIG)` of these joint positions."""
    x, y, z, a, b, c = (_short(v) for v in typed_pose(robot, q))
    return f"robtarg((({x}, {y}, {z}), ({a}, {b}, {c})), {config_of(robot, q)})"


def joint_text(robot: Robot, q: Sequence[float]) -> str:
    """`joint(mainjoint(...))` of these joint positions, degrees (mm where a joint slides)."""
    values = [
        degrees(v) if joint.revolute else 1000 * v for v, joint in zip(q, robot.joints, strict=True)
    ]
    return f"joint(mainjoint({', '.join(_short(v) for v in values)}))"


def move_text(kind: str, robot: Robot, q: Sequence[float]) -> str:
    """A move to where the robot stands; `kind` is ptp, lin or joint."""
    if kind == "joint":
        return f"  move ptp {joint_text(robot, q)};"
    return f"  move {kind} {target_text(robot, q)};"


def config_of(robot: Robot, q: Sequence[float]) -> int:
    """The branch (0-7), or 8 for arms that have none."""
    from ..motion import inverse

    if not inverse.closed_form(robot):
        return STAY
    return int(inverse.config_of(robot, np.asarray(q)))


def _short(x: float) -> str:
    text = f"{x:.4f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
