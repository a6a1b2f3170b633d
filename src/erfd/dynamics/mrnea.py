"""The method `mrnea`, modified recursive Newton-Euler: H and u' explicitly, in one pass (4)-(36).

Everything is in the base frame, as in the papers. Each link's force and moment are split into what
the joint accelerations cause (b_ik, d_ik, e_ik) and the rest (e_i, d_i); summed towards the base
they give the columns of H and the bias u' directly. Equations (11), (14), (22), (28)-(31) as
corrected in docs/errata.md; prismatic joints are our extension.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .chain import Chain, JointMotion, PlacedLink, Wrench, placed_links
from .kinematics import body_acceleration, link_accelerations
from .linear import accelerations, product
from .vectors import (
    ZERO,
    Scalar,
    Vector,
    add,
    cross,
    dot,
    mat_vec,
    neg,
    plus,
    scale,
)

Columns = list[list[Vector]]
"""x[i][k]: a 3-vector for link (or row) i and joint acceleration k, counted from 0."""


@dataclass(frozen=True, slots=True)
class MrneaTerms:
    """The terms of mRNEA by their names in the papers; [i][k] is subscript (i+1)(k+1).

    `n_ic` and `n_ia1` .. `n_ia3` are the primed ones, (28)-(31); `E` is E_ik of (25), (26), `Ec` is
    E_i of (23) with the external force in it.
    """

    b: Columns
    d: Columns
    e: Columns
    ec: list[Vector]
    dc: list[Vector]
    E: Columns
    Ec: list[Vector]
    n_ic: list[Vector]
    n_ia1: Columns
    n_ia2: Columns
    n_ia3: Columns


def terms(
    chain: Chain,
    motions: Sequence[JointMotion],
    qd: Sequence[Scalar],
    wrench: Wrench | None = None,
    links: Sequence[PlacedLink] | None = None,
    lever: Vector | None = None,
) -> MrneaTerms:
    """All terms of (4)-(31). `links` and `lever` (p_e) may be given, as the papers' counts do."""
    n = chain.n
    links = links or placed_links(chain, motions)
    b = _acceleration_columns(chain, links)
    d = [
        [
            mat_vec(links[i].inertia, links[k].axis) if chain.bodies[k].revolute else ZERO
            for k in range(i + 1)
        ]
        for i in range(n)
    ]  # of (9)
    e = [[scale(chain.bodies[i].mass, b[i][k]) for k in range(i + 1)] for i in range(n)]  # (15)
    ec, dc = _velocity_terms(chain, links, qd)  # (13), (17)
    E = _outward_sums(n, e)

    f_e, n_e = (wrench.force, wrench.moment) if wrench else (ZERO, ZERO)
    p_e = mat_vec(links[-1].rotation, chain.tool) if lever is None else lever
    arms = [add(link.step, link.center) for link in links]  # l_i
    Ec: list[Vector] = [f_e] * (n + 1)  # f_(n+1) = f_e enters once, here (erratum 2)
    n_ic: list[Vector] = [add(n_e, cross(p_e, f_e))] * (n + 1)
    n_ia1: Columns = [[ZERO] * n for _ in range(n + 1)]
    n_ia2: Columns = [[ZERO] * n for _ in range(n + 1)]
    for i in reversed(range(n)):
        step = links[i].step
        inner = add(dc[i], add(cross(arms[i], ec[i]), cross(step, Ec[i + 1])))  # (22), (23)
        n_ic[i] = add(n_ic[i + 1], inner)  # (28)
        Ec[i] = add(Ec[i + 1], ec[i])
        for k in range(n):
            n_ia1[i][k], n_ia2[i][k] = n_ia1[i + 1][k], n_ia2[i + 1][k]
            if k <= i:
                n_ia1[i][k] = add(n_ia1[i][k], add(d[i][k], cross(arms[i], e[i][k])))  # (29)
            if k <= i + 1 < n:
                n_ia2[i][k] = add(n_ia2[i][k], cross(step, E[i + 1][k]))  # (30)
    n_ia3: Columns = [[ZERO] * n for _ in range(n)]
    for i in range(n):
        reach = ZERO  # p*_i + ... + p*_(k-2)
        for k in range(i + 2, n):
            reach = add(reach, links[k - 2].step)
            n_ia3[i][k] = cross(reach, E[k][k])  # (31)
    return MrneaTerms(b, d, e, ec, dc, E, Ec[:n], n_ic[:n], n_ia1[:n], n_ia2[:n], n_ia3)


@dataclass(frozen=True, slots=True)
class LinkMoments:
    """What link i alone adds to n_i, before the sums towards the base (22)-(26).

    `n_ic` of the last link has n_e + p_e x f_e in it.
    """

    n_ic: list[Vector]
    n_ia1: Columns
    n_ia2: Columns
    n_ia3: Columns


def link_moments(
    chain: Chain,
    motions: Sequence[JointMotion],
    values: MrneaTerms,
    wrench: Wrench | None = None,
) -> LinkMoments:
    """n_ic, n_ia1, n_ia2, n_ia3 without primes, for teaching and testing; `values` of `terms`."""
    n, links = chain.n, placed_links(chain, motions)
    f_e, n_e = (wrench.force, wrench.moment) if wrench else (ZERO, ZERO)
    tip = add(n_e, cross(mat_vec(links[-1].rotation, chain.tool), f_e))
    E = [*values.Ec, f_e]
    n_ic: list[Vector] = []
    n_ia1, n_ia2, n_ia3 = ([[ZERO] * n for _ in range(n)] for _ in range(3))
    for i, link in enumerate(links):
        lever = add(link.step, link.center)  # l_i
        own = add(values.dc[i], cross(lever, values.ec[i]))
        own = add(own, cross(link.step, E[i + 1]))  # (22), (23)
        n_ic.append(add(own, tip) if i == n - 1 else own)
        for k in range(n):
            if k <= i:
                n_ia1[i][k] = add(values.d[i][k], cross(lever, values.e[i][k]))  # (24)
            if k <= i + 1 < n:
                n_ia2[i][k] = cross(link.step, values.E[i + 1][k])  # (25)
            if k >= i + 2:
                n_ia3[i][k] = cross(link.step, values.E[k][k])  # (26)
    return LinkMoments(n_ic, n_ia1, n_ia2, n_ia3)


def _acceleration_columns(chain: Chain, links: Sequence[PlacedLink]) -> Columns:
    """b_ik of (5): the acceleration of mass centre i per acceleration of joint k."""
    result: Columns = []
    reach: list[Vector] = []  # p_i - p_(k-1), from joint k to frame i
    for i in range(chain.n):
        reach = [add(r, links[i].step) for r in reach] + [links[i].step]
        row = []
        for k in range(i + 1):
            axis = links[k].axis
            revolute = chain.bodies[k].revolute
            row.append(cross(axis, add(reach[k], links[i].center)) if revolute else axis)
        result.append(row)
    return result


def _velocity_terms(
    chain: Chain, links: Sequence[PlacedLink], qd: Sequence[Scalar]
) -> tuple[list[Vector], list[Vector]]:
    """e_i and d_i, (13) and (17): their double sums over b_ikj and d_ikj by recursion (B.1)."""
    still = [0.0] * chain.n
    e, d = [], []
    moving = link_accelerations(chain, links, qd, still, neg(chain.gravity))
    for body, link, (w, wd, vd) in zip(chain.bodies, links, moving, strict=True):
        e.append(scale(body.mass, body_acceleration(w, wd, vd, link.center)))
        d.append(add(mat_vec(link.inertia, wd), cross(w, mat_vec(link.inertia, w))))
    return e, d


def _outward_sums(n: int, e: Columns) -> Columns:
    """E_ik, the sum of e_jk over j = max(i, k)..n."""
    E: Columns = [[ZERO] * n for _ in range(n)]
    for i in reversed(range(n)):
        for k in range(n):
            beyond = E[i + 1][k] if i + 1 < n else ZERO
            E[i][k] = add(beyond, e[i][k]) if k <= i else beyond
    return E


def velocity_coefficients(
    chain: Chain, motions: Sequence[JointMotion]
) -> tuple[list[list[list[Vector]]], list[list[list[Vector]]]]:
    """b_ikj and d_ikj of (5) and (9), k <= j <= i, as [i][k][j]: for teaching and testing."""
    links = placed_links(chain, motions)
    b = _acceleration_columns(chain, links)
    b_ikj: list[list[list[Vector]]] = []
    d_ikj: list[list[list[Vector]]] = []
    for i in range(chain.n):
        rows_b, rows_d = [], []
        for k in range(i + 1):
            row_b, row_d = [], []
            for j in range(i + 1):
                term_b, term_d = ZERO, ZERO
                if j >= k and chain.bodies[k].revolute:
                    twice = 1.0 if j == k else 2.0
                    term_b = scale(twice, cross(links[k].axis, b[i][j]))
                    if chain.bodies[j].revolute:
                        term_d = _gyration(links[i], links[k].axis, links[j].axis, j == k)
                row_b.append(term_b)
                row_d.append(term_d)
            rows_b.append(row_b)
            rows_d.append(row_d)
        b_ikj.append(rows_b)
        d_ikj.append(rows_d)
    return b_ikj, d_ikj


def _gyration(link: PlacedLink, zk: Vector, zj: Vector, same: bool) -> Vector:
    gyro = cross(zk, mat_vec(link.inertia, zj))
    if same:
        return gyro
    mixed = add(mat_vec(link.inertia, cross(zk, zj)), cross(zj, mat_vec(link.inertia, zk)))
    return add(gyro, mixed)


def mass_matrix(
    chain: Chain,
    motions: Sequence[JointMotion],
    values: MrneaTerms | None = None,
    links: Sequence[PlacedLink] | None = None,
) -> list[list[Scalar]]:
    """The mass matrix H, n x n, from (35): its lower half, where n'_ia3 has no part, mirrored.

    `values` are those of `terms`, if they are there already.
    """
    values = values or terms(chain, motions, [0.0] * chain.n)
    links = links or placed_links(chain, motions)
    n = chain.n
    h: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for k in range(i + 1):
            if chain.bodies[i].revolute:
                column = add(values.n_ia1[i][k], values.n_ia2[i][k])
            else:
                column = values.E[i][k]
            h[i][k] = h[k][i] = dot(links[i].axis, column)
    return h


def bias(
    chain: Chain,
    motions: Sequence[JointMotion],
    qd: Sequence[Scalar],
    wrench: Wrench | None = None,
    values: MrneaTerms | None = None,
    links: Sequence[PlacedLink] | None = None,
) -> list[Scalar]:
    """The bias u' from (36), N m (N); `values` of `terms`, if they are there already."""
    values = values or terms(chain, motions, qd, wrench)
    links = links or placed_links(chain, motions)
    return [
        dot(link.axis, values.n_ic[i] if body.revolute else values.Ec[i])
        for i, (body, link) in enumerate(zip(chain.bodies, links, strict=True))
    ]


def inverse_dynamics(
    chain: Chain,
    motions: Sequence[JointMotion],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    wrench: Wrench | None = None,
) -> list[Scalar]:
    """The joint torques u = H q'' + u' (34), N m (N)."""
    values, links = terms(chain, motions, qd, wrench), placed_links(chain, motions)
    inertial = product(mass_matrix(chain, motions, values, links), qdd)
    rest = bias(chain, motions, qd, wrench, values, links)
    return [plus(a, b) for a, b in zip(inertial, rest, strict=True)]


def forward_dynamics(
    chain: Chain,
    motions: Sequence[JointMotion],
    qd: Sequence[Scalar],
    u: Sequence[Scalar],
    wrench: Wrench | None = None,
    links: Sequence[PlacedLink] | None = None,
    lever: Vector | None = None,
) -> list[Scalar]:
    """The joint accelerations q'' from (34) by elimination. `links` and `lever` as in `terms`."""
    links = links or placed_links(chain, motions)
    values = terms(chain, motions, qd, wrench, links, lever)
    h = mass_matrix(chain, motions, values, links)
    return accelerations(h, u, bias(chain, motions, qd, wrench, values, links))
