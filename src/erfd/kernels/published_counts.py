"""Operation counts published in the papers, to compare with ours."""

from __future__ import annotations

TABLE_2: dict[str, tuple[str, int, int]] = {
    "wo1": ("Walker & Orin's method 1 (1982)", 3418, 2502),
    "wo2": ("Walker & Orin's method 2 (1982)", 2308, 1692),
    "wo3": ("Walker & Orin's method 3 (1982)", 1627, 1255),
    "aba": ("Featherstone (1983)", 2190, 1915),
    "denoc": ("Saha, DeNOC (2003)", 2008, 1919),
    "mrnea": ("mRNEA, lower half of H (2020)", 1356, 1038),
}
"""Forward dynamics of six revolute joints (001 Table 2): (who, multiplications, additions)."""

MOHAN_SAHA = ("Mohan & Saha, DeNOC (2007)", 1948, 1667)
"""The row of 001 Table 2 that none of our methods stands for."""

TABLE_1: dict[int, tuple[int, int]] = {3: (241, 188), 4: (484, 376), 5: (854, 662), 6: (1356, 1038)}
"""mRNEA forward dynamics by number of links (001 Table 1): (multiplications, additions)."""


def table_3(method: str, n: int) -> tuple[int, int] | None:
    """Inverse dynamics by the formulas of 004 Table 3, (multiplications, additions), or None."""
    if method == "lagrange":
        return (
            (128 * n**4 + 512 * n**3 + 739 * n**2 + 160 * n) // 3,
            (196 * n**4 + 781 * n**3 + 1118 * n**2 + 245 * n) // 6,
        )
    if method == "ne_link":
        return 132 * n, 111 * n - 4
    if method == "dalembert":
        return (
            round(13 / 6 * n**3 + 105 / 2 * n**2 + 268 / 3 * n + 69),
            round(4 / 3 * n**3 + 44 * n**2 + 146 / 3 * n + 45),
        )
    return None


def hollerbach(n: int) -> tuple[int, int]:
    """Inverse dynamics of n rotary joints, recursive Lagrangian with 3x3 matrices (1980)."""
    return 412 * n - 277, 320 * n - 201


def published(method: str, quantity: str, n: int) -> tuple[int, int] | None:
    """The published (multiplications, additions) of a method and quantity, or None."""
    if quantity == "inverse_dynamics":
        return hollerbach(n) if method == "hollerbach" else table_3(method, n)
    if quantity == "forward_dynamics" and method == "mrnea" and n in TABLE_1:
        return TABLE_1[n]
    if quantity == "forward_dynamics" and n == 6 and method in TABLE_2:
        return TABLE_2[method][1:]
    return None
