"""The method `ne_link`: Newton-Euler, every link in its frame (004 Table 2; 003 Eqs. 1-10)."""

from __future__ import annotations

from collections.abc import Sequence

from .chain import Chain, JointMotion, Wrench, wrench_at_tip
from .kinematics import body_acceleration
from .vectors import ZERO, Scalar, Vector, add, cross, dot, mat_vec, neg, scale


def recursion(
    chain: Chain,
    motions: Sequence[JointMotion],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    wrench: Wrench | None = None,
) -> list[tuple[Vector, Vector]]:
    """Force and moment (about the origin of frame i-1) on link i by link i-1, in frame i."""
    w, wd, vd = ZERO, ZERO, neg(chain.gravity)
    inertial = []
    for i, (body, motion) in enumerate(zip(chain.bodies, motions, strict=True)):
        w, wd, vd = (body.outward(motion, x) for x in (w, wd, vd))
        turning, step = scale(qd[i], body.axis), body.step(motion)
        if body.revolute:
            wd = add(add(wd, scale(qdd[i], body.axis)), cross(w, turning))  # 003 (2)
            w = add(w, turning)  # 003 (1)
        else:
            vd = add(vd, add(scale(qdd[i], body.axis), scale(2.0, cross(w, turning))))
        vd = add(vd, add(cross(wd, step), cross(w, cross(w, step))))  # 003 (4)
        force = scale(body.mass, body_acceleration(w, wd, vd, body.center))  # 003 (5), (6)
        moment = add(mat_vec(body.inertia, wd), cross(w, mat_vec(body.inertia, w)))  # 003 (7)
        inertial.append((step, force, moment))
    f, n = wrench_at_tip(chain, motions, wrench)
    return summed_loads(chain, motions, inertial, (f, add(n, cross(chain.tool, f))))


def summed_loads(
    chain: Chain,
    motions: Sequence[JointMotion],
    inertial: Sequence[tuple[Vector, Vector, Vector]],
    tip: tuple[Vector, Vector],
) -> list[tuple[Vector, Vector]]:
    """Force and moment on each of the last links by the one before it, in frame i.

    `inertial` has p*_i, force and moment of each of them, `tip` is the load at frame n.
    """
    f, n = tip
    result: list[tuple[Vector, Vector]] = []
    for i in reversed(range(chain.n - len(inertial), chain.n)):
        body, (step, force, moment) = chain.bodies[i], inertial[i - chain.n]
        if i < chain.n - 1:
            outer, motion = chain.bodies[i + 1], motions[i + 1]
            f, n = outer.inward(motion, f), outer.inward(motion, n)
        lever = add(step, body.center)
        n = add(add(n, cross(step, f)), add(cross(lever, force), moment))  # 003 (9)
        f = add(f, force)  # 003 (8)
        result.append((f, n))
    return result[::-1]


def inverse_dynamics(
    chain: Chain,
    motions: Sequence[JointMotion],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    wrench: Wrench | None = None,
) -> list[Scalar]:
    """The joint torques u in N m (N): components along the joint axes, 003 (10)."""
    loads = recursion(chain, motions, qd, qdd, wrench)
    return [
        dot(body.axis, n if body.revolute else f)
        for body, (f, n) in zip(chain.bodies, loads, strict=True)
    ]


def reactions(
    chain: Chain,
    motions: Sequence[JointMotion],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    wrench: Wrench | None = None,
) -> list[tuple[Vector, Vector]]:
    """Force and moment on link i by link i-1, in frame i-1 and about its origin (32)."""
    loads = recursion(chain, motions, qd, qdd, wrench)
    return [
        (body.inward(motion, f), body.inward(motion, n))
        for body, motion, (f, n) in zip(chain.bodies, motions, loads, strict=True)
    ]
