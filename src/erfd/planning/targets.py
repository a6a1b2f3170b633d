"""The targets of moves, checked, and as positions and rotations in the robot's base."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..ground.arrays import Array
from ..ik.config import STAY
from ..mechanics.kinematics import forward_kinematics, pose_matrix
from ..robot.model import TURNINGS, Robot
from ..robot.pose import Mat3, Pose
from .moves import (
    Increment,
    JointIncrement,
    JointTarget,
    Move,
    MoveTarget,
    PoseTarget,
    StepError,
)

SMALLEST, LARGEST = 1e-9, 1e6
"""No speed is lower and no length, speed or angle larger (SI units): numbers would give way."""
UNITS = {
    **{"speed": "m/s", "acc": "m/s2", "jerk": "m/s3"},
    **{"speed_ori": "rad/s", "acc_ori": "rad/s2", "angle": "rad"},
}
"""Numbers of a move that have to be within these bounds."""
ROUNDED = 1e-6
"""How far the rows of a rotation matrix may be from units across each other."""


@dataclass(frozen=True, slots=True, eq=False)
class Goal:
    """A target in the robot's base: position (3,) in m, rotation (3, 3) or None to keep it."""

    position: Array
    rotation: Array | None
    config: int = STAY


def goal(
    target: MoveTarget, frame: Pose | None, here: Array, to_pose: Callable[[MoveTarget], Array]
) -> Goal:
    """The target of a path move that starts at the tool frame `here` (4, 4).

    `to_pose` says where the tool is at a joint target. Increments count from `here`, those of a
    circle's end, too; the move's frame places pose targets only.
    """
    if isinstance(target, PoseTarget):
        position, rotation = np.array(target.position), _rotation(target.rotation)
        if frame is not None:
            placed = np.array(frame.rotation)
            position = placed @ position + frame.xyz
            rotation = None if rotation is None else placed @ rotation
        return Goal(position, rotation, target.config)
    if isinstance(target, Increment):
        step, turn = np.array(target.translation), _rotation(target.rotation)
        if target.reference == "base":
            return Goal(here[:3, 3] + step, None if turn is None else turn @ here[:3, :3])
        turned = None if turn is None else here[:3, :3] @ turn
        return Goal(here[:3, 3] + here[:3, :3] @ step, turned)
    pose = to_pose(target)
    return Goal(pose[:3, 3], pose[:3, :3])


def _rotation(rounded: Mat3 | None) -> Array | None:
    """The rotation matrix nearest to one whose numbers may be rounded."""
    if rounded is None:
        return None
    r = np.array(rounded)
    if np.abs(r @ r.T - np.eye(3)).max() < 1e-14:
        return r
    u, _, vt = np.linalg.svd(r)
    return np.asarray(u @ vt)


def joint_positions(target: JointTarget | JointIncrement, q: Array) -> Array:
    """Joint positions (n,) of a joint target: axes that are left out keep their value."""
    result = q.copy()
    count = len(target.joints)
    if isinstance(target, JointTarget):
        result[:count] = target.joints
    else:
        result[:count] += target.joints
    return result


def tool_frame(robot: Robot, q: Array, tool: Pose) -> Array:
    """The frame of `tool` in the robot's base, (..., 4, 4), without a kernel of its own."""
    pose = forward_kinematics(robot, q)
    if tool == robot.tool:
        return pose
    return np.asarray(pose @ pose_matrix(robot.tool.inverse() @ tool))


def target_names(move: Move) -> tuple[str, ...]:
    """The names of a move's targets, for messages."""
    if len(move.names) == len(move.targets):
        return move.names
    end = move.name or "the target"
    return (f"the via point before {end}", end)[-len(move.targets) :]


def check_move(move: Move, n: int) -> None:
    """Check that a move makes sense for a robot with n joints; else an error names its line."""

    def require(good: bool, what: str, expected: str, found: object) -> None:
        if not good:
            raise StepError(move.line, f"{what}: expected {expected}, found {found}")

    count = 2 if move.kind == "circle" else 1
    require(move.kind in ("ptp", "lin", "circle"), "move", "ptp, lin or circle", repr(move.kind))
    require(len(move.targets) == count, move.kind, f"{count} target(s)", len(move.targets))
    for name, unit in UNITS.items():
        value = getattr(move, name)
        if value is not None:
            sane = SMALLEST <= value <= LARGEST
            require(sane, name, f"a number from {SMALLEST:g} to {LARGEST:g} {unit}", f"{value:g}")
    for name in ("speed_ptp", "acc_ptp"):
        value = getattr(move, name)
        require(SMALLEST <= value <= 1, name, f"a part from {SMALLEST:g} to 1", value)
    if move.c_cp is not None:
        require(0 <= move.c_cp < math.inf, "c_cp", "a distance >= 0", move.c_cp)
    for name in ("tool", "frame"):
        placed: Pose | None = getattr(move, name)
        if placed is not None:
            near = all(abs(x) <= LARGEST for x in placed.xyz)
            require(near, name, f"a position within {LARGEST:g} m", placed.xyz)
    turnings = (None, *TURNINGS)
    require(move.turning in turnings, "turning", " or ".join(TURNINGS), repr(move.turning))
    require(move.c_ori in ("o_var", "o_pco", "o_pvo"), "c_ori", "o_var, o_pco, o_pvo", move.c_ori)
    for target in move.targets:
        if isinstance(target, JointTarget | JointIncrement):
            size = len(target.joints)
            require(1 <= size <= n, "target", f"1 to {n} joint positions", size)
            finite = all(abs(x) <= LARGEST for x in target.joints)
            require(finite, "target", f"joint positions up to {LARGEST:g}", target.joints)
        else:
            _check_pose(target, require)


def _check_pose(
    target: PoseTarget | Increment, require: Callable[[bool, str, str, object], None]
) -> None:
    """Check position, CONFIG and rotation of a target."""
    place = target.position if isinstance(target, PoseTarget) else target.translation
    near = all(abs(x) <= LARGEST for x in place)
    require(near, "target", f"a position within {LARGEST:g} m", place)
    if isinstance(target, PoseTarget):
        require(0 <= target.config <= STAY, "CONFIG", f"0 to {STAY}", target.config)
    if target.rotation is not None:
        require(_is_rotation(target.rotation), "target", "a rotation matrix", target.rotation)


def _is_rotation(r: Mat3) -> bool:
    """Whether rows are units across each other, right-handed, but for their rounding."""
    (a, b, c), (d, e, f), (g, h, i) = r
    units = (a * a + b * b + c * c - 1, d * d + e * e + f * f - 1, g * g + h * h + i * i - 1)
    across = (a * d + b * e + c * f, a * g + b * h + c * i, d * g + e * h + f * i)
    right = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) > 0
    return right and all(abs(x) < ROUNDED for x in (*units, *across))
