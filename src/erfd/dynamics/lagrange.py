"""The method `lagrange`: Lagrange-Euler with 4x4 matrices (004 Eqs. 2.3-2.15)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .chain import Chain, JointMotion, LinkBody, Wrench
from .kinematics import external_torque
from .regroup import Moments
from .vectors import Matrix, Scalar, dot, mat_mul, mat_vec, plus, scale, symmetric, times, total

Q_REVOLUTE: Matrix = ((0.0, -1.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (0.0,) * 4, (0.0,) * 4)
Q_PRISMATIC: Matrix = ((0.0,) * 4, (0.0,) * 4, (0.0, 0.0, 0.0, 1.0), (0.0,) * 4)
UNIT4: Matrix = tuple(tuple(1.0 if i == j else 0.0 for j in range(4)) for i in range(4))


@dataclass(frozen=True, slots=True)
class Derivatives:
    """T_j and its derivatives by the joint coordinates, k, m <= j.

    `U[j][k]` is U_jk = dT_j/dq_k, `UU[j][k][m]` is U_jkm = dU_jk/dq_m.
    """

    T: list[Matrix]
    U: list[list[Matrix]]
    UU: list[list[list[Matrix]]]


def link_transform(body: LinkBody, motion: JointMotion) -> Matrix:
    """The 4x4 matrix of frame i in frame i-1 (2.1)."""
    c, s, d = motion
    turning = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
    rotation = mat_mul(turning, body.rotation)
    x, y, z = body.position
    origin = mat_vec(turning, [x, y, plus(z, d)])
    return [[*row, p] for row, p in zip(rotation, origin, strict=True)] + [list(UNIT4[3])]


def derivatives(chain: Chain, motions: Sequence[JointMotion]) -> Derivatives:
    """T_j with its first and second derivatives by the joint coordinates."""
    n = chain.n
    Q = [Q_REVOLUTE if body.revolute else Q_PRISMATIC for body in chain.bodies]
    step = [link_transform(b, m) for b, m in zip(chain.bodies, motions, strict=True)]
    between: list[list[Matrix]] = [[UNIT4] * (n + 1) for _ in range(n + 1)]  # frame j in frame i
    for i in range(n):
        for j in range(i, n):
            between[i][j + 1] = mat_mul(between[i][j], step[j])
    # the joint axes as operators in frame 0: T_(k-1) Q_k
    axes = [mat_mul(between[0][k], Q[k]) for k in range(n)]
    U = [[mat_mul(axes[k], between[k][j + 1]) for k in range(j + 1)] for j in range(n)]
    twice = [
        [mat_mul(mat_mul(axes[k], between[k][m]), Q[m]) for m in range(k, n)] for k in range(n)
    ]
    UU: list[list[list[Matrix]]] = []
    for j in range(n):
        rows: list[list[Matrix]] = []
        for k in range(j + 1):
            row: list[Matrix] = []
            for m in range(j + 1):
                low, high = min(k, m), max(k, m)
                if m < k:
                    row.append(rows[m][k])
                else:
                    row.append(mat_mul(twice[low][high - low], between[high][j + 1]))
            rows.append(row)
        UU.append(rows)
    return Derivatives(between[0][1:], U, UU)


def pseudo_inertia(body: LinkBody) -> Matrix:
    """J_j, the 4x4 pseudo-inertia matrix: integral of r r^T dm with r = (x, y, z, 1)."""
    m = Moments.of(body)
    return [[*row, h] for row, h in zip(m.second, m.first, strict=True)] + [[*m.first, m.mass]]


def _trace_product(a: Matrix, b: Matrix) -> Scalar:
    """Tr(A B^T) over the first three rows; the fourth rows of derivatives are zero."""
    return total([dot(a[i], b[i]) for i in range(3)])


def coefficients(
    chain: Chain, motions: Sequence[JointMotion]
) -> tuple[list[list[Scalar]], list[list[list[Scalar]]], list[Scalar]]:
    """The coefficients D_ik (2.11), h_ikm (2.14) and c_i (2.15)."""
    partials = derivatives(chain, motions)
    return _inertial(chain, partials), _velocity(chain, partials), _gravity(chain, partials)


def _inertial(chain: Chain, partials: Derivatives) -> list[list[Scalar]]:
    n = chain.n
    D: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    for j in range(n):
        J = pseudo_inertia(chain.bodies[j])
        for k in range(j + 1):
            UJ = mat_mul(partials.U[j][k], J)
            for i in range(k + 1):
                D[i][k] = plus(D[i][k], _trace_product(UJ, partials.U[j][i]))
    return symmetric(D)


def _velocity(chain: Chain, partials: Derivatives) -> list[list[list[Scalar]]]:
    n = chain.n
    h: list[list[list[Scalar]]] = [[[0.0] * n for _ in range(n)] for _ in range(n)]
    for j in range(n):
        J = pseudo_inertia(chain.bodies[j])
        for k in range(j + 1):
            for m in range(k, j + 1):
                UJ = mat_mul(partials.UU[j][k][m], J)
                for i in range(j + 1):
                    h[i][k][m] = plus(h[i][k][m], _trace_product(UJ, partials.U[j][i]))
    for i in range(n):
        for k in range(n):
            for m in range(k):
                h[i][k][m] = h[i][m][k]
    return h


def _gravity(chain: Chain, partials: Derivatives) -> list[Scalar]:
    c: list[Scalar] = [0.0] * chain.n
    for j, body in enumerate(chain.bodies):
        moment = [*scale(body.mass, body.center), body.mass]  # m_j r_j
        for i in range(j + 1):
            moved = [dot(row, moment) for row in partials.U[j][i][:3]]
            c[i] = plus(c[i], -dot(chain.gravity, moved))
    return c


def mass_matrix(chain: Chain, motions: Sequence[JointMotion]) -> list[list[Scalar]]:
    """The mass matrix H = D (2.11), n x n."""
    return _inertial(chain, derivatives(chain, motions))


def coriolis_matrix(
    chain: Chain, motions: Sequence[JointMotion], qd: Sequence[Scalar]
) -> list[list[Scalar]]:
    """C_ik = sum over m of h_ikm q'_m, n x n; H' - 2C is skew (Christoffel symbols)."""
    h = _velocity(chain, derivatives(chain, motions))
    return [[dot(h[i][k], qd) for k in range(chain.n)] for i in range(chain.n)]


def bias(
    chain: Chain, motions: Sequence[JointMotion], qd: Sequence[Scalar], wrench: Wrench | None = None
) -> list[Scalar]:
    """The bias u' = h + c + J^T k_e (2.6), N m (N)."""
    partials = derivatives(chain, motions)
    h, c = _velocity(chain, partials), _gravity(chain, partials)
    external = external_torque(chain, motions, wrench)
    n = chain.n
    result = []
    for i in range(n):
        square = [times(h[i][k][k], times(qd[k], qd[k])) for k in range(n)]
        mixed = [
            times(2.0, times(h[i][k][m], times(qd[k], qd[m])))
            for k in range(n)
            for m in range(k + 1, n)
        ]
        result.append(total([*square, *mixed, c[i], external[i]]))  # (2.13), h_ikm = h_imk
    return result
