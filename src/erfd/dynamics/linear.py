"""Solve H x = b for a symmetric positive definite H, without looking at values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .vectors import Matrix, Scalar, dot, minus, times


def solve(h: Matrix, b: Sequence[Scalar]) -> list[Scalar]:
    """Solve H x = b by H = L^T D L, eliminating from the tip to the base.

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


def accelerations(h: Matrix, u: Sequence[Scalar], bias: Sequence[Scalar]) -> list[Scalar]:
    """The joint accelerations q'' from H q'' = u - u' (2)."""
    return solve(h, [minus(a, b) for a, b in zip(u, bias, strict=True)])


def product(h: Matrix, x: Sequence[Scalar]) -> list[Scalar]:
    """The product H x."""
    return [dot(row, x) for row in h]


def conjugate_gradient(
    apply: Callable[[Sequence[Scalar]], Sequence[Scalar]],
    b: Sequence[Scalar],
    weights: Sequence[Scalar],
    rounds: int,
    small: Callable[[Scalar, Scalar], bool],
) -> list[Scalar]:
    """Solve H x = b by conjugate gradients, scaled by the diagonal `weights` (about H_ii).

    `apply` gives H x. Stops after `rounds`, or when `small(now, at the start)` says so of the
    squared residual. A
    finished element of a batch stays as it is: 0 is divided by the smallest number, not by 0.
    """
    tiny = 1e-300
    x: list[Scalar] = [0.0] * len(b)
    residual = list(b)
    scaled = [r / w for r, w in zip(residual, weights, strict=True)]
    direction = scaled
    size = start = dot(residual, scaled)
    for _ in range(rounds):
        if small(size, start):
            break
        image = apply(direction)
        length = size / (dot(direction, image) + tiny)
        x = [a + length * d for a, d in zip(x, direction, strict=True)]
        residual = [r - length * m for r, m in zip(residual, image, strict=True)]
        scaled = [r / w for r, w in zip(residual, weights, strict=True)]
        before, size = size, dot(residual, scaled)
        direction = [z + size / (before + tiny) * d for z, d in zip(scaled, direction, strict=True)]
    return x
