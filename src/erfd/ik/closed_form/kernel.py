"""The closed form as compiled kernels, traced from the same text that NumPy runs.

The kernel of one branch serves batches of any size (0.3 s to compile, then it is on disk); those of
all branches take a second to compile and are for large batches.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...dynamics.vectors import Scalar
from ...ground.arrays import Array
from ...kernels.cache_key import sources_version
from ...kernels.machine_code import header_of
from ...kernels.row_function import RowFunction
from ...kernels.trace import casadi
from ...mechanics.kinematics import pose_matrix
from ...robot.model import Robot
from ...robot.pose import Pose
from ..arguments import SLACK, Limits
from .arm import Arm
from .branches import REACHED, Codes, compiles, required_arm
from .scalars import Scalars

LARGE = 16_384
"""Poses from which on the kernels of all branches are worth their longer compilation."""
BITS = np.array([1, 2, 4])


class CasadiFunctions(Scalars):
    """The functions of `Scalars` for CasADi's SX."""

    def __init__(self) -> None:
        ca = casadi()
        self.ca = ca
        self.sin, self.cos, self.sqrt, self.atan2 = ca.sin, ca.cos, ca.sqrt, ca.atan2
        self.larger, self.smaller = ca.fmax, ca.fmin

    def unit(
        self, c: Scalar, s: Scalar, free: Scalar, other_c: Scalar, other_s: Scalar
    ) -> tuple[Scalar, Scalar]:
        """(c, s) at length 1; the other pair where the direction is free."""
        ca = self.ca
        square = c * c + s * s
        free = ca.logic_or(free, square == 0)
        scale = 1.0 / ca.sqrt(ca.if_else(free, 1.0, square))
        return ca.if_else(free, other_c, c * scale), ca.if_else(free, other_s, s * scale)


def is_large(count: int) -> bool:
    """Whether a batch of so many poses goes to the kernels of all branches."""
    return count >= LARGE and compiles()


def branch_kernel(robot: Robot, poses: Array, tool: Pose, codes: Codes, near: Array) -> Array:
    """One branch for each pose, (N, 10): q, what is missing (m, rad), and `loose` of both parts."""
    signs = 1.0 - 2.0 * ((codes[:, None] & BITS) != 0)
    hints = required_arm(robot).hints(near)
    hints = hints - 2 * np.pi * np.rint(hints / (2 * np.pi))  # the kernels' sine has a range
    return _kernel(robot, "branch")(_pose_rows(robot, poses, tool), signs, hints)


def branches_kernel(robot: Robot, poses: Array, tool: Pose, near: Array) -> tuple[Array, Array]:
    """All branches: joint positions (N, 8, 6), and what is missing (N, 8), 0 if reached."""
    columns = _kernel(robot, "branches")(_pose_rows(robot, poses, tool), near)
    return columns[:, :48].reshape(-1, 8, 6), columns[:, 48:]


def best_kernel(robot: Robot, poses: Array, tool: Pose) -> tuple[Array, NDArray[np.bool_]]:
    """The solutions furthest from the limits, (N, 6), and whether there is one within them."""
    limits = Limits.of(robot)
    columns = _kernel(robot, "best")(_pose_rows(robot, poses, tool))
    good = columns[:, 6] >= -SLACK  # rounding, as a part of half the range
    return np.clip(columns[:, :6], limits.lower, limits.upper), good


def _pose_rows(robot: Robot, poses: Array, tool: Pose) -> Array:
    """Poses as rows of 16 numbers, as if the tool were the robot's."""
    if tool != robot.tool:
        poses = poses @ _tool_change(tool, robot.tool)
    return np.ascontiguousarray(poses).reshape(-1, 16)


@lru_cache(maxsize=64)
def _tool_change(tool: Pose, other: Pose) -> Array:
    """The pose (4, 4) of the frame `other` in the frame `tool`."""
    back = np.eye(4)
    back[:3, :3] = np.transpose(tool.rotation)
    back[:3, 3] = -back[:3, :3] @ tool.xyz
    return np.asarray(back @ pose_matrix(other))


def _kernel(robot: Robot, what: str) -> RowFunction:
    """The robot's kernel "branch", "branches" or "best", compiled once."""

    def make() -> RowFunction:
        trace = {"branch": _trace_branch, "branches": _trace_branches, "best": _trace_best}[what]
        arm = required_arm(robot)
        joints = [(j.kind, j.placement, j.position_min, j.position_max) for j in robot.joints]
        parts = ("inverse kinematics", what, joints, robot.base, robot.tool, sources_version("ik"))
        label = header_of(robot, f"inverse kinematics, {what}", "closed form")
        return RowFunction.cached(parts, lambda: trace(robot, arm), label)

    return robot.once((_kernel, what), make)


def _symbols(robot: Robot, arm: Arm) -> tuple[Any, Any, Any]:
    """CasADi, the 16 numbers of a pose as symbols, and the target of the wrist that they give."""
    ca = casadi()
    numbers = ca.SX.sym("pose", 16)

    class Entries:
        """Looks like an array (4, 4) of symbols."""

        def __getitem__(self, place: tuple[Any, int, int]) -> Any:
            return numbers[4 * place[1] + place[2]]

    return ca, numbers, arm.target(Entries(), robot.tool)  # type: ignore[arg-type]


def _solved(arm: Arm, target: Any, signs: Any, near: Any) -> tuple[list[Any], list[Any]]:
    """The six angles in (-pi, pi], and what is missing in m, in rad, and what is loose."""
    f = CasadiFunctions()
    placed, turned = arm.solve(f, target, signs, near)
    q = [f.ca.if_else(x == -math.pi, math.pi, x) for x in (*placed.q, *turned.q)]
    return q, [placed.miss, turned.miss, placed.loose, turned.loose]


def _function(ca: Any, inputs: list[Any], outputs: list[Any]) -> Any:
    """The CasADi function of the outputs, common parts shared."""
    return ca.Function("inverse", inputs, [ca.cse(ca.vertcat(*outputs))])


def _trace_branch(robot: Robot, arm: Arm) -> Any:
    """The function of one branch: pose, signs, near to q and what is missing."""
    ca, numbers, target = _symbols(robot, arm)
    signs, near = ca.SX.sym("signs", 3), ca.SX.sym("near", 2)
    q, rest = _solved(arm, target, [signs[k] for k in range(3)], [near[0], near[1]])
    return _function(ca, [numbers, signs, near], [*q, *rest])


def _all_branches(ca: Any, arm: Arm, target: Any, near: Any) -> list[tuple[list[Any], Any]]:
    """Every branch with the larger of what is missing."""
    result = []
    for code in range(8):
        signs = [-1.0 if code & bit else 1.0 for bit in (1, 2, 4)]
        q, rest = _solved(arm, target, signs, near)
        result.append((q, ca.fmax(rest[0], rest[1])))
    return result


def _trace_branches(robot: Robot, arm: Arm) -> Any:
    """The function of all branches: pose, near to eight q and what each misses."""
    ca, numbers, target = _symbols(robot, arm)
    near = ca.SX.sym("near", 2)
    solutions = _all_branches(ca, arm, target, [near[0], near[1]])
    return _function(
        ca,
        [numbers, near],
        [*(x for q, _ in solutions for x in q), *(miss for _, miss in solutions)],
    )


def _trace_best(robot: Robot, arm: Arm) -> Any:
    """The function of the branch furthest from the limits: pose to q and its margin."""
    ca, numbers, target = _symbols(robot, arm)
    limits = Limits.of(robot)
    best: list[Any] = []
    most: Any = None
    near = required_arm(robot).hints(limits.middle).tolist()
    for q, miss in _all_branches(ca, arm, target, near):
        turned = [_turned(ca, limits, i, x) for i, x in enumerate(q)]
        room: Any = 1.0
        for i, x in enumerate(turned):
            if math.isfinite(limits.half[i]):
                room = ca.fmin(room, 1.0 - ca.fabs(x - limits.middle[i]) / float(limits.half[i]))
        room = ca.if_else(miss <= REACHED, room, -1.0)
        if most is None:
            best, most = turned, room
        else:
            better = room > most
            best = [ca.if_else(better, x, y) for x, y in zip(turned, best, strict=True)]
            most = ca.fmax(room, most)
    return _function(ca, [numbers], [*best, most])


def _turned(ca: Any, limits: Limits, i: int, x: Any) -> Any:
    """The turn nearest to the middle of the range; x is within half a turn of 0."""
    if not limits.turns[i]:
        return x
    middle = float(limits.middle[i])
    full = 2.0 * math.pi
    shift = full * round(middle / full)
    x = x + shift if shift else x
    gap = x - middle
    return ca.if_else(gap > math.pi, x - full, ca.if_else(gap < -math.pi, x + full, x))
