"""Verdicts of the items of `erfd reproduce`, and numbers as they stand in the documents.

Typed from the documents, not from src/: a number that is called reproduced has to meet these.
"""

from __future__ import annotations

# 001, Table A1: offset of the variable (deg), a (mm), d (mm), alpha (deg)
TABLE_A1 = """
0 200 0 90
90 600 0 0
0 115 0 90
0 0 825 -90
0 0 0 90
0 0 0 0
"""
# 001, Appendix B: mass (kg); mass centre (m); Ix, Iy, Iz (kg m2), "-" where not printed
LINKS = """
252   -0.086 -0.1875 -0.00012      -     19     -
86.2  -0.4454 0.0283 0.0033        1.157 21.185 21.75
81    0.00225 0.00017 -0.7223      45    45.1   0.478
45    0 0.212 0.00082              2.691 0.23   2.7
4.5   0 0.027 0.007                0.014 0.008  0.011
11    0 0 0.195                    0.273 0.272  0.004
"""
# 001, Appendices D, E, section 8: mu_s, f_v, I_a, M_max, 1/min, rad/s, rad/s2
DRIVES = """
0.22 0.00025 0.0042 17.8 3150 3.05 3.75
0.22 0.00025 0.009  38.6 2800 3.46 2.1
0.22 0.00025 0.0042 17.8 3150 3.08 3.75
0.22 0.002   0.0008 3.47 3400 2.66 3.75
0.35 0.003   0.001  3.47 3400 1.62 1.5
0.21 0.002   0.0007 3.47 3400 6.67 6.0
"""


def _rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.strip().splitlines()]


def _table_a1() -> dict[str, float]:
    names = ("offset", "a", "d", "alpha")
    return {
        f"{name} of link {i}": float(cell)
        for i, row in enumerate(_rows(TABLE_A1), 1)
        for name, cell in zip(names, row, strict=True)
    }


def _data() -> dict[str, float]:
    found = {"p_ex": 0.12, "p_ey": 0.12, "p_ez": 0.35}
    names = ("m_{}", "r_x{}", "r_y{}", "r_z{}", "I_x{}", "I_y{}", "I_z{}")
    drives = ("mu_s{}", "f_v{}", "I_a{}", "M_max{}", "revolutions of motor {}",
              "velocity of axis {}", "acceleration of axis {}")  # fmt: skip
    for text, titles in ((LINKS, names), (DRIVES, drives)):
        for i, row in enumerate(_rows(text), 1):
            for title, cell in zip(titles, row, strict=True):
                if cell != "-":
                    found[title.format(i)] = float(cell)
    return found


PRINTED: dict[str, dict[str, float]] = {
    "001-table-a1": _table_a1(),
    "001-data": _data(),
    "001-coupling": {
        "k_1": 120, "k_2": 119, "k_3": 119, "k_3/k_2": 119 / 119, "k_4": 24 / 14 * 78,
        "k_5": 24 / 14 * 1.6 * 120 * 10 / 15, "k_54": 24 / 14, "k_6": 1.6 * 50 * 10 / 15 * 1,
        "k_64": -1, "k_65": 1.6 * 50 * 10 / 15 * 1, "all other entries of K": 0,
    },
    "001-fig-a1": {"rotary axes": 6},
    "001-fig-a2": {"axes": 4},
    "001-fig-a4": {
        "moves": 13, "first moves without a stop": 10, "moves on a path, after the first": 9,
        "moves from point to point at the end": 3, "cycle": 0.01,
    },
    "003-eq-1-15": {"gravity, the default of sim": -9.80621, "joints": 6},
    "003-time-step": {
        "smallest mechanical time constant over the step": 15, "order of the integrator": 3,
        "step, the default of simulate": 0.001,
    },
    "003-fig-1": {"links, with the base": 7},
    "004-formulations": {"largest h_iii": 0},
    # not reproduced; the numbers are compared all the same
    "001-table-1": {
        "n = 3, M": 241, "n = 3, A": 188, "n = 4, M": 484, "n = 4, A": 376, "n = 5, M": 854,
        "n = 5, A": 662, "n = 6, M": 1356, "n = 6, A": 1038,
    },
    "001-table-2": {
        "Walker & Orin's method 1 (1982), M": 3418, "Walker & Orin's method 1 (1982), A": 2502,
        "Walker & Orin's method 2 (1982), M": 2308, "Walker & Orin's method 2 (1982), A": 1692,
        "Walker & Orin's method 3 (1982), M": 1627, "Walker & Orin's method 3 (1982), A": 1255,
        "Featherstone (1983), M": 2190, "Featherstone (1983), A": 1915,
        "Saha, DeNOC (2003), M": 2008, "Saha, DeNOC (2003), A": 1919,
        "mRNEA, lower half of H (2020), M": 1356, "mRNEA, lower half of H (2020), A": 1038,
    },
    "001-table-c1": {
        "Gaussian elimination of (34), M": 106, "Gaussian elimination of (34), A": 91,
        "sum of the printed rows, M": 1735, "sum of the printed rows, A": 1275,
        "rows of the inputs, M": 247, "rows of the inputs, A": 114,
        "what is left without them, M": 1480, "what is left without them, A": 1152,
        "our count of all terms, M": 1735, "our count of all terms, A": 1275,
    },
    "001-order-n": {
        "Table 1, second difference": 0,
        "ours, H by mRNEA, n = 3 to 8, second difference": 0,
        "ours, u' by mRNEA": 0, "RNEA (link frames), which is O(n)": 0,
    },
    "004-table-3": {  # 128/3 n^4 + 512/3 n^3 + 739/3 n^2 + 160/3 n and so on, at n = 4 and 6
        "Lagrange-Euler, n = 4, M": 26000, "Lagrange-Euler, n = 4, A": 19838,
        "Newton-Euler, n = 4, M": 132 * 4, "Newton-Euler, n = 4, A": 111 * 4 - 4,
        "d'Alembert, n = 4, M": 1405, "d'Alembert, n = 4, A": 1029,
        "Lagrange-Euler, n = 6, M": 101348, "Lagrange-Euler, n = 6, A": 77405,
        "Newton-Euler, n = 6, M": 132 * 6, "Newton-Euler, n = 6, A": 111 * 6 - 4,
        "d'Alembert, n = 6, M": 2963, "d'Alembert, n = 6, A": 2209,
    },
}  # fmt: skip
VERDICTS = {
    "001-eq-1-36": "reproduced after errata 1, 2, 3, 4, 5",
    "001-eq-37-76": "reproduced after errata 2, 5",
    "001-eq-77-89": "reproduced after errata 1, 5",
    "001-eq-32": "reproduced after errata 1, 2, 20, 25, 26",
    "001-algorithm-1": "reproduced after errata 8, 9, 10, 14, 20, 25, 26",
    "001-table-1": "not reproduced",
    "001-table-2": "not reproduced",
    "001-table-a1": "reproduced after erratum 15",
    "001-table-c1": "not reproduced",
    "001-data": "reproduced after erratum 17",
    "001-coupling": "reproduced",
    "001-fig-1": "reproduced after erratum 14",
    "001-fig-2": "reproduced after errata 8, 20, 25, 26",
    "001-fig-a1": "reproduced after erratum 15",
    "001-fig-a2": "reproduced",
    "001-fig-a3": "reproduced after errata 1, 4, 5",
    "001-fig-a4": "reproduced after errata 20, 25, 26",
    "001-fig-a5": "reproduced after errata 1, 2, 4, 5, 20, 25, 26",
    "001-fig-a6": "reproduced after errata 8, 9, 10, 14, 20, 25, 26",
    "001-fig-a7": "reproduced after errata 8, 9, 10, 14, 20, 25, 26",
    "001-order-n": "not reproduced",
    "001-most-efficient": "not reproduced",
    "001-one-inverse-dynamics": "reproduced",
    "001-path-differs": "not reproduced",
    "003-eq-1-15": "reproduced after errata 2, 12",
    "003-eq-16-26": "reproduced after erratum 12",
    "003-methods": "reproduced after erratum 12",
    "003-time-step": "reproduced after erratum 12",
    "003-fig-1": "reproduced",
    "003-fig-2": "reproduced",
    "004-table-3": "not reproduced",
    "004-formulations": "reproduced after erratum 13",
}
"""What every item of `erfd reproduce` comes to."""
