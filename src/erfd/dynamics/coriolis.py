"""The Coriolis matrix C(q, q') of (1), the one with H' - 2C skew.

Link i contributes m Jv^T Jv' + Jw^T (I Jw' + B Jw) with B = ([w]x I - I [w]x - [I w]x) / 2. B w is
w x I w, and dI/dt - 2B = [I w]x is skew; the sum equals the matrix of Christoffel symbols.
"""

from __future__ import annotations

from collections.abc import Sequence

from .chain import Chain, JointMotion, placed_links
from .kinematics import joint_origins, link_velocities
from .vectors import (
    ZERO,
    Scalar,
    add,
    cross,
    dot,
    mat_mul,
    mat_scale,
    mat_sub,
    mat_vec,
    plus,
    scale,
    skew,
    sub,
)


def coriolis_matrix(
    chain: Chain, motions: Sequence[JointMotion], qd: Sequence[Scalar]
) -> list[list[Scalar]]:
    """The Coriolis matrix C, n x n; C q' are the centrifugal and Coriolis torques."""
    n = chain.n
    links = placed_links(chain, motions)
    origins = joint_origins(links)
    velocities = link_velocities(chain, links, qd)
    # the velocity of frame k-1 carries axis k and its origin along
    before = [(ZERO, ZERO), *velocities[:-1]]
    turning = [cross(before[k][0], links[k].axis) for k in range(n)]
    result: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    for i, body in enumerate(chain.bodies):
        link, (w, v) = links[i], velocities[i]
        center = add(link.origin, link.center)
        speed = add(v, cross(w, link.center))
        inertia = link.inertia
        momentum = mat_vec(inertia, w)
        wi = mat_sub(mat_mul(skew(w), inertia), mat_mul(inertia, skew(w)))
        B = mat_scale(0.5, mat_sub(wi, skew(momentum)))
        linear, angular, linear_rate, angular_rate = [], [], [], []
        for k in range(i + 1):
            axis = links[k].axis
            if chain.bodies[k].revolute:
                lever = sub(center, origins[k])
                angular.append(axis)
                linear.append(cross(axis, lever))
                angular_rate.append(turning[k])
                moving = cross(axis, sub(speed, before[k][1]))
                linear_rate.append(add(cross(turning[k], lever), moving))
            else:
                angular.append(ZERO)
                linear.append(axis)
                angular_rate.append(ZERO)
                linear_rate.append(turning[k])
        for k in range(i + 1):
            force = scale(body.mass, linear_rate[k])
            moment = add(mat_vec(inertia, angular_rate[k]), mat_vec(B, angular[k]))
            for j in range(i + 1):
                part = plus(dot(linear[j], force), dot(angular[j], moment))
                result[j][k] = plus(result[j][k], part)
    return result
