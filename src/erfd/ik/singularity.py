"""Singularities: how near joint positions are to one, of which kind, and how fast to pass there.

At a singularity the tool cannot move in some direction, however fast the joints turn. An arm with a
spherical wrist has three kinds: wrist (axes 4 and 6 aligned), elbow (stretched or folded), shoulder
(wrist centre on axis 1, or above it where the arm is offset); for all other arms there is the
Jacobian.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError
from ..ground.arguments import number_of
from ..ground.arrays import Array, require_shape
from ..mechanics.state import checked
from ..robot.library import RobotLike, robot_of
from ..robot.limits import JointLimits
from ..robot.model import Robot
from ..robot.pose import Pose
from .arguments import tool_of
from .closed_form.arm import Arm, arm_of
from .closed_form.elbow_arm import ElbowArm
from .closed_form.three_parallel_arm import ThreeParallelArm
from .numeric import Task

KINDS = np.array(["wrist", "elbow", "shoulder", "other"])
NEAR = 0.1
"""Closer than this (a sine, or a part of the reach) an arm with a spherical wrist is near one."""
NEAR_OTHER = 0.02
"""The same of the Jacobian's smallest and largest singular values, for other arms."""


@dataclass(frozen=True, slots=True, eq=False)
class Singularity:
    """The nearest singularity of joint positions (..., n); every field has the shape (...).

    `measure`: the smallest singular value of the Jacobian, its linear rows divided by the arm's
    reach. `closeness`: 0 at the singularity, about 1 far away: the sine of `angle`, or `length` as
    a part of the reach, or (kind "other") the smallest singular value as a part of the largest.
    `angle` (rad, wrist and elbow) and `length` (m, elbow and shoulder) are what is left; else NaN.
    """

    measure: Array
    closeness: Array
    kind: NDArray[np.str_]
    angle: Array
    length: Array

    @property
    def near(self) -> NDArray[np.bool_]:
        """Whether it is so near that it is worth a warning, (...)."""
        edge = np.where(self.kind == "other", NEAR_OTHER, NEAR)
        return np.asarray(self.closeness < edge)


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a motion near a singularity: samples `first` to `last`, nearest at `at`.

    `angle` (rad) and `length` (m) as in `Singularity`, at its nearest. `joint` (from 1) is the one
    that is asked most of, relative to its limit: `speed` (rad/s, m/s), the `limit` of its joint or
    motor at the joint, and `slower`: the part of the speed at which the motion can pass (1: as it
    is).
    """

    first: int
    last: int
    at: int
    kind: str
    angle: float
    length: float
    measure: float
    joint: int
    speed: float
    limit: float
    slower: float


def singularity(robot: RobotLike, q: ArrayLike, *, tool: Pose | None = None) -> Singularity:
    """How near joint positions are to a singularity, and of which kind.

    Arms of fewer than six joints: of the position alone.

    Args:
        robot: The robot.
        q: Joint positions in rad (m), (..., n).
        tool: Replaces the robot's tool frame.

    Returns:
        The nearest singularity; its fields have the shape (...).

    >>> import erfd
    >>> here = erfd.singularity(erfd.load("lola15"), [0.0, 0.2, 0.1, 0.3, 0.05, 0.0])
    >>> str(here.kind), float(here.angle)
    ('wrist', 0.05)
    """
    robot = robot_of(robot)
    positions = checked("q", q, robot)
    task = Task.of(robot, tool_of(robot, tool))
    flat = positions.reshape(-1, robot.n)
    _, jacobian = task.poses(flat)
    values = np.linalg.svd(task.scaled(jacobian), compute_uv=False)
    shape = positions.shape[:-1]
    arm = arm_of(robot)
    if arm is None:
        kind = np.full(len(flat), 3)
        close = values[:, -1] / np.maximum(values[:, 0], 1e-300)
        angle = length = np.full(len(flat), np.nan)
    else:
        kind, close, angle, length = _kinds(arm, task.length, flat)

    def shaped(x: NDArray[Any]) -> Array:
        return np.asarray(x, dtype=np.float64).reshape(shape)

    names = KINDS[kind].reshape(shape)
    return Singularity(shaped(values[:, -1]), shaped(close), names, shaped(angle), shaped(length))


def _kinds(arm: Arm, reach: float, q: Array) -> tuple[Any, Array, Array, Array]:
    """The nearest kind, its closeness, and what is left of it, each (N,)."""
    front, up, bend = (np.abs(x) for x in arm.signs(q))
    nan = np.full(len(q), np.nan)
    wrist, shoulder = np.arcsin(np.minimum(bend, 1.0)), np.broadcast_to(front, nan.shape)
    if isinstance(arm, ThreeParallelArm):
        elbow, room = np.arcsin(np.minimum(up, 1.0)), arm.room(q[:, 2])
    elif isinstance(arm.front, ElbowArm):
        elbow, room = np.arcsin(np.minimum(up, 1.0)), arm.front.room(q[:, 2])
    elif arm.front.geometry.slides:
        elbow, room = nan, up
        up = up / reach
    else:
        elbow, room = np.arcsin(np.minimum(up, 1.0)), nan
    close = np.stack([bend, up, shoulder / reach])
    kind = close.argmin(axis=0)
    rows = np.arange(len(q))
    angle = np.stack([wrist, elbow, nan])[kind, rows]
    length = np.stack([nan, room, shoulder])[kind, rows]
    return kind, close[kind, rows], angle, length


def passages(
    robot: RobotLike, q: ArrayLike, dt: float, *, tool: Pose | None = None
) -> tuple[Passage, ...]:
    """Where a motion is near a singularity, and how fast it can pass there.

    Args:
        robot: The robot.
        q: Joint positions of the motion in rad (m), (N, n).
        dt: Time between samples in s.
        tool: Replaces the robot's tool frame.

    Returns:
        One entry for each stretch of the motion that is near a singularity, in order of time.

    >>> import numpy, erfd
    >>> q = numpy.linspace([0, 0.2, 0.1, 0.3, -0.4, 0], [0, 0.2, 0.1, 0.3, 0.4, 0], 101)
    >>> [(p.first, p.at, p.last, p.kind) for p in erfd.passages(erfd.load("lola15"), q, 0.01)]
    [(38, 50, 62, 'wrist')]
    """
    robot = robot_of(robot)
    positions = require_shape("q", checked("q", q, robot), ("N", robot.n))
    dt = number_of("dt", dt, "a time > 0 s")
    if not dt > 0:
        raise InputError(f"dt: expected a time > 0 s, found {dt!r}")
    nearest = singularity(robot, positions, tool=tool)
    speed = np.zeros_like(positions)
    speed[1:] = np.diff(positions, axis=0) / dt
    allowed = speed_limits(robot, speed)
    result = []
    edges = np.flatnonzero(np.diff(nearest.near.astype(int), prepend=0, append=0))
    for first, end in edges.reshape(-1, 2).tolist():
        part = slice(first, end)
        at = first + int(nearest.closeness[part].argmin())
        use = np.abs(speed[part]) / allowed[part]
        k, i = (int(x) for x in np.unravel_index(use.argmax(), use.shape))
        most = float(use[k, i])
        result.append(
            Passage(
                first,
                end - 1,
                at,
                str(nearest.kind[at]),
                float(nearest.angle[at]),
                float(nearest.length[at]),
                float(nearest.measure[at]),
                i + 1,
                float(abs(speed[first + k, i])),
                float(allowed[first + k, i]),
                min(1.0, 1.0 / most) if most > 0 else 1.0,
            )
        )
    return tuple(result)


def speed_limits(robot: Robot, speed: Array) -> Array:
    """The largest speed (N, n) of each joint in rad/s (m/s) within limits of joints and motors.

    Joint limits and |K q'| of the rotors count, whichever binds first (erratum 18): the speeds are
    thought of as scaled together.
    """
    result = np.broadcast_to(JointLimits.of(robot).velocity, speed.shape).copy()
    if robot.drives:
        rotors = np.abs(speed @ np.array(robot.gear_matrix).T)
        most = np.array([drive.speed_max for drive in robot.drives])
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            possible = np.where(rotors > 0, np.abs(speed) * (most / rotors), np.inf)
        result = np.minimum(result, np.where(np.abs(speed) > 0, possible, np.inf))
    return result
