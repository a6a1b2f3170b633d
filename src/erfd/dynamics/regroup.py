"""Base parameters: the inertial parameters regrouped towards the base before tracing.

Each link's parameters are taken in its joint (proximal) frame, whose z axis is the joint axis, as
mass m, first moment h = m c and second moments S = integral of r r^T dm (so the inertia about the
joint origin is J = tr(S) 1 - S). What is axisymmetric about a revolute axis (m on the axis, h_z,
and S_zz) acts the same if it is fixed to the link before; across a prismatic joint all of S does.
Moved link by link to the base, that leaves m = h_z = S_zz = 0 behind every revolute joint, and the
trace gets shorter (Khalil & Kleinfinger 1987, with S_zz in place of their I_yy: products fewer).

Torques, H and accelerations do not change. Joint reactions, energy and momentum do.
"""

from __future__ import annotations

from dataclasses import dataclass

from .chain import Chain, LinkBody
from .vectors import (
    IDENTITY,
    ZERO,
    Matrix,
    Scalar,
    Vector,
    add,
    mat_add,
    mat_scale,
    mat_sub,
    mat_vec,
    outer,
    rotate_tensor,
    scale,
    total,
)


@dataclass(frozen=True, slots=True)
class Moments:
    """Mass (kg), first (kg m) and second moments (kg m2) of a body about the origin of a frame."""

    mass: Scalar
    first: Vector
    second: Matrix

    @classmethod
    def of(cls, body: LinkBody) -> Moments:
        """The moments of link i in frame i."""
        trace = total([body.inertia[k][k] for k in range(3)])
        central = mat_sub(mat_scale(trace / 2, IDENTITY), body.inertia)
        lever = mat_scale(body.mass, outer(body.center, body.center))
        return cls(body.mass, scale(body.mass, body.center), mat_add(central, lever))

    def __add__(self, other: Moments) -> Moments:
        return Moments(
            self.mass + other.mass,
            add(self.first, other.first),
            mat_add(self.second, other.second),
        )

    def seen_from(self, rotation: Matrix, position: Vector) -> Moments:
        """The moments in the frame in which the present one is at (rotation, position)."""
        h = mat_vec(rotation, self.first)
        sides = mat_add(outer(h, position), outer(position, h))
        lever = mat_scale(self.mass, outer(position, position))
        second = mat_add(rotate_tensor(rotation, self.second), mat_add(sides, lever))
        return Moments(self.mass, add(h, scale(self.mass, position)), second)


def true_moments(chain: Chain) -> list[Moments]:
    """The moments of each link in its joint frame (frame i-1 moved by the joint)."""
    return [Moments.of(body).seen_from(body.rotation, body.position) for body in chain.bodies]


def regrouped_moments(chain: Chain, payload: Moments | None = None) -> list[Moments]:
    """The base parameters of each link in its joint frame, `payload` (there) in the last one."""
    result = true_moments(chain)
    if payload is not None:
        result[-1] += payload
    for i in reversed(range(chain.n)):
        m, h, s = result[i].mass, result[i].first, result[i].second
        if chain.bodies[i].revolute:
            axial = [[0.0] * 3, [0.0] * 3, [0.0, 0.0, s[2][2]]]
            moved = Moments(m, [0.0, 0.0, h[2]], axial)
            result[i] = Moments(0.0, [h[0], h[1], 0.0], [*s[:2], [s[2][0], s[2][1], 0.0]])
        else:
            moved = Moments(0.0, ZERO, s)
            result[i] = Moments(m, h, [list(ZERO)] * 3)
        if i > 0:
            before = chain.bodies[i - 1]
            result[i - 1] += moved.seen_from(before.rotation, before.position)
    return result
