"""The closed form for batches of poses: every branch, or one branch for each pose.

CONFIG codes (erratum 24): 1 shoulder back, 2 elbow down, 4 wrist flipped.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...ground.arrays import Array
from ...kernels.settings import Setting
from ...robot.model import Robot
from ...robot.pose import Pose
from .arm import Arm, arm_of
from .scalars import LOOSE, NUMPY

Codes = NDArray[np.int64]

REACHED = 1e-10
"""A wrist centre (m) or an axis (rad) this close to what is asked is there: rounding."""
BLOCK = 2048
"""Poses at once: their intermediate results stay in the cache."""
SINGULAR = 1e-6
"""Closer to a singularity than this (m, sine) a joint position belongs to both branches."""


@dataclass(frozen=True, slots=True, eq=False)
class BranchSolution:
    """Joint positions q (..., 6) on branches; out of reach they are stretched towards the pose.

    `short` (m) and `turned` (rad): what is missing on this branch, roughly; 0 where it is reached.
    `free1`: q1 is free (the wrist centre is on axis 1); `free4`: q4 is (axes 4 and 6 are aligned),
    of an arm with three parallel axes the turn of link 4 about them (axis 6 is parallel to them).
    """

    q: Array
    short: Array
    turned: Array
    free1: NDArray[np.bool_]
    free4: NDArray[np.bool_]

    @property
    def reached(self) -> NDArray[np.bool_]:
        """Whether the pose is taken."""
        return np.asarray((self.short <= REACHED) & (self.turned <= REACHED))


def required_arm(robot: Robot) -> Arm:
    """The robot's closed form, or the error that it has none."""
    arm = arm_of(robot)
    if arm is None:
        raise InputError(
            f"robot {robot.name!r}: expected six joints whose last three axes meet in a point, or"
            " whose axes 2, 3 and 4 are parallel and 5 and 6 meet, found another arm; it has no"
            " CONFIG branches (inverse_kinematics solves it)"
        )
    return arm


def compiles() -> bool:
    """Whether the closed form runs as machine code."""
    return Setting.backend != "numpy"


def solve_branch(
    robot: Robot, poses: Array, tool: Pose, codes: Codes | int, near: Array
) -> BranchSolution:
    """One branch for each pose (N, 4, 4); `near` (N, 6) or (6,) says what is free."""
    arm = required_arm(robot)
    codes = np.broadcast_to(codes, len(poses))
    near = np.broadcast_to(near, (len(poses), 6))
    if compiles():
        return _solve_compiled(robot, poses, tool, codes, near)
    parts = []
    for k in range(0, max(len(poses), 1), BLOCK):
        part = slice(k, k + BLOCK)
        signs = [1.0 - 2.0 * ((codes[part] & bit) != 0) for bit in (1, 2, 4)]
        parts.append(_solve_numpy(arm, poses[part], tool, signs, near[part], ()))
    return parts[0] if len(parts) == 1 else _joined(parts, 0)


def solve_branches(robot: Robot, poses: Array, tool: Pose, near: Array) -> BranchSolution:
    """All branches of poses (N, 4, 4), (8, N, 6) in the order of the code."""
    arm = required_arm(robot)
    near = np.broadcast_to(near, (len(poses), 6))
    if compiles():
        codes = np.repeat(np.arange(8), len(poses))
        solved = _solve_compiled(
            robot, np.tile(poses, (8, 1, 1)), tool, codes, np.tile(near, (8, 1))
        )
        return BranchSolution(
            *(getattr(solved, n).reshape(8, len(poses), *s) for n, s in FIELDS.items())
        )
    both = np.array([1.0, -1.0])
    signs = [both.reshape(2, 1), both.reshape(2, 1, 1), both.reshape(2, 1, 1, 1)]
    parts = []
    for k in range(0, max(len(poses), 1), BLOCK // 4):
        part = slice(k, k + BLOCK // 4)
        parts.append(_solve_numpy(arm, poses[part], tool, signs, near[part], (2, 2, 2)))
    return parts[0] if len(parts) == 1 else _joined(parts, 1)


def _solve_compiled(
    robot: Robot, poses: Array, tool: Pose, codes: Codes, near: Array
) -> BranchSolution:
    """One branch for each pose, by the compiled kernel."""
    from .kernel import branch_kernel

    columns = branch_kernel(robot, poses, tool, codes, near)
    loose = columns[:, 8:] < LOOSE**2
    return BranchSolution(columns[:, :6], columns[:, 6], columns[:, 7], loose[:, 0], loose[:, 1])


def _solve_numpy(
    arm: Arm,
    poses: Array,
    tool: Pose,
    signs: list[Array],
    near: Array,
    grid: tuple[int, ...],
) -> BranchSolution:
    """Branches by NumPy: one for each pose, or all on a `grid` of (2, 2, 2) signs."""
    target = arm.target(poses, tool)
    placed, turned = arm.solve(
        NUMPY, target, (signs[0], signs[1], signs[2]), list(arm.hints(near).T)
    )
    shape = (*grid, len(poses))
    flat = (8, len(poses)) if grid else (len(poses),)
    q = np.empty((*shape, 6))
    for i, angle in enumerate([*placed.q, *turned.q]):
        q[..., i] = angle
    q[q == -np.pi] = np.pi
    short, off, loose1, loose4 = (
        np.broadcast_to(x, shape).reshape(flat)
        for x in (placed.miss, turned.miss, placed.loose, turned.loose)
    )
    return BranchSolution(q.reshape(*flat, 6), short, off, loose1 < LOOSE**2, loose4 < LOOSE**2)


FIELDS: dict[str, tuple[int, ...]] = {
    "q": (6,), "short": (), "turned": (), "free1": (), "free4": (),
}  # fmt: skip
"""The fields of a `BranchSolution`, and the axes of each beyond those of the poses."""


def _joined(parts: list[BranchSolution], axis: int) -> BranchSolution:
    """Parts of a batch put together along an axis."""
    return BranchSolution(
        *(np.concatenate([getattr(p, n) for p in parts], axis=axis) for n in FIELDS)
    )


def codes_of(arm: Arm, q: Array) -> tuple[Codes, Codes]:
    """The CONFIG codes of joint positions (..., 6), and the bits that a singularity leaves open."""
    code = np.zeros(q.shape[:-1], dtype=np.int64)
    open_ = np.zeros(q.shape[:-1], dtype=np.int64)
    for bit, sign in zip((1, 2, 4), arm.signs(q), strict=True):
        code |= np.where(sign < -1e-12, bit, 0)
        open_ |= np.where(np.abs(sign) < SINGULAR, bit, 0)
    return code, open_
