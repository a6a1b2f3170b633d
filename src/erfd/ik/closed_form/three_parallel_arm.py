"""Arms whose axes 2, 3 and 4 are parallel and whose axes 5 and 6 meet: Universal Robots, and such.

The point W where axes 5 and 6 meet keeps its distance along the three parallel axes, whatever their
joints do: that gives q1, twice. Seen from link 1 the orientation is then

    M = Rz(psi) C Rz(q5) R5 Rz(q6),   psi = q2 + s2 q3 + s2 s3 q4,   s = 1, or -1 for opposite axes

as that of a wrist: psi, q5 and q6. With psi, link 4 is known, and links 2 and 3 are a triangle in
the plane across the axes: q3, q2, and q4 from psi.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...dynamics.vectors import Scalar, Vector, mat_vec, plus, times, transpose, turn_back
from ...ground.arrays import Array
from ...robot.model import Robot
from ...robot.pose import Mat3, Pose, as_mat3, cos_sin, snap
from .front import SLACK, FrontSolution, front_sense, meeting
from .scalars import LOOSE, NUMPY, Scalars, rotated
from .target import WristTarget, wrist_target
from .two_links import two_links
from .wrist import Wrist, WristSolution


@dataclass(frozen=True, slots=True)
class ThreeParallelArm:
    """An arm with a closed form; `center` is W in frame 6, `last` joint 6's R, lengths in m.

    `side` + `tilt` z is the distance of W from axis 1 across the plane of the links, (cos, sin)
    `lateral` the plane's normal, `forward` the direction in it; `upper` and `lower` are links 2
    and 3 in that plane, `outer` is W from axis 4 on, at psi = 0.
    """

    r1: Mat3
    p1: tuple[float, float, float]
    wrist: Wrist
    center: tuple[float, float, float]
    last: Mat3
    base: Pose
    side: float
    tilt: float
    lateral: tuple[float, float]
    upper: float
    lower: float
    upper_at: tuple[float, float]
    lower_at: tuple[float, float]
    outer: tuple[float, float]
    height: float
    senses: tuple[float, float]
    sense: float

    @classmethod
    def of(cls, robot: Robot) -> ThreeParallelArm | None:
        """The robot's constants, None if it has another structure."""
        if robot.n != 6 or not all(joint.revolute for joint in robot.joints):
            return None
        placements = [joint.placement for joint in robot.joints]
        r = [np.array(turn) for turn, _ in placements]
        p = [np.array(step) for _, step in placements]
        axis = r[0][:, 2]
        level = math.hypot(axis[0], axis[1])
        across = max(math.hypot(*r[k][:2, 2]) for k in (1, 2))
        back = meeting(r[4][:, 2], p[4])
        if level < 1e-3 or across > SLACK or back is None:
            return None
        after = r[1] @ r[2]
        crossing = math.hypot(*(after @ r[3])[:2, 2])
        upper, lower = (math.hypot(v[0], v[1]) for v in (p[1], p[2]))
        if min(upper, lower) < 1e-6 or crossing < 1e-3:
            return None
        # axis 5 goes through W at this height in frame 4
        along = float(p[4][2] + back * r[4][2, 2])
        outer = after @ (p[3] + r[3] @ [0.0, 0.0, along])
        bent = r[1] @ p[2]
        height = float(p[1][2] + bent[2] + outer[2])
        normal = np.array([axis[0], axis[1], 0.0]) / level
        at = math.atan2(p[1][1], p[1][0])
        center = r[5].T @ (np.array([0.0, 0.0, back]) - p[5])
        middle = as_mat3([[snap(x) for x in row] for row in (after @ r[3]).tolist()])
        return cls(
            r1=placements[0][0],
            p1=_triple(p[0]),
            wrist=Wrist.of(middle, placements[4][0]),
            center=_triple(center),
            last=placements[5][0],
            base=robot.base,
            side=snap((height + float(axis @ p[0])) / level),
            tilt=snap(-float(axis[2]) / level),
            lateral=(snap(float(normal[0])), snap(float(normal[1]))),
            upper=upper,
            lower=lower,
            upper_at=cos_sin(at),
            lower_at=cos_sin(math.atan2(bent[1], bent[0]) - at),
            outer=(float(outer[0]), float(outer[1])),
            height=height,
            senses=(math.copysign(1.0, r[1][2, 2]), math.copysign(1.0, r[2][2, 2])),
            sense=front_sense(np.array([-normal[1], normal[0], 0.0]), p[0]),
        )

    def target(self, poses: Array, tool: Pose) -> WristTarget:
        """W and the rotations R06 R6^T that tool poses (..., 4, 4) in the base ask for."""
        return wrist_target(poses, tool, self.center, self.last, self.base)

    def hints(self, near: Array) -> Array:
        """What free joints take of joint positions (..., 6): q1 and psi, (..., 2)."""
        return np.stack([near[..., 0], self._psi([near[..., i] for i in range(6)])], axis=-1)

    def _psi(self, q: Vector) -> Scalar:
        """The turn of link 4 about the parallel axes."""
        s2, s3 = self.senses
        return q[1] + s2 * q[2] + (s2 * s3) * q[3]

    def solve(
        self, f: Scalars, pose: WristTarget, signs: tuple[Scalar, Scalar, Scalar], near: Vector
    ) -> tuple[FrontSolution, WristSolution]:
        """Solve the branch of the `signs` (front, up, not flipped: 1, else -1); near: (q1, psi)."""
        front, up, side = signs
        x, y, z = pose.center
        lateral = plus(self.side, times(self.tilt, z))
        radius2 = x * x + y * y
        distance = (self.sense * front) * f.sqrt(f.positive(radius2 - lateral * lateral))
        nx, ny = self.lateral
        c, s = x * lateral + y * distance, y * lateral - x * distance
        c0, s0 = rotated(f.cos(near[0]), f.sin(near[0]), (nx, ny))
        c, s = f.unit(c, s, radius2 < LOOSE**2, c0, s0)
        c1, s1 = rotated(c, s, (nx, -ny))
        back = transpose(self.r1)
        turned = self.wrist.solve(
            f, [mat_vec(back, turn_back(c1, s1, v)) for v in pose.columns], side, near[1]
        )
        psi, q5, q6 = turned.q
        in_link1 = turn_back(c1, s1, [x, y, z])
        px, py, _ = mat_vec(back, [v - k for v, k in zip(in_link1, self.p1, strict=True)])
        ox, oy = rotated(self.outer[0], self.outer[1], (f.cos(psi), f.sin(psi)))
        px, py = px - ox, py - oy

        (c2, s2), (c3, s3), (c23, s23), miss = two_links(
            f, (px, py), (self.upper, self.lower), (self.upper_at, self.lower_at),
            -self.sense * front * up,
        )  # fmt: skip
        # q4 = s2 s3 (psi - q2 - s2 q3), as an angle
        c4, s4 = rotated(f.cos(psi), f.sin(psi), (c23, -s23))

        miss = f.larger(miss, f.positive(abs(lateral) - f.sqrt(radius2)))
        sense3, sense4 = self.senses[0], self.senses[0] * self.senses[1]
        first = [f.atan2(s1, c1), f.atan2(s2, c2), f.atan2(times(sense3, s3), c3)]
        q4 = f.atan2(times(sense4, s4), c4)
        return (
            FrontSolution(first, [], miss, radius2),
            WristSolution([q4, q5, q6], turned.miss, turned.loose),
        )

    def signs(self, q: Array) -> tuple[Array, Array, Array]:
        """The signs of joint positions: in front (m), elbow up, wrist not flipped (sines) above 0.

        Each is (...) for q (..., 6), and 0 at a singularity.
        """
        joints = [q[..., i] for i in range(6)]
        at, bent = (math.atan2(s, c) for c, s in (self.upper_at, self.lower_at))
        first, bend, psi = joints[1] + at, self.senses[0] * joints[2] + bent, self._psi(joints)
        ox, oy = rotated(self.outer[0], self.outer[1], (np.cos(psi), np.sin(psi)))
        x = self.upper * np.cos(first) + self.lower * np.cos(first + bend) + ox
        y = self.upper * np.sin(first) + self.lower * np.sin(first + bend) + oy
        place = np.tensordot(
            np.array(self.r1), np.stack([x, y, np.full_like(x, self.height)]), axes=1
        )
        forward = (-self.lateral[1], self.lateral[0])
        ahead = sum(k * (v + p) for k, v, p in zip(forward, place[:2], self.p1[:2], strict=True))
        front = np.asarray(self.sense * ahead)
        side = np.where(front < 0, -1.0, 1.0)
        up = -self.sense * side * np.sin(bend)
        return front, np.asarray(up), np.asarray(self.wrist.bend(NUMPY, joints[4]))

    def room(self, q3: Array) -> Array:
        """How far (m) axis 4 is from where links 2 and 3 are stretched or folded."""
        c, s = self.lower_at
        bend = self.senses[0] * q3
        cosine = c * np.cos(bend) - s * np.sin(bend)
        a, b = self.upper, self.lower
        reach = np.sqrt(np.maximum(a * a + b * b + 2 * a * b * cosine, 0.0))
        return np.asarray(np.minimum(a + b - reach, reach - abs(a - b)))


def _triple(v: Array) -> tuple[float, float, float]:
    x, y, z = (snap(float(k)) if abs(k) < 1e-12 else float(k) for k in v)
    return x, y, z
