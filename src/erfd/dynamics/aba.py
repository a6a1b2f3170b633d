"""The method `aba`: articulated bodies (Featherstone 1983) in joint frames, without H, O(n).

Accelerations are those of the joint origins with gravity as an upward acceleration of the base, so
linear velocities never enter.
"""

from __future__ import annotations

from collections.abc import Sequence

from .chain import Chain, JointMotion, Wrench, wrench_at_tip
from .regroup import true_moments
from .spatial import (
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


def forward_dynamics(
    chain: Chain,
    motions: Sequence[JointMotion],
    qd: Sequence[Scalar],
    u: Sequence[Scalar],
    wrench: Wrench | None = None,
) -> list[Scalar]:
    """The joint accelerations by three sweeps: velocities, articulated inertias, accelerations."""
    n = chain.n
    moments, path = true_moments(chain), steps(chain, motions)
    inertias = [Inertia.of(m) for m in moments]
    kinds = [body.revolute for body in chain.bodies]
    drift, loads = velocity_terms(kinds, path, moments, qd)
    if wrench is not None:
        loads[-1] = pair_add(loads[-1], tip_load(chain, *wrench_at_tip(chain, motions, wrench)))

    columns: list[Pair] = [(ZERO, ZERO)] * n
    inverses: list[Scalar] = [None] * n
    missing: list[Scalar] = [None] * n
    for i in reversed(range(n)):
        columns[i] = inertias[i].axis_column(kinds[i])
        inverses[i] = 1.0 / along(kinds[i], columns[i])
        missing[i] = minus(u[i], along(kinds[i], loads[i]))
        if i > 0:
            rest = inertias[i].without(columns[i], inverses[i])
            share = pair_scale(times(inverses[i], missing[i]), columns[i])
            load = pair_add(pair_add(loads[i], rest.times(drift[i])), share)
            inertias[i - 1] += rest.inward(path[i])
            loads[i - 1] = pair_add(loads[i - 1], path[i].inward(load))

    motion: Pair = (ZERO, neg(chain.gravity))
    qdd = []
    for i in range(n):
        motion = pair_add(path[i].outward(motion), drift[i])
        rate = times(inverses[i], minus(missing[i], pair_dot(columns[i], motion)))
        motion = pair_add(motion, joint_motion(kinds[i], rate))
        qdd.append(rate)
    return qdd
