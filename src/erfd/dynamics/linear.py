"""Solving H x = b for a symmetric positive definite H, without looking at values."""

from __future__ import annotations

from collections.abc import Sequence

from .vectors import Matrix, Scalar, minus, times


def solve(h: Matrix, b: Sequence[Scalar]) -> list[Scalar]:
    """x with H x = b by H = L^T D L, eliminating from the tip to the base.

    Only the lower half of `h` is read. This is Gaussian elimination of a symmetric matrix; taken
    from the tip it meets the small entries of an arm's H first (Featherstone's ordering).
    """
    n = len(b)
    a = [list(row) for row in h]
    x = list(b)
    inverse: list[Scalar] = [None] * n
    for k in reversed(range(n)):
        inverse[k] = 1.0 / a[k][k]
        for i in reversed(range(k)):
            factor = times(a[k][i], inverse[k])  # L_ki
            for j in range(i + 1):
                a[i][j] = minus(a[i][j], times(factor, a[k][j]))
            x[i] = minus(x[i], times(factor, x[k]))  # b becomes L^-T b on the way
            a[k][i] = factor
    for k in range(n):
        x[k] = times(x[k], inverse[k])
        for j in range(k):
            x[k] = minus(x[k], times(a[k][j], x[j]))
    return x
