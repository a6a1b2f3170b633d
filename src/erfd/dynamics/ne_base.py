"""The method `ne_base`: Newton-Euler in the base frame (004 Table 1)."""

from __future__ import annotations

from collections.abc import Sequence

from .chain import Chain, JointMotion, Wrench, placed_links
from .kinematics import body_acceleration, link_accelerations
from .vectors import ZERO, Scalar, add, cross, dot, mat_vec, neg, scale


def inverse_dynamics(
    chain: Chain,
    motions: Sequence[JointMotion],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    wrench: Wrench | None = None,
) -> list[Scalar]:
    """The joint torques u in N m (N): components along the joint axes.

    f, n: force and moment (about the origin of frame i-1) on link i by link i-1, in frame 0.
    """
    links = placed_links(chain, motions)
    moving = link_accelerations(chain, links, qd, qdd, neg(chain.gravity))
    f, n = (wrench.force, wrench.moment) if wrench else (ZERO, ZERO)
    n = add(n, cross(mat_vec(links[-1].rotation, chain.tool), f))  # about the origin of frame n
    u = []
    for body, link, (w, wd, vd) in reversed(list(zip(chain.bodies, links, moving, strict=True))):
        force = scale(body.mass, body_acceleration(w, wd, vd, link.center))
        moment = add(mat_vec(link.inertia, wd), cross(w, mat_vec(link.inertia, w)))
        lever = add(link.step, link.center)
        n = add(add(n, cross(link.step, f)), add(cross(lever, force), moment))
        f = add(force, f)
        u.append(dot(link.axis, n if body.revolute else f))
    return u[::-1]
