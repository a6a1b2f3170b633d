"""Kinematics in frame 0: tool point, Jacobian, velocities and accelerations of the links."""

from __future__ import annotations

from collections.abc import Sequence

from .chain import Chain, JointMotion, PlacedLink, Wrench, placed_links
from .vectors import (
    ZERO,
    Matrix,
    Scalar,
    Vector,
    add,
    cross,
    dot,
    mat_vec,
    scale,
    sub,
)


def joint_origins(links: Sequence[PlacedLink]) -> list[Vector]:
    """The origin of frame i-1 for every joint i: a point on its axis."""
    return [ZERO, *(link.origin for link in links[:-1])]


def tool_point(chain: Chain, links: Sequence[PlacedLink]) -> Vector:
    """The tool point in frame 0."""
    return add(links[-1].origin, mat_vec(links[-1].rotation, chain.tool))


def jacobian(chain: Chain, motions: Sequence[JointMotion]) -> Matrix:
    """The geometric Jacobian, 6 x n: linear rows of the tool point first, then angular ones."""
    links = placed_links(chain, motions)
    point = tool_point(chain, links)
    columns = []
    for body, link, origin in zip(chain.bodies, links, joint_origins(links), strict=True):
        if body.revolute:
            columns.append([*cross(link.axis, sub(point, origin)), *link.axis])
        else:
            columns.append([*link.axis, *ZERO])
    return [[column[row] for column in columns] for row in range(6)]


def external_torque(
    chain: Chain, motions: Sequence[JointMotion], wrench: Wrench | None
) -> list[Scalar]:
    """The joint torques of the end effector's wrench: J^T k_e of (1)."""
    if wrench is None:
        return [0.0] * chain.n
    rows = jacobian(chain, motions)
    load = [*wrench.force, *wrench.moment]
    return [dot([row[i] for row in rows], load) for i in range(chain.n)]


def link_velocities(
    chain: Chain, links: Sequence[PlacedLink], qd: Sequence[Scalar]
) -> list[tuple[Vector, Vector]]:
    """Angular velocity, and linear velocity of the origin of frame i, of every link (B.1)."""
    w, v = ZERO, ZERO
    result = []
    for body, link, rate in zip(chain.bodies, links, qd, strict=True):
        if body.revolute:
            w = add(w, scale(rate, link.axis))
            v = add(v, cross(w, link.step))
        else:
            v = add(add(v, cross(w, link.step)), scale(rate, link.axis))
        result.append((w, v))
    return result


def link_accelerations(
    chain: Chain,
    links: Sequence[PlacedLink],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    start: Vector = ZERO,
) -> list[tuple[Vector, Vector, Vector]]:
    """Angular velocity, angular acceleration, and linear acceleration of the origin of frame i.

    The forward equations of 004 Table 1. `start` is the acceleration of the base: minus gravity
    turns the result into what the links feel.
    """
    w, wd, vd = ZERO, ZERO, start
    result = []
    for i, (body, link) in enumerate(zip(chain.bodies, links, strict=True)):
        turning = scale(qd[i], link.axis)
        if body.revolute:
            wd = add(add(wd, scale(qdd[i], link.axis)), cross(w, turning))
            w = add(w, turning)
        else:
            sliding = add(scale(qdd[i], link.axis), scale(2.0, cross(w, turning)))
            vd = add(vd, sliding)
        vd = add(vd, add(cross(wd, link.step), cross(w, cross(w, link.step))))
        result.append((w, wd, vd))
    return result


def body_acceleration(w: Vector, wd: Vector, vd: Vector, r: Vector) -> Vector:
    """The acceleration of the point r of a link whose origin accelerates with vd (4)."""
    return add(add(cross(wd, r), cross(w, cross(w, r))), vd)
