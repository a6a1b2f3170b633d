"""The method `denoc`: decoupled natural orthogonal complement, H = U D U^T (Saha 2003).

H = N_d^T N_l^T M N_l N_d, where N_l carries motions outward (B_ij) and N_d puts in the joint axes
p_i. Block elimination from the tip writes H = U D U^T with entries that are themselves recursive,
so H q'' = u - u' is solved in three sweeps without forming H. All in joint frames.
"""

from __future__ import annotations

from collections.abc import Sequence

from .chain import Chain, JointMotion, Wrench, wrench_at_tip
from .regroup import true_moments
from .spatial import (
    ZERO_PAIR,
    Inertia,
    Pair,
    along,
    joint_motion,
    pair_add,
    pair_dot,
    pair_scale,
    steps,
    tip_load,
    velocity_terms,
)
from .vectors import ZERO, Scalar, minus, neg, times


def inverse_dynamics(
    chain: Chain,
    motions: Sequence[JointMotion],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    wrench: Wrench | None = None,
) -> list[Scalar]:
    """The joint torques u = N_d^T N_l^T (M t' + W M t + external load), N m (N)."""
    n = chain.n
    moments, path = true_moments(chain), steps(chain, motions)
    kinds = [body.revolute for body in chain.bodies]
    drift, loads = velocity_terms(kinds, path, moments, qd)
    motion: Pair = (ZERO, neg(chain.gravity))
    for i in range(n):
        motion = pair_add(path[i].outward(motion), drift[i])
        motion = pair_add(motion, joint_motion(kinds[i], qdd[i]))
        loads[i] = pair_add(Inertia.of(moments[i]).times(motion), loads[i])
    load = ZERO_PAIR
    if wrench is not None:
        load = tip_load(chain, *wrench_at_tip(chain, motions, wrench))
    u: list[Scalar] = [None] * n
    for i in reversed(range(n)):
        load = pair_add(loads[i], load)
        u[i] = along(kinds[i], load)
        if i > 0:
            load = path[i].inward(load)
    return u


def mass_matrix(chain: Chain, motions: Sequence[JointMotion]) -> list[list[Scalar]]:
    """H, n x n: h_ij = p_i^T M~_i B_ij p_j with the composite inertias M~_i."""
    n = chain.n
    path = steps(chain, motions)
    kinds = [body.revolute for body in chain.bodies]
    inertias = [Inertia.of(m) for m in true_moments(chain)]
    composite = inertias[-1]
    h: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    for j in reversed(range(n)):
        load = composite.axis_column(kinds[j])
        h[j][j] = along(kinds[j], load)
        for i in reversed(range(j)):
            load = path[i + 1].inward(load)
            h[i][j] = h[j][i] = along(kinds[i], load)
        if j > 0:
            composite = inertias[j - 1] + composite.inward(path[j])
    return h


def forward_dynamics(
    chain: Chain,
    motions: Sequence[JointMotion],
    qd: Sequence[Scalar],
    u: Sequence[Scalar],
    wrench: Wrench | None = None,
) -> list[Scalar]:
    """The joint accelerations q'' from U D U^T q'' = u - u'."""
    n = chain.n
    path = steps(chain, motions)
    kinds = [body.revolute for body in chain.bodies]
    bias = inverse_dynamics(chain, motions, qd, [0.0] * n, wrench)
    rest = [minus(a, b) for a, b in zip(u, bias, strict=True)]

    inertias = [Inertia.of(m) for m in true_moments(chain)]
    columns: list[Pair] = [ZERO_PAIR] * n  # psi_i, the columns of U before division
    inverses: list[Scalar] = [None] * n  # 1 / m_i, of D
    outer_load = ZERO_PAIR  # eta_i
    for i in reversed(range(n)):  # U x = rest
        columns[i] = inertias[i].axis_column(kinds[i])
        inverses[i] = 1.0 / along(kinds[i], columns[i])
        rest[i] = minus(rest[i], along(kinds[i], outer_load))
        if i > 0:
            share = pair_scale(times(inverses[i], rest[i]), columns[i])
            outer_load = path[i].inward(pair_add(outer_load, share))
            inertias[i - 1] += inertias[i].without(columns[i], inverses[i]).inward(path[i])

    motion = ZERO_PAIR  # mu_i
    qdd = []
    for i in range(n):  # D, then U^T q'' = x
        if i > 0:
            motion = path[i].outward(motion)
        rate = times(inverses[i], minus(rest[i], pair_dot(columns[i], motion)))
        motion = pair_add(motion, joint_motion(kinds[i], rate))
        qdd.append(rate)
    return qdd
