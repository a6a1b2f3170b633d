"""The method `fast`: recursion in joint frames with regrouped parameters, H by composites.

Of all methods it has the shortest trace.

Joint frame i is frame i-1 moved by joint i, so a joint torque is one component and the rotation
into the next joint frame is one turn about z and one constant. The inertial parameters are m, h and
S of `regroup`. The acceleration of a point r of link i is v' + U r with

    U = [w']x + [w]x [w]x,

used for the next origin, for the force F = m v' + U h, and for Euler's moment about the joint
origin, N = integral of r x (U r) dm + h x v', whose components are products of U with S.
"""

from __future__ import annotations

from collections.abc import Sequence

from .chain import Chain, JointMotion, Wrench
from .linear import accelerations
from .regroup import Moments, regrouped_moments
from .spatial import Step, steps
from .vectors import (
    ZERO,
    Matrix,
    Scalar,
    Vector,
    add,
    cross,
    dot,
    mat_vec,
    minus,
    neg,
    plus,
    scale,
    times,
    total,
    transpose,
    turn,
    vanishes,
)


def _acceleration_matrix(w: Vector, wd: Vector, axis_column: Vector | None) -> Matrix:
    """U = [w']x + [w]x [w]x; `axis_column` is what the joint leaves alone of its third column."""
    (x, y, z), (a, b, c) = w, wd
    xx, zz = times(x, x), times(z, z)
    xy, xz, yz = times(x, y), times(x, z), times(y, z)
    if axis_column is None:
        yy = times(y, y)
        first, corner = minus(-yy, zz), minus(-xx, yy)
    else:
        corner = axis_column[2]
        first = minus(plus(xx, corner), zz)
    column, row = [plus(xz, b), minus(yz, a)], [minus(xz, b), plus(yz, a)]
    if axis_column is not None and vanishes(axis_column[0]) and vanishes(axis_column[1]):
        column, row = [0.0, 0.0], [plus(xz, xz), plus(yz, yz)]
    return [
        [first, minus(xy, c), column[0]],
        [plus(xy, c), minus(-xx, zz), column[1]],
        [row[0], row[1], corner],
    ]


def _axis_column(chain: Chain, i: int, u: Matrix) -> Vector | None:
    """B^T U z of link i-1 for the axis z of joint i: the accelerations along that axis.

    Link i shares them, but for the turn about z. Worth having only if the axis is an axis of the
    joint frame before (None if not).
    """
    rotation = chain.bodies[i - 1].rotation
    if sum(row[2] != 0.0 for row in rotation) > 1:
        return None
    return mat_vec(transpose(rotation), mat_vec(u, [row[2] for row in rotation]))


def _euler(u: Matrix, s: Matrix, w: Vector, wd: Vector) -> Vector:
    """Integral of r x (U r) dm from the second moments S."""
    if all(vanishes(x) for x in (w[0], w[1], wd[0], wd[1])):  # a link that only spins about z
        zz, c = times(w[2], w[2]), wd[2]
        return [
            minus(times(s[1][2], zz), times(s[0][2], c)),
            -plus(times(s[0][2], zz), times(s[1][2], c)),
            times(plus(s[0][0], s[1][1]), c),
        ]
    return [
        total(
            [
                times(s[1][1], u[2][1]),
                -times(s[2][2], u[1][2]),
                times(s[1][2], minus(u[2][2], u[1][1])),
                times(s[0][1], u[2][0]),
                -times(s[0][2], u[1][0]),
            ]
        ),
        total(
            [
                times(s[2][2], u[0][2]),
                -times(s[0][0], u[2][0]),
                times(s[0][2], minus(u[0][0], u[2][2])),
                times(s[1][2], u[0][1]),
                -times(s[0][1], u[2][1]),
            ]
        ),
        total(
            [
                times(s[0][0], u[1][0]),
                -times(s[1][1], u[0][1]),
                times(s[0][1], minus(u[1][1], u[0][0])),
                times(s[0][2], u[1][2]),
                -times(s[1][2], u[0][2]),
            ]
        ),
    ]


def inverse_dynamics(
    chain: Chain,
    motions: Sequence[JointMotion],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    wrench: Wrench | None = None,
    moments: Sequence[Moments] | None = None,
) -> list[Scalar]:
    """The joint torques u = H q'' + u', in N m (N)."""
    n = chain.n
    moments, path = moments or regrouped_moments(chain), steps(chain, motions)
    w, wd, vd = ZERO, ZERO, neg(chain.gravity)
    u: Matrix | None = None
    forces, torques = [], []
    fe, ne = (wrench.force, wrench.moment) if wrench else (ZERO, ZERO)
    for i in range(n):
        if u is not None:
            vd = add(vd, mat_vec(u, path[i].arm))
        w, wd, vd, fe, ne = (path[i].outward_vector(x) for x in (w, wd, vd, fe, ne))
        if chain.bodies[i].revolute:
            wd = [
                plus(wd[0], times(w[1], qd[i])),
                minus(wd[1], times(w[0], qd[i])),
                plus(wd[2], qdd[i]),
            ]
            w = [w[0], w[1], plus(w[2], qd[i])]
        else:
            twice = times(2.0, qd[i])
            vd = [
                plus(vd[0], times(w[1], twice)),
                minus(vd[1], times(w[0], twice)),
                plus(vd[2], qdd[i]),
            ]
        u = _acceleration_matrix(w, wd, None if u is None else _axis_column(chain, i, u))
        if vanishes(u[0][2]) and vanishes(u[1][2]):
            wd = [times(w[1], w[2]), -times(w[0], w[2]), wd[2]]
        m, h, s = moments[i].mass, moments[i].first, moments[i].second
        forces.append(add(scale(m, vd), mat_vec(u, h)))
        torques.append(add(_euler(u, s, w, wd), cross(h, vd)))
    last = chain.bodies[-1]
    lever = add(last.position, mat_vec(last.rotation, chain.tool))
    f = add(forces[-1], fe)
    moment = add(torques[-1], add(ne, cross(lever, fe)))
    result: list[Scalar] = [None] * n
    for i in reversed(range(n)):
        if i < n - 1:
            moment, f = path[i + 1].inward((moment, f))
            moment, f = add(torques[i], moment), add(forces[i], f)
        result[i] = moment[2] if chain.bodies[i].revolute else f[2]
    return result


def _turn_tensor(c: Scalar, s: Scalar, t: Matrix) -> Matrix:
    """Rot(z, q) T Rot(z, q)^T of a symmetric tensor: 4 products for the four entries of x and y."""
    w = plus(times(s, minus(t[0][0], t[1][1])), times(c, plus(t[0][1], t[0][1])))
    sw = times(s, w)
    xy = minus(times(c, w), t[0][1])
    xz, yz, _ = turn(c, s, [t[0][2], t[1][2], 0.0])
    xx, yy, zz = minus(t[0][0], sw), plus(t[1][1], sw), t[2][2]
    return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


def mass_matrix(
    chain: Chain, motions: Sequence[JointMotion], moments: Sequence[Moments] | None = None
) -> list[list[Scalar]]:
    """H, n x n, symmetric: column j is the load of the composite of links j..n at every joint."""
    n = chain.n
    moments, path = moments or regrouped_moments(chain), steps(chain, motions)
    composite = moments[-1]
    h: list[list[Scalar]] = [[None] * n for _ in range(n)]
    for j in reversed(range(n)):
        revolute, s = chain.bodies[j].revolute, composite.second
        h[j][j] = plus(s[0][0], s[1][1]) if revolute else composite.mass
        if j > 0:
            cos, sin, _ = motions[j]
            first, second = turn(cos, sin, composite.first), _turn_tensor(cos, sin, s)
            if revolute:
                f: Vector = [-first[1], first[0], 0.0]  # z x h
                moment: Vector = [-second[0][2], -second[1][2], h[j][j]]  # J z
            else:
                f, moment = [0.0, 0.0, composite.mass], [first[1], -first[0], 0.0]  # m z, h x z
            for i, value in _joint_loads(chain, path[: j + 1], f, moment):
                h[i][j] = h[j][i] = value
            turned = Moments(composite.mass, first, second)
            composite = moments[j - 1] + turned.seen_from(path[j].rotation, path[j].arm)
    return h


def potential_energy(
    chain: Chain, motions: Sequence[JointMotion], moments: Sequence[Moments]
) -> Scalar:
    """The potential energy up to a constant, from base parameters: -g h of the whole arm, in J."""
    path = steps(chain, motions)
    mass: Scalar = 0.0
    first = ZERO
    for step, body in zip(reversed(path), reversed(moments), strict=True):
        mass, first = plus(mass, body.mass), add(first, body.first)
        first = add(step.inward_vector(first), scale(mass, step.arm))
    return -dot(chain.gravity, first)


def _joint_loads(
    chain: Chain, path: Sequence[Step], f: Vector, moment: Vector
) -> list[tuple[int, Scalar]]:
    """(i, load at joint i) of a force and moment behind the path, turned by its last joint."""
    rows: list[tuple[int, Scalar]] = []
    for i in reversed(range(len(path) - 1)):
        outer, c, s = path[i + 1], path[i].c, path[i].s
        f, moment = mat_vec(outer.rotation, f), mat_vec(outer.rotation, moment)
        moment = add(moment, cross(outer.arm, f))
        rows.append((i, moment[2] if chain.bodies[i].revolute else f[2]))
        f, moment = turn(c, s, f), turn(c, s, moment)
    return rows


def forward_dynamics(
    chain: Chain,
    motions: Sequence[JointMotion],
    qd: Sequence[Scalar],
    u: Sequence[Scalar],
    wrench: Wrench | None = None,
) -> list[Scalar]:
    """The joint accelerations q'' from H q'' = u - u' by L^T D L."""
    moments = regrouped_moments(chain)
    rest = inverse_dynamics(chain, motions, qd, [0.0] * chain.n, wrench, moments)
    return accelerations(mass_matrix(chain, motions, moments), u, rest)
