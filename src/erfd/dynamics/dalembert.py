"""The method `dalembert`: generalized d'Alembert (004 Eqs. 4.1-4.5), rotary joints only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import MethodError
from .chain import Chain, JointMotion, PlacedLink, Wrench, placed_links
from .kinematics import external_torque, joint_origins
from .vectors import (
    ZERO,
    Scalar,
    Vector,
    add,
    cross,
    dot,
    mat_add,
    mat_vec,
    plus,
    scale,
    sub,
    total,
    transpose,
)


@dataclass(frozen=True, slots=True)
class DalembertTerms:
    """The rotational and translational parts of (4.1), and gravity."""

    D_rot: list[list[Scalar]]
    D_tran: list[list[Scalar]]
    h_rot: list[Scalar]
    h_tran: list[Scalar]
    c: list[Scalar]


def terms(chain: Chain, motions: Sequence[JointMotion], qd: Sequence[Scalar]) -> DalembertTerms:
    """Every coefficient of (4.1); the sums over links start at max(i, j) (erratum 13)."""
    if not all(body.revolute for body in chain.bodies):
        raise MethodError(
            "method 'dalembert' is for rotary joints only; this robot has a prismatic joint"
        )
    n = chain.n
    links = placed_links(chain, motions)
    origins = joint_origins(links)
    axes = [link.axis for link in links]
    centers = [add(link.origin, link.center) for link in links]
    # z_(i-1) in link s, and the tangents z_(i-1) x (r_s - p_(i-1)), for s >= i
    inner = [
        [mat_vec(transpose(links[s].rotation), axes[i]) for i in range(s + 1)] for s in range(n)
    ]
    tangents = [
        [cross(axes[i], sub(centers[s], origins[i])) for i in range(s + 1)] for s in range(n)
    ]
    D_rot: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    D_tran: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    for j in range(n):
        for i in range(j + 1):
            for s in range(j, n):  # (4.2)
                spin = mat_vec(chain.bodies[s].inertia, inner[s][j])
                D_rot[i][j] = plus(D_rot[i][j], dot(inner[s][i], spin))
                shift = dot(scale(chain.bodies[s].mass, tangents[s][j]), tangents[s][i])
                D_tran[i][j] = plus(D_tran[i][j], shift)
            D_rot[j][i], D_tran[j][i] = D_rot[i][j], D_tran[i][j]
    accelerated = _center_accelerations(links, qd)
    h_rot: list[Scalar] = [0.0] * n
    h_tran: list[Scalar] = [0.0] * n
    c: list[Scalar] = [0.0] * n
    for s in range(n):
        body = chain.bodies[s]
        w, swing = _turning(inner[s], qd)
        spin = mat_vec(body.inertia, swing)
        momentum = mat_vec(body.inertia, w)
        force = scale(body.mass, accelerated[s])
        weight = scale(body.mass, chain.gravity)
        for i in range(s + 1):
            gyro = dot(cross(inner[s][i], w), momentum)
            h_rot[i] = plus(h_rot[i], plus(dot(inner[s][i], spin), gyro))  # (4.4)
            h_tran[i] = plus(h_tran[i], dot(force, tangents[s][i]))  # (4.3)
            c[i] = plus(c[i], -dot(weight, tangents[s][i]))  # (4.5)
    return DalembertTerms(D_rot, D_tran, h_rot, h_tran, c)


def _turning(axes: Sequence[Vector], qd: Sequence[Scalar]) -> tuple[Vector, Vector]:
    """Angular velocity, and the acceleration that it causes: (q'_1 z_0 + ...) x q'_p z_(p-1)."""
    w, swing = ZERO, ZERO
    for axis, rate in zip(axes, qd, strict=False):
        turning = scale(rate, axis)
        swing = add(swing, cross(w, turning))
        w = add(w, turning)
    return w, swing


def _center_accelerations(links: Sequence[PlacedLink], qd: Sequence[Scalar]) -> list[Vector]:
    """Centrifugal and Coriolis acceleration of each mass centre: the braces of (4.3)."""
    result = []
    origin = ZERO  # acceleration of the origin of frame s-1
    axes = [link.axis for link in links]
    for s, link in enumerate(links):
        w, swing = _turning(axes[: s + 1], qd)
        center = add(link.step, link.center)  # c_s
        result.append(add(origin, add(cross(w, cross(w, center)), cross(swing, center))))
        origin = add(origin, add(cross(w, cross(w, link.step)), cross(swing, link.step)))
    return result


def mass_matrix(chain: Chain, motions: Sequence[JointMotion]) -> list[list[Scalar]]:
    """The mass matrix H = D_rot + D_tran (4.2), n x n."""
    values = terms(chain, motions, [0.0] * chain.n)
    return [list(row) for row in mat_add(values.D_rot, values.D_tran)]


def bias(
    chain: Chain, motions: Sequence[JointMotion], qd: Sequence[Scalar], wrench: Wrench | None = None
) -> list[Scalar]:
    """The bias u' = h_tran + h_rot + c + J^T k_e, N m (N)."""
    values = terms(chain, motions, qd)
    external = external_torque(chain, motions, wrench)
    parts = zip(values.h_tran, values.h_rot, values.c, external, strict=True)
    return [total(part) for part in parts]
