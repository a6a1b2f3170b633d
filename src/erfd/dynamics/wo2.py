"""The method `wo2` (Walker & Orin 2): as `wo1`, but column j only from link j outward."""

from __future__ import annotations

from collections.abc import Sequence

from .chain import Chain, JointMotion
from .ne_link import summed_loads
from .vectors import ZERO, Scalar, Vector, add, cross, dot, mat_vec, scale


def mass_matrix(chain: Chain, motions: Sequence[JointMotion]) -> list[list[Scalar]]:
    """H, n x n: links before j rest while joint j accelerates, so only rows i >= j are computed."""
    n = chain.n
    h: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    for j in range(n):
        for i, value in enumerate(_column(chain, motions, j), j):
            h[i][j] = h[j][i] = value
    return h


def _column(chain: Chain, motions: Sequence[JointMotion], j: int) -> list[Scalar]:
    """H_ij for i = j..n."""
    wd, vd = ZERO, ZERO
    inertial: list[tuple[Vector, Vector, Vector]] = []
    for i in range(j, chain.n):
        body, motion = chain.bodies[i], motions[i]
        step = body.step(motion)
        if i > j:
            wd, vd = body.outward(motion, wd), body.outward(motion, vd)
        elif body.revolute:
            wd = body.axis
        else:
            vd = body.axis
        vd = add(vd, cross(wd, step))
        force = scale(body.mass, add(vd, cross(wd, body.center)))
        inertial.append((step, force, mat_vec(body.inertia, wd)))
    loads = summed_loads(chain, motions, inertial, (ZERO, ZERO))
    return [
        dot(body.axis, n if body.revolute else f)
        for body, (f, n) in zip(chain.bodies[j:], loads, strict=True)
    ]
