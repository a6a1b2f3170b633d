"""Spatial vectors as pairs of three-vectors at one point, and 6x6 inertias in blocks.

A motion is (angular, linear), a load is (moment, force), both at the origin of a joint frame; an
inertia maps one to the other: moment = A w + B v, force = B^T w + C v.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .chain import Chain, JointMotion
from .regroup import Moments
from .vectors import (
    IDENTITY,
    ZERO,
    Matrix,
    Scalar,
    Vector,
    add,
    cross,
    dot,
    mat_add,
    mat_mul,
    mat_scale,
    mat_sub,
    mat_vec,
    outer,
    plus,
    rotate_tensor,
    scale,
    skew,
    symmetric,
    times,
    total,
    transpose,
    turn,
    turn_back,
)

Pair = tuple[Vector, Vector]

ZERO_PAIR: Pair = (ZERO, ZERO)


def pair_add(a: Pair, b: Pair) -> Pair:
    """The sum a + b of pairs."""
    return add(a[0], b[0]), add(a[1], b[1])


def pair_scale(s: Scalar, a: Pair) -> Pair:
    """The pair s a."""
    return scale(s, a[0]), scale(s, a[1])


def pair_dot(a: Pair, b: Pair) -> Scalar:
    """The power of a load on a motion."""
    return plus(dot(a[0], b[0]), dot(a[1], b[1]))


def along(revolute: bool, load: Pair) -> Scalar:
    """The load's component on the joint axis z."""
    return load[0][2] if revolute else load[1][2]


def joint_motion(revolute: bool, rate: Scalar) -> Pair:
    """The joint's motion at unit axis z: p_i q'_i."""
    return ([0.0, 0.0, rate], ZERO) if revolute else (ZERO, [0.0, 0.0, rate])


@dataclass(frozen=True, slots=True)
class Step:
    """From joint frame i-1 to joint frame i: constant `rotation`, turn (c, s), and `arm`."""

    rotation: Matrix
    c: Scalar
    s: Scalar
    arm: Vector

    def outward_vector(self, v: Vector) -> Vector:
        """Turn a free vector from the inner frame into the outer one."""
        return turn_back(self.c, self.s, mat_vec(transpose(self.rotation), v))

    def inward_vector(self, v: Vector) -> Vector:
        """Turn a free vector from the outer frame into the inner one."""
        return mat_vec(self.rotation, turn(self.c, self.s, v))

    def outward(self, motion: Pair) -> Pair:
        """Move a motion from the inner origin to the outer one."""
        w, v = motion
        return self.outward_vector(w), self.outward_vector(add(v, cross(w, self.arm)))

    def inward(self, load: Pair) -> Pair:
        """Move a load from the outer origin to the inner one."""
        moment, force = self.inward_vector(load[0]), self.inward_vector(load[1])
        return add(moment, cross(self.arm, force)), force

    @property
    def turned(self) -> Matrix:
        """The rotation matrix from the outer to the inner frame."""
        return [turn_back(self.c, self.s, row) for row in self.rotation]


def steps(chain: Chain, motions: Sequence[JointMotion]) -> list[Step]:
    """The steps into the joint frames 1..n; the first one starts at frame 0."""
    result = [Step(IDENTITY, motions[0][0], motions[0][1], [0.0, 0.0, motions[0][2]])]
    for body, (c, s, d) in zip(chain.bodies[:-1], motions[1:], strict=True):
        arm = add(body.position, scale(d, [row[2] for row in body.rotation]))
        result.append(Step(body.rotation, c, s, arm))
    return result


def tip_load(chain: Chain, force: Vector, moment: Vector) -> Pair:
    """Force and moment at the tool point (in frame n) as a load at the last joint's origin."""
    last = chain.bodies[-1]
    f, n = mat_vec(last.rotation, force), mat_vec(last.rotation, moment)
    lever = add(last.position, mat_vec(last.rotation, chain.tool))
    return add(n, cross(lever, f)), f


@dataclass(frozen=True, slots=True)
class Inertia:
    """A 6x6 symmetric inertia in blocks: [[A, B], [B^T, C]]."""

    A: Matrix
    B: Matrix
    C: Matrix

    @classmethod
    def of(cls, moments: Moments) -> Inertia:
        """The inertia of a rigid body about the joint origin."""
        s = moments.second
        trace = total([s[k][k] for k in range(3)])
        tensor = mat_sub(mat_scale(trace, IDENTITY), s)
        return cls(tensor, skew(moments.first), mat_scale(moments.mass, IDENTITY))

    def __add__(self, other: Inertia) -> Inertia:
        return Inertia(
            symmetric(mat_add(self.A, other.A)),
            mat_add(self.B, other.B),
            symmetric(mat_add(self.C, other.C)),
        )

    def times(self, motion: Pair) -> Pair:
        """The load for a motion."""
        w, v = motion
        moment = add(mat_vec(self.A, w), mat_vec(self.B, v))
        return moment, add(mat_vec(transpose(self.B), w), mat_vec(self.C, v))

    def axis_column(self, revolute: bool) -> Pair:
        """The load for a unit motion along the joint axis z."""
        if revolute:
            return [row[2] for row in self.A], list(self.B[2])
        return [row[2] for row in self.B], [row[2] for row in self.C]

    def without(self, column: Pair, inverse: Scalar) -> Inertia:
        """The inertia I - U U^T / D that is left if the joint moves freely."""
        u, v = column
        part_u, part_v = scale(inverse, u), scale(inverse, v)
        return Inertia(
            symmetric(mat_sub(self.A, outer(u, part_u))),
            mat_sub(self.B, outer(u, part_v)),
            symmetric(mat_sub(self.C, outer(v, part_v))),
        )

    def inward(self, step: Step) -> Inertia:
        """The same inertia at the inner origin, in the inner frame."""
        r = step.turned
        A, C = rotate_tensor(r, self.A), rotate_tensor(r, self.C)
        B = mat_mul(mat_mul(r, self.B), transpose(r))
        p = skew(step.arm)
        pc = mat_mul(p, C)
        pb = mat_mul(p, transpose(B))
        A = mat_sub(mat_add(A, mat_add(pb, transpose(pb))), mat_mul(pc, p))
        return Inertia(symmetric(A), mat_add(B, pc), C)


def gyroscopic(moments: Moments, w: Vector) -> Pair:
    """The gyroscopic load of a body that turns with w: moment w x J w, force w x (w x h)."""
    inertia = Inertia.of(moments).A
    spin = cross(w, mat_vec(inertia, w))
    return spin, cross(w, cross(w, moments.first))


def velocity_acceleration(revolute: bool, step: Step, inner: Vector, rate: Scalar) -> Pair:
    """The part of a link's acceleration that the velocities cause.

    `inner` is the angular velocity of link i-1 in its joint frame, `rate` is q'_i.
    """
    w = step.outward_vector(inner)
    linear = step.outward_vector(cross(inner, cross(inner, step.arm)))
    spin: Vector = [times(w[1], rate), -times(w[0], rate), 0.0]  # w x z q'
    if revolute:
        return spin, linear
    return ZERO, add(linear, scale(2.0, spin))


def velocity_terms(
    kinds: Sequence[bool], path: Sequence[Step], moments: Sequence[Moments], qd: Sequence[Scalar]
) -> tuple[list[Pair], list[Pair]]:
    """The accelerations that the velocities cause, and the gyroscopic loads, of every link."""
    w: Vector = ZERO
    drift, loads = [], []
    for revolute, step, body, rate in zip(kinds, path, moments, qd, strict=True):
        drift.append(velocity_acceleration(revolute, step, w, rate))
        w = add(step.outward_vector(w), joint_motion(revolute, rate)[0])
        loads.append(gyroscopic(body, w))
    return drift, loads
