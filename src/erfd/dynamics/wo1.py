"""The method `wo1` (Walker & Orin 1): columns of H by inverse dynamics at unit accelerations."""

from __future__ import annotations

from collections.abc import Sequence

from . import ne_link
from .chain import Chain, JointMotion
from .vectors import Scalar


def mass_matrix(chain: Chain, motions: Sequence[JointMotion]) -> list[list[Scalar]]:
    """H, n x n: column j is the torque at q'' = e_j, q' = 0, without gravity and wrench."""
    n = chain.n
    still = [0.0] * n
    columns = []
    for j in range(n):
        unit = [1.0 if i == j else 0.0 for i in range(n)]
        columns.append(ne_link.inverse_dynamics(chain.weightless, motions, still, unit))
    return [[columns[j][i] for j in range(n)] for i in range(n)]
