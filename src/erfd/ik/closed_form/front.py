"""What the structures of an arm share: geometry and solution of its first three joints.

`elbow_arm`, `crossing_arm` and `parallel_arm` solve them for the wrist centre. Each has two
solutions for the shoulder and two for the elbow. Written over any scalar; lengths in m.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...dynamics.vectors import Scalar, Vector, dot, plus, turn
from ...ground.arrays import Array
from ...robot.pose import Mat3
from .scalars import Scalars

SLACK = 1e-9
"""Axes this close (m, rad) to meeting or to being parallel do."""

Step = tuple[Scalar, Scalar, Mat3]
"""(cos, sin) of a turn about z, then a constant rotation."""


@dataclass(frozen=True, slots=True)
class FrontSolution:
    """The solution of joints 1 to 3; the product of `steps` is the rotation of frame 3 in frame 0.

    `miss` by how many m the wrist centre is out of reach on this branch (0: it is reached),
    `loose` the square of its distance from axis 1 in m2.
    """

    q: list[Scalar]
    steps: list[Step]
    miss: Scalar
    loose: Scalar


@dataclass(frozen=True, slots=True, eq=False)
class Geometry:
    """The constants of joints 1 to 3: rotations and positions of `placement`, the wrist centre.

    `center` is the wrist centre in the frame that turns with joint 3, before its own rotation;
    `slides` says that joint 3 is prismatic.
    """

    r1: Mat3
    p1: Array
    r2: Mat3
    p2: Array
    r3: Mat3
    center: Array
    slides: bool

    def wrist_center(self, f: Scalars, q2: Scalar, q3: Scalar) -> tuple[Vector, Vector]:
        """The wrist centre in joint 2's frame, and in frame 0 before joint 1 turns."""
        x, y, z = (float(v) for v in self.center)
        moved = [x, y, plus(z, q3)] if self.slides else turn(f.cos(q3), f.sin(q3), [x, y, z])
        in_joint2 = [plus(dot(r, moved), float(p)) for r, p in zip(self.r2, self.p2, strict=True)]
        turned = turn(f.cos(q2), f.sin(q2), in_joint2)
        place = [plus(dot(r, turned), float(p)) for r, p in zip(self.r1, self.p1, strict=True)]
        return in_joint2, place


def meeting(axis: Array, step: Array) -> float | None:
    """How far along `axis`, from `step` on, it crosses the z axis; None if it does not."""
    level = math.hypot(axis[0], axis[1])
    if level < 1e-3:
        return None
    back = -float(step[:2] @ axis[:2]) / level**2
    return None if math.hypot(*(step[:2] + back * axis[:2])) > SLACK else back


def front_sense(forward: Array, p1: Array) -> float:
    """The sense in which `forward` is in front: where joint 2 is from axis 1, else along x0, y0."""
    for value in (float(forward @ p1), *forward.tolist()):
        if abs(value) > SLACK:
            return math.copysign(1.0, value)
    return 1.0
