"""Joint positions and tool poses as L-IRL text, in mm and degrees."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import degrees

import numpy as np

from ..ground.arrays import Array
from ..mechanics.kinematics import forward_kinematics, pose_matrix
from ..robot.model import Joint, Robot
from ..robot.pose import Pose, as_mat3

STAY = 8
WHOLE = 6
"""Joints from which on an arm takes a whole pose."""
DIGITS, EXACT = 4, 12
"""Digits behind the point: 0.1 um and 0.0001 degrees, or all that a number has."""


def home(robot: Robot) -> list[float]:
    """A joint position to begin with: zero, or the middle where zero is not allowed."""
    q = []
    for joint in robot.joints:
        inside = joint.position_min <= 0 <= joint.position_max
        q.append(0.0 if inside else (joint.position_min + joint.position_max) / 2)
    return q


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
    # an arm with fewer joints reaches a place exactly or not at all
    digits = DIGITS if robot.n >= WHOLE else EXACT
    x, y, z, a, b, c = (_short(v, digits) for v in typed_pose(robot, q))
    return f"robtarg((({x}, {y}, {z}), ({a}, {b}, {c})), {config_of(robot, q)})"


def joint_text(robot: Robot, q: Sequence[float]) -> str:
    """`joint(mainjoint(...))` of these joint positions, degrees (mm where a joint slides)."""
    values = (_short(typed_joint(*pair)) for pair in zip(robot.joints, q, strict=True))
    return f"joint(mainjoint({', '.join(values)}))"


def typed_joint(joint: Joint, value: float) -> float:
    """A position of a joint in degrees, in mm if it slides."""
    return degrees(value) if joint.revolute else 1000 * value


def move_text(kind: str, robot: Robot, q: Sequence[float]) -> str:
    """A move to where the robot stands; `kind` is ptp, lin or joint.

    With fewer than six joints a pose says where the tool is and not how the arm stands, so only
    joint values lead back.
    """
    if kind == "joint" or (kind == "ptp" and robot.n < WHOLE):
        return f"  move ptp {joint_text(robot, q)};"
    return f"  move {kind} {target_text(robot, q)};"


def title_of(text: str) -> str:
    """The name of a program, as its text gives it."""
    match = re.search(r"\bprogram\s+(\w{1,60})", text, re.IGNORECASE)
    return match[1] if match else "program"


def nearest(robot: Robot, pose: Pose, q: Sequence[float]) -> list[float]:
    """Joint positions within the limits that come nearest to a pose, from q on.

    The distance counts in m and the angle in rad; rad (m).
    """
    from scipy.optimize import least_squares

    wanted = pose_matrix(pose)
    low = np.array([max(joint.position_min, -10.0) for joint in robot.joints])
    high = np.array([min(joint.position_max, 10.0) for joint in robot.joints])

    def missed(x: Array) -> Array:
        matrix = forward_kinematics(robot, x)
        turn = matrix[:3, :3].T @ wanted[:3, :3]
        angles = [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
        return np.concatenate([matrix[:3, 3] - wanted[:3, 3], 0.25 * np.array(angles)])

    start = np.clip(np.asarray(q, dtype=float), low + 1e-6, high - 1e-6)
    return [float(v) for v in least_squares(missed, start, bounds=(low, high), max_nfev=200).x]


def config_of(robot: Robot, q: Sequence[float]) -> int:
    """The branch of inverse kinematics (0-7) at q, or 8 for arms that have none."""
    from ..ik import inverse_kinematics as inverse

    if not inverse.closed_form(robot):
        return STAY
    return int(inverse.config_of(robot, np.asarray(q)))


def _short(x: float, digits: int = DIGITS) -> str:
    text = f"{x:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
