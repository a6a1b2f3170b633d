"""The method `hollerbach`: recursive Lagrangian with 3x3 matrices (Hollerbach 1980).

Lagrange's equations without their sums over joints: accelerations outward, then one 3x3 matrix
and one vector inward. W_i is the orientation of frame i in frame 0, and its derivatives carry the
velocities: a point r of link i has the acceleration p_i'' + W_i'' r.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .chain import Chain, JointMotion, Wrench
from .kinematics import external_torque
from .regroup import Moments
from .vectors import (
    IDENTITY,
    ZERO,
    Matrix,
    Scalar,
    Vector,
    add,
    dot,
    mat_add,
    mat_mul,
    mat_scale,
    mat_vec,
    neg,
    outer,
    plus,
    scale,
    times,
    total,
    transpose,
    turn,
)

STILL: Matrix = ((0.0, 0.0, 0.0),) * 3
TURN: Matrix = ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
"""Q: dA/dq = Q A for a rotation A about z."""


@dataclass(frozen=True, slots=True)
class _MovingFrame:
    """Frame i at one state, all in frame 0 but `step`, which is p*_i in frame i.

    `turned` is dW_i/dq_i, `axis` z_(i-1), `second` W_i'', `acceleration` p_i'' - g.
    """

    turned: Matrix
    axis: Vector
    second: Matrix
    step: Vector
    acceleration: Vector


def inverse_dynamics(
    chain: Chain,
    motions: Sequence[JointMotion],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    wrench: Wrench | None = None,
) -> list[Scalar]:
    """The joint torques u in N m (N): u_i = tr(dW_i/dq_i D_i), of a sliding joint z_(i-1) . e_i.

    D_i is the integral of r (r'' - g)^T over links i to n, r from the origin of frame i-1 in frame
    i, and e_i that of r'' - g.
    """
    rotations = _rotations(chain, motions)
    frames = _outward(chain, motions, rotations, qd, qdd)
    external = external_torque(chain, motions, wrench)
    u: list[Scalar] = []
    D: Matrix = STILL
    e: Vector = ZERO
    for i in reversed(range(chain.n)):
        body, frame = chain.bodies[i], frames[i]
        mass = Moments.of(body)
        if i + 1 < chain.n:
            D = mat_mul(rotations[i + 1], D)  # r of the links beyond, seen from frame i
        turning = transpose(frame.second)
        own = add(scale(mass.mass, frame.acceleration), mat_vec(frame.second, mass.first))
        e = add(e, own)  # the integral of r'' - g over link i is m (p_i'' - g) + W_i'' h
        inside = mat_add(outer(mass.first, frame.acceleration), mat_mul(mass.second, turning))
        D = mat_add(D, mat_add(inside, outer(frame.step, e)))
        if body.revolute:
            by_row = zip(frame.turned, transpose(D), strict=True)
            u.append(plus(total([dot(row, column) for row, column in by_row]), external[i]))
        else:
            u.append(plus(dot(frame.axis, e), external[i]))
    return u[::-1]


def _rotations(chain: Chain, motions: Sequence[JointMotion]) -> list[Matrix]:
    """A_i, the orientation of frame i in frame i-1."""
    return [
        transpose([turn(c, s, column) for column in transpose(body.rotation)])
        for body, (c, s, _) in zip(chain.bodies, motions, strict=True)
    ]


def _outward(
    chain: Chain,
    motions: Sequence[JointMotion],
    rotations: Sequence[Matrix],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
) -> list[_MovingFrame]:
    """Orientations with two derivatives, and the acceleration of every origin without gravity."""
    frames = []
    W, first, second = IDENTITY, STILL, STILL
    acceleration = neg(chain.gravity)
    for i, (body, motion) in enumerate(zip(chain.bodies, motions, strict=True)):
        axis, A = [row[2] for row in W], rotations[i]
        turned, slide = STILL, ZERO
        if body.revolute:
            turning = mat_mul(TURN, A)
            turned = mat_mul(W, turning)
            back = [neg(A[0]), neg(A[1]), [0.0, 0.0, 0.0]]  # Q Q A
            # W'' = W'' A + 2 W' Q A q' + W (Q Q A q'^2 + Q A q'')
            by_rate = mat_add(
                mat_scale(2.0, mat_mul(first, turning)), mat_scale(qd[i], mat_mul(W, back))
            )
            second = mat_add(
                mat_add(mat_mul(second, A), mat_scale(qd[i], by_rate)), mat_scale(qdd[i], turned)
            )
            first = mat_add(mat_mul(first, A), mat_scale(qd[i], turned))
        else:
            # the origin slides along z of frame i-1: W z q'' + 2 W' z q'
            coriolis = scale(times(2.0, qd[i]), [row[2] for row in first])
            slide = add(scale(qdd[i], axis), coriolis)
            second, first = mat_mul(second, A), mat_mul(first, A)
        W = mat_mul(W, A)
        step = body.step(motion)
        acceleration = add(acceleration, add(mat_vec(second, step), slide))
        frames.append(_MovingFrame(turned, axis, second, step, acceleration))
    return frames
