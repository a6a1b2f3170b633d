"""`Chain`: the constants of an arm as the algorithms take them, and the motions of its joints.

Every joint, revolute or prismatic, D-H or general, is one motion and one constant transform:

    frame i in frame i-1  =  Rot(z, angle) Trans(z, d) * (R_i, p_i)

with (c, s, d) = (cos q, sin q, 0) for a revolute and (1, 0, q) for a prismatic joint.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from ..robot.model import Robot
from .vectors import (
    IDENTITY,
    ZERO,
    Matrix,
    Scalar,
    Vector,
    add,
    mat_mul,
    mat_vec,
    plus,
    rotate_tensor,
    transpose,
    turn,
    turn_back,
)

JointMotion = tuple[Scalar, Scalar, Scalar]
"""(c, s, d) of one joint: cosine and sine of its angle, and its displacement in m."""


@dataclass(frozen=True, slots=True)
class LinkBody:
    """Link i: mass (kg), mass centre (m) and inertia (kg m2) in frame i; (R, p) of frame i."""

    revolute: bool
    rotation: Matrix
    position: Vector
    mass: Scalar
    center: Vector
    inertia: Matrix

    def outward(self, motion: JointMotion, v: Vector) -> Vector:
        """Turn a free vector from frame i-1 into frame i."""
        return mat_vec(transpose(self.rotation), turn_back(motion[0], motion[1], v))

    def inward(self, motion: JointMotion, v: Vector) -> Vector:
        """Turn a free vector from frame i into frame i-1."""
        return turn(motion[0], motion[1], mat_vec(self.rotation, v))

    def step(self, motion: JointMotion) -> Vector:
        """p*_i, from the origin of frame i-1 to that of frame i, in frame i."""
        x, y, z = self.position
        return mat_vec(transpose(self.rotation), [x, y, plus(z, motion[2])])

    @property
    def axis(self) -> Vector:
        """z of frame i-1 in frame i: constant, for the joint moves about or along it."""
        return self.rotation[2]


@dataclass(frozen=True, slots=True)
class Chain:
    """An arm: its bodies, gravity (m/s2) in frame 0, and the tool point (m) in frame n."""

    bodies: tuple[LinkBody, ...]
    gravity: Vector
    tool: Vector

    @property
    def n(self) -> int:
        """The number of joints."""
        return len(self.bodies)

    @property
    def weightless(self) -> Chain:
        """The same arm without gravity."""
        return replace(self, gravity=ZERO)


@dataclass(frozen=True, slots=True)
class Wrench:
    """Force (N) and moment (N m) on the environment at the tool point, in frame 0 (erratum 2)."""

    force: Vector
    moment: Vector

    @classmethod
    def from_base(cls, robot: Robot, k: Sequence[Scalar]) -> Wrench:
        """The wrench of six scalars in base coordinates: force, then moment."""
        turn = transpose(robot.base.rotation)
        return cls(mat_vec(turn, k[:3]), mat_vec(turn, k[3:]))


@dataclass(frozen=True, slots=True)
class ArmState:
    """What a formulation is asked for: an arm, its joint motions, q', q'' or u (`x`), a wrench."""

    chain: Chain
    pose: Sequence[JointMotion]
    qd: Sequence[Scalar]
    x: Sequence[Scalar]
    wrench: Wrench | None


@lru_cache(maxsize=256)
def chain_of(robot: Robot) -> Chain:
    """The chain of a robot: its constants as plain floats."""
    bodies = []
    for joint, link in zip(robot.joints, robot.links, strict=True):
        rotation, position = joint.placement
        bodies.append(
            LinkBody(joint.revolute, rotation, position, link.mass, link.center, link.inertia)
        )
    in_base = mat_vec(transpose(robot.mount.rotation), robot.gravity)
    gravity = mat_vec(transpose(robot.base.rotation), in_base)
    return Chain(tuple(bodies), tuple(gravity), robot.tool.xyz)


def motions(
    chain: Chain,
    q: Sequence[Scalar],
    cos: Callable[[Scalar], Scalar],
    sin: Callable[[Scalar], Scalar],
) -> list[JointMotion]:
    """(c, s, d) of every joint at the joint coordinates `q`."""
    return [
        (cos(x), sin(x), 0.0) if body.revolute else (1.0, 0.0, x)
        for body, x in zip(chain.bodies, q, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class PlacedLink:
    """Link i at one pose, all in frame 0, for the base-frame formulations.

    `rotation` and `origin` of frame i, `step` p*_i from the origin of frame i-1, `axis` z_{i-1},
    `center` r_i^cm from the origin of frame i, `inertia` I_i^cm about the mass centre.
    """

    rotation: Matrix
    origin: Vector
    step: Vector
    axis: Vector
    center: Vector
    inertia: Matrix


def placed_links(chain: Chain, motions: Sequence[JointMotion]) -> list[PlacedLink]:
    """Every link at this pose, in frame 0."""
    rotation, origin = IDENTITY, ZERO
    result = []
    for body, (c, s, d) in zip(chain.bodies, motions, strict=True):
        axis = [row[2] for row in rotation]
        moved = [turn_back(c, s, row) for row in rotation]  # R_{i-1} Rot(z, q)
        x, y, z = body.position
        step = mat_vec(moved, [x, y, plus(z, d)])
        origin = add(origin, step)
        rotation = mat_mul(moved, body.rotation)
        center = mat_vec(rotation, body.center)
        inertia = rotate_tensor(rotation, body.inertia)
        result.append(PlacedLink(rotation, origin, step, axis, center, inertia))
    return result


def frames(chain: Chain, motions: Sequence[JointMotion]) -> list[tuple[Matrix, Vector]]:
    """Rotation and origin of the frames 0..n in frame 0."""
    return [
        (IDENTITY, ZERO),
        *((link.rotation, link.origin) for link in placed_links(chain, motions)),
    ]


def wrench_at_tip(
    chain: Chain, motions: Sequence[JointMotion], wrench: Wrench | None
) -> tuple[Vector, Vector]:
    """Force and moment on the environment at the tool point, in frame n."""
    if wrench is None:
        return ZERO, ZERO
    force, moment = wrench.force, wrench.moment
    for body, motion in zip(chain.bodies, motions, strict=True):
        force, moment = body.outward(motion, force), body.outward(motion, moment)
    return force, moment
