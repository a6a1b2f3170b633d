"""Arms with a closed form: recognised in a robot, and solved for batches of poses.

Three axes that meet in a point (a spherical wrist) split the problem: the first three joints bring
the wrist centre to its place, the last three turn the tool. The other kind has three parallel axes
(`three_parallel_arm`). `arm_of` finds the structure in the robot's data, whatever its frames are
called.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...dynamics.vectors import Matrix, Scalar, Vector, mat_vec, transpose, turn_back
from ...ground.arrays import Array
from ...robot.model import Robot
from ...robot.pose import Mat3, Pose
from .crossing_arm import CrossingArm
from .elbow_arm import ElbowArm
from .front import SLACK, FrontSolution, Geometry, meeting
from .parallel_arm import ParallelArm
from .scalars import NUMPY, Scalars
from .target import WristTarget, wrist_target
from .three_parallel_arm import ThreeParallelArm
from .wrist import Wrist, WristSolution

Front = ElbowArm | CrossingArm | ParallelArm


@dataclass(frozen=True, slots=True)
class SphericalArm:
    """An arm with a spherical wrist; `center` is its centre in frame 6, `last` joint 6's R."""

    front: Front
    wrist: Wrist
    center: tuple[float, float, float]
    last: Mat3
    base: Pose

    def solve(
        self, f: Scalars, pose: WristTarget, signs: tuple[Scalar, Scalar, Scalar], near: Vector
    ) -> tuple[FrontSolution, WristSolution]:
        """Solve the branch of the `signs` (front, up, not flipped: 1, else -1); near: (q1, q4)."""
        placed = self.front.solve(f, pose.center, signs[0], signs[1], near[0])
        columns: Matrix = pose.columns
        for c, s, r in placed.steps:
            back = transpose(r)
            columns = [mat_vec(back, turn_back(c, s, v)) for v in columns]
        return placed, self.wrist.solve(f, columns, signs[2], near[1])

    def target(self, poses: Array, tool: Pose) -> WristTarget:
        """The wrist centres and wrist rotations that tool poses (..., 4, 4) in the base ask for."""
        return wrist_target(poses, tool, self.center, self.last, self.base)

    def hints(self, near: Array) -> Array:
        """What free joints take of joint positions (..., 6): q1 and q4, (..., 2)."""
        return np.asarray(near[..., [0, 3]])

    def signs(self, q: Array) -> tuple[Array, Array, Array]:
        """The signs of joint positions: in front (m), elbow up, wrist not flipped (sines) above 0.

        Each is (...) for q (..., 6), and 0 at a singularity.
        """
        joints = [q[..., i] for i in range(6)]
        front, up = self.front.signs(NUMPY, joints)
        return np.asarray(front), np.asarray(up), np.asarray(self.wrist.bend(NUMPY, joints[4]))


Arm = SphericalArm | ThreeParallelArm
"""The arms with a closed form."""


def arm_of(robot: Robot) -> Arm | None:
    """The robot's closed form, or None; looked for once."""
    return robot.once(SphericalArm, lambda: _recognise(robot) or ThreeParallelArm.of(robot))


def _recognise(robot: Robot) -> SphericalArm | None:
    """The closed form found in the robot's placements, or None."""
    kinds = [joint.revolute for joint in robot.joints]
    if robot.n != 6 or kinds[:2] != [True, True] or kinds[3:] != [True, True, True]:
        return None
    placements = [joint.placement for joint in robot.joints]
    turns = [r for r, _ in placements]
    steps = [np.array(p) for _, p in placements]
    axis = np.array(turns[3])[:, 2]
    back = meeting(axis, steps[3])
    if back is None:
        return None
    height = float(steps[3][2] + back * axis[2])
    middle = np.array(turns[3]).T @ (np.array([0.0, 0.0, height]) - steps[3])
    outer = np.array(turns[4]).T @ (middle - steps[4])
    crossing = math.hypot(turns[4][0][2], turns[4][1][2])
    if math.hypot(outer[0], outer[1]) > SLACK or crossing < 1e-3:
        return None
    x, y, z = np.array(turns[5]).T @ (np.array([0.0, 0.0, outer[2]]) - steps[5])
    center = steps[2] + np.array(turns[2]) @ np.array([0.0, 0.0, height])
    geometry = Geometry(turns[0], steps[0], turns[1], steps[1], turns[2], center, not kinds[2])
    for structure in (ElbowArm, CrossingArm, ParallelArm):
        front = structure.of(geometry)
        if front is not None:
            wrist = Wrist.of(turns[3], turns[4])
            return SphericalArm(front, wrist, (float(x), float(y), float(z)), turns[5], robot.base)
    return None
