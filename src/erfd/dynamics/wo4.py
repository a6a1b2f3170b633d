"""The method `wo4` (Walker & Orin 4): conjugate gradients on inverse dynamics, without H.

The residual is scaled by a constant diagonal, about the largest inertia that each joint can meet.
On the reference states of Lola 15 that leaves 7e-12 of the accelerations after n rounds, where
without it 7e-7 is left; after 2n rounds both are at 2e-14.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from . import ne_link
from .chain import Chain, JointMotion, Wrench
from .linear import conjugate_gradient
from .vectors import Scalar, is_number, minus

TOLERANCE = 1e-15
"""Numbers stop when the scaled residual has fallen to this part of its start."""
NUMERIC_ROUNDS = 20
"""Numbers stop after this many rounds per joint at the latest; a well-made arm never needs them."""
TRACED_ROUNDS = 2
"""A trace, which cannot look at the residual, runs this many rounds per joint."""


def forward_dynamics(
    chain: Chain,
    motions: Sequence[JointMotion],
    qd: Sequence[Scalar],
    u: Sequence[Scalar],
    wrench: Wrench | None = None,
) -> list[Scalar]:
    """The joint accelerations q'' from H q'' = u - u', H q'' by inverse dynamics at rest."""
    n = chain.n
    still = [0.0] * n
    bias = ne_link.inverse_dynamics(chain, motions, qd, still, wrench)
    rest = [minus(a, b) for a, b in zip(u, bias, strict=True)]

    def apply(x: Sequence[Scalar]) -> list[Scalar]:
        return ne_link.inverse_dynamics(chain.weightless, motions, still, x)

    numeric = all(is_number(x) or _is_array(x) for x in rest)
    rounds = (NUMERIC_ROUNDS if numeric else TRACED_ROUNDS) * n
    small = _small if numeric else _never
    return conjugate_gradient(apply, rest, largest_inertias(chain), rounds, small)


def _is_array(x: Any) -> bool:
    return type(x).__module__ == "numpy"


def _small(now: Any, start: Any) -> bool:
    met = now <= TOLERANCE**2 * start
    return bool(met if is_number(met) or isinstance(met, bool) else met.all())


def _never(now: Any, start: Any) -> bool:
    return False


def largest_inertias(chain: Chain) -> list[Scalar]:
    """About the largest H_ii over all poses, from the lengths and masses behind each joint."""
    result: list[Scalar] = []
    for i, body in enumerate(chain.bodies):
        reach, bound = 0.0, 0.0
        for outer in chain.bodies[i:]:
            reach += math.dist((0, 0, 0), outer.position)
            lever = reach + math.dist((0, 0, 0), outer.center)
            spin = sum(outer.inertia[k][k] for k in range(3)) / 2 if body.revolute else 0.0
            bound += spin + outer.mass * (lever**2 if body.revolute else 1.0)
        result.append(bound or 1.0)
    return result
