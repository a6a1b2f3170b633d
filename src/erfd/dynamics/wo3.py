"""The method `wo3` (Walker & Orin 3), composite rigid bodies (003 Eqs. 16-26).

While joint j accelerates alone, the links j..n move as one rigid body: the "hand".
"""

from __future__ import annotations

from collections.abc import Sequence

from .chain import Chain, JointMotion
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
    mat_scale,
    mat_sub,
    mat_vec,
    outer,
    rotate_tensor,
    scale,
    sub,
    symmetric,
    transpose,
    turn,
    vanishes,
)


def composites(chain: Chain, motions: Sequence[JointMotion]) -> list[tuple[Scalar, Vector, Matrix]]:
    """(M_j, c_j, E_j) of the links j..n in frame j: mass, mass centre, inertia about it."""
    last = chain.bodies[-1]
    mass, center, inertia = last.mass, last.center, last.inertia
    result = [(mass, center, inertia)]
    for j in reversed(range(chain.n - 1)):
        body, motion, outer_body = chain.bodies[j], motions[j + 1], chain.bodies[j + 1]
        far = outer_body.inward(motion, add(center, outer_body.step(motion)))
        both = mass + body.mass  # (16)
        if vanishes(both):
            middle: Vector = ZERO
        else:
            weights = (body.mass / both, mass / both)
            middle = add(scale(weights[0], body.center), scale(weights[1], far))  # (17)
        c, s, _ = motion
        turned = transpose([turn(c, s, row) for row in transpose(outer_body.rotation)])
        inertia = mat_add(
            mat_add(rotate_tensor(turned, inertia), _displaced(mass, sub(far, middle))),
            mat_add(body.inertia, _displaced(body.mass, sub(body.center, middle))),
        )  # (18)
        mass, center = both, middle
        result.append((mass, center, inertia))
    return result[::-1]


def _displaced(mass: Scalar, r: Vector) -> Matrix:
    """What the parallel-axis theorem adds: m (r.r 1 - r r^T)."""
    return symmetric(mat_scale(mass, mat_sub(mat_scale(dot(r, r), IDENTITY), outer(r, r))))


def mass_matrix(chain: Chain, motions: Sequence[JointMotion]) -> list[list[Scalar]]:
    """H, n x n: column j from the load of the composite of links j..n at the joints before it."""
    n = chain.n
    h: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    for j, (mass, center, inertia) in enumerate(composites(chain, motions)):
        body = chain.bodies[j]
        lever = add(center, body.step(motions[j]))
        if body.revolute:
            f = scale(mass, cross(body.axis, lever))  # (19), (21)
            moment = add(mat_vec(inertia, body.axis), cross(lever, f))  # (20), (22)
        else:
            f = scale(mass, body.axis)
            moment = cross(lever, f)
        h[j][j] = dot(body.axis, moment if body.revolute else f)  # (23)
        for i in reversed(range(j)):
            outer_body, body = chain.bodies[i + 1], chain.bodies[i]
            f = outer_body.inward(motions[i + 1], f)  # (24)
            moment = outer_body.inward(motions[i + 1], moment)
            moment = add(moment, cross(body.step(motions[i]), f))  # (25)
            h[i][j] = h[j][i] = dot(body.axis, moment if body.revolute else f)  # (26)
    return h
