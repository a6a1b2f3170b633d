"""Operation counts of 001 (Tables 1, 2, C1, sections 1.4 and 6) beside those of our own code."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..kernels.count import count_instructions, operation_count, papers_count
from ..kernels.published_counts import TABLE_1, TABLE_2
from ..kernels.term_counts import term_counts
from ..kernels.trace import casadi
from ..robot.library import load
from ..robot.model import Robot
from ..robot.synthetic import first_links, general_robot
from .item import Check, ItemOutcome, number

TABLE_C1 = (1735, 1275)
"""M and A of the last line of Table C1."""
INPUTS_C1, WITHOUT_INPUTS = (247, 114), (1480, 1152)
"""What section 6 takes off Table C1 because it is an input, and what it says is left."""
ELIMINATION = (106, 91)
"""The row of Table C1 for the solution of (34) by Gaussian elimination."""
OWN = "counts of our own trace, not of the authors' closed forms, some of which are wrong"
RIVALS = ("wo1", "wo2", "wo3", "aba", "denoc")


def _pair(what: str, printed: tuple[int, int], computed: tuple[int, int]) -> list[Check]:
    return [
        number(f"{what}, {kind}", float(a), float(b), unit=kind)
        for kind, a, b in zip("MA", printed, computed, strict=True)
    ]


@lru_cache(maxsize=64)
def _count(robot: Robot, method: str, quantity: str) -> tuple[int, int]:
    count = operation_count(robot, method, quantity)
    return count.multiplications, count.additions


def table_1() -> ItemOutcome:
    """Table 1: mRNEA forward dynamics for n = 3 to 6."""
    robot = load("lola15")
    checks: list[Check] = []
    for n, printed in TABLE_1.items():
        count = papers_count(first_links(robot, n))
        checks += _pair(f"n = {n}", printed, (count.multiplications, count.additions))
    why = f"{OWN} (errata 7, 28): the recursion (B.1) replaces their sums of b_ikj and d_ikj"
    remark = (
        "Inputs as in print: r_cm, I_cm and p_e; ours has a whole wrench in it. First n links of"
        " Lola 15, which is our reading of 'different numbers of links'."
    )
    return ItemOutcome(tuple(checks), why=why, remark=remark, figure=_figure_1)


def table_2() -> ItemOutcome:
    """Table 2: forward dynamics of six rotary joints by seven methods."""
    robot = general_robot(6)
    checks: list[Check] = []
    for method, (who, *printed) in TABLE_2.items():
        found = _count(robot, method, "forward_dynamics")
        checks += _pair(who, (printed[0], printed[1]), found)
    why = (
        "the print counts each author's own text by hand, ours are traces of one and the same kind"
        " (constants folded, common terms shared) on an arm in which nothing vanishes"
    )
    remark = "Mohan & Saha (2007), 1948 M 1667 A, is the row that no method of ours stands for."
    return ItemOutcome(tuple(checks), why=why, remark=remark, figure=_figure_2)


def table_c1() -> ItemOutcome:
    """Table C1 = V.1: the operations of mRNEA term by term."""
    rows = term_counts(load("lola15"))
    totals = np.array([row.printed for row in rows if row.printed is not None]).sum(axis=0)
    inputs = next(row.printed for row in rows if row.terms.startswith("r_cm"))
    assert inputs is not None
    checks = [
        *_pair("Gaussian elimination of (34)", ELIMINATION, elimination_count(6)),
        *_pair("sum of the printed rows", TABLE_C1, (int(totals[0]), int(totals[1]))),
        *_pair("rows of the inputs", INPUTS_C1, inputs),
        *_pair("what is left without them", WITHOUT_INPUTS,
               (TABLE_C1[0] - INPUTS_C1[0], TABLE_C1[1] - INPUTS_C1[1])),
        *_pair("our count of all terms", TABLE_C1,
               (sum(row.multiplications for row in rows), sum(row.additions for row in rows))),
    ]  # fmt: skip
    why = f"the table does not add up (erratum 19), and ours are {OWN}"
    remark = "Row by row: erfd opcount lola15 --terms."
    return ItemOutcome(tuple(checks), why=why, remark=remark, figure=_figure_c1)


def elimination_count(n: int) -> tuple[int, int]:
    """(M, A) of plain Gaussian elimination of n equations with a full matrix, u - u' included."""
    ca = casadi()
    H, u, rest = ca.SX.sym("H", n, n), ca.SX.sym("u", n), ca.SX.sym("b", n)
    rows = [[H[i, j] for j in range(n)] for i in range(n)]
    right = [u[i] - rest[i] for i in range(n)]
    for k in range(n):
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            for j in range(k + 1, n):
                rows[i][j] = rows[i][j] - factor * rows[k][j]
            right[i] = right[i] - factor * right[k]
    x: list[Any] = [None] * n
    for i in reversed(range(n)):
        total = right[i]
        for j in range(i + 1, n):
            total = total - rows[i][j] * x[j]
        x[i] = total / rows[i][i]
    return count_instructions(ca.Function("gauss", [H, u, rest], [ca.vertcat(*x)]))


def order() -> ItemOutcome:
    """The claim "The presented algorithm is of O(n) complexity" (sections 1.4 and 6)."""
    counts = np.array([sum(TABLE_1[n]) for n in range(3, 7)])
    sizes = range(3, 9)
    ours = {
        (method, quantity): np.diff(
            [sum(_count(general_robot(n), method, quantity)) for n in sizes], 2
        )
        for method, quantity in (("mrnea", "mass_matrix"), ("mrnea", "bias"), ("aba",
                                 "forward_dynamics"), ("ne_link", "inverse_dynamics"))
    }  # fmt: skip

    def check(what: str, second: Any) -> Check:
        return number(what, 0.0, float(np.abs(second).max()), unit="M + A")

    checks = (
        check("Table 1, second difference", np.diff(counts, 2)),
        check("ours, H by mRNEA, n = 3 to 8, second difference", ours["mrnea", "mass_matrix"]),
        check("ours, u' by mRNEA", ours["mrnea", "bias"]),
        check("RNEA (link frames), which is O(n)", ours["ne_link", "inverse_dynamics"]),
    )
    why = (
        "a count that grows linearly has no second difference: n columns for each of n links make"
        " it quadratic, and elimination adds a cubic term (erratum 6)"
    )
    return ItemOutcome(checks, why=why, figure=_figure_1)


def most_efficient() -> ItemOutcome:
    """The claim "the most efficient of all existing methods" (summary, section 6)."""
    checks = []
    for robot in (load("lola15"), general_robot(6)):
        own = sum(_count(robot, "mrnea", "forward_dynamics"))
        for method in RIVALS:
            ahead = sum(_count(robot, method, "forward_dynamics")) - own
            checks.append(
                Check(f"{robot.name}: what {method} needs beyond mRNEA", '"most efficient"',
                      float(ahead), 1.0, unit="M + A")
            )  # fmt: skip
    lola = load("lola15")
    counts = {m: _count(lola, m, "forward_dynamics") for m in ("mrnea", *RIVALS)}
    listed = ", ".join(f"{m} {a} M {b} A" for m, (a, b) in counts.items())
    why = (
        "counted alike, mRNEA is behind Walker & Orin 1 to 3, Featherstone's and DeNOC on Lola 15,"
        " and ahead of Walker & Orin 1 and 2 only on an arm in which nothing vanishes (erratum 29)"
    )
    return ItemOutcome(tuple(checks), why=why, remark=f"Lola 15: {listed}.", figure=_figure_2)


def one_inverse_dynamics() -> ItemOutcome:
    """The claim "ID only once within each cycle, in comparison to n + 2 times" (section 1.4)."""
    n, robot = 6, load("lola15")
    inverse = sum(_count(robot, "ne_link", "inverse_dynamics"))
    textbook = (n + 2) * inverse + sum(elimination_count(n))
    once = sum(_count(robot, "mrnea", "cycle"))
    extra = {
        method: sum(_count(robot, method, "cycle")) - sum(_count(robot, method, "forward_dynamics"))
        for method in ("mrnea", "wo1")
    }
    checks = (
        Check("a cycle by n + 2 inverse dynamics and elimination", '"more"',
              float(textbook), once + 1, unit="M + A"),
        Check("the torques u for a cycle by mRNEA, beyond forward dynamics", "H q'' + u'",
              float(extra["mrnea"]), 2 * n * n, 2 * n * n, "M + A"),
        Check("the torques u for a cycle by Walker & Orin 1", "one more inverse dynamics",
              float(extra["wo1"]), extra["mrnea"] + 1, unit="M + A"),
    )  # fmt: skip
    remark = (
        f"A whole cycle by mRNEA: {once}; n + 2 times RNEA and elimination: {textbook}. A trace of"
        f" Walker & Orin 1 that shares what is common needs"
        f" {sum(_count(robot, 'wo1', 'cycle'))}, ours (`fast`)"
        f" {sum(_count(robot, 'fast', 'cycle'))}."
    )
    return ItemOutcome(checks, remark=remark)


def _figure_1() -> Any:
    """Table 1 beside our counts, and straight lines through the first two of each."""
    from ..report.plots.layout import ACHIEVED, PROGRAMMED, new_figure, style_axes

    robot = load("lola15")
    figure = new_figure(11.5, 4.6, robot, "mRNEA forward dynamics by number of links (Table 1)")
    ours = {n: papers_count(first_links(robot, n)) for n in TABLE_1}
    pairs = [(count.multiplications, count.additions) for count in ours.values()]
    for k, (ax, name) in enumerate(
        zip(figure.subplots(1, 2), ("multiplications", "additions"), strict=True)
    ):
        style_axes(ax)
        n = np.array(list(TABLE_1))
        printed = np.array([row[k] for row in TABLE_1.values()])
        ax.plot(n, printed, "o-", color=PROGRAMMED, label="printed")
        ax.plot(n, [row[k] for row in pairs], "o-", color=ACHIEVED, label="ours")
        line = printed[0] + (printed[1] - printed[0]) * (n - 3)
        ax.plot(n, line, ":", color=PROGRAMMED, label="O(n): a line through the first two")
        ax.set(xlabel="links", ylabel=name, xticks=n)
        ax.set_ylim(bottom=0)
        ax.legend(fontsize=9)
    return figure


def _figure_2() -> Any:
    """Table 2 as bars: printed, our counts of a general arm and of Lola 15."""
    from ..report.plots.layout import ACHIEVED, NARROW, PROGRAMMED, new_figure, style_axes

    robot, general = load("lola15"), general_robot(6)
    figure = new_figure(11.5, 4.8, robot, "forward dynamics of six joints (Table 2)")
    ax = figure.subplots()
    style_axes(ax)
    names = list(TABLE_2)
    sets = (
        ("printed", PROGRAMMED, [sum(TABLE_2[m][1:]) for m in names]),
        ("ours, general arm", ACHIEVED,
         [sum(_count(general, m, "forward_dynamics")) for m in names]),
        ("ours, Lola 15", NARROW, [sum(_count(robot, m, "forward_dynamics")) for m in names]),
    )  # fmt: skip
    for k, (label, color, values) in enumerate(sets):
        bars = ax.bar(np.arange(len(names)) + 0.27 * (k - 1), values, 0.25, color=color,
                      label=label)  # fmt: skip
        ax.bar_label(bars, fontsize=8)
    ax.set_xticks(range(len(names)), [TABLE_2[m][0] for m in names], fontsize=8.5)
    ax.tick_params(axis="x", labelrotation=12)
    ax.set_ylabel("multiplications + additions")
    ax.legend(fontsize=9)
    return figure


def _figure_c1() -> Any:
    """Table C1 as bars, row by row."""
    from ..report.plots.layout import ACHIEVED, PROGRAMMED, new_figure, style_axes

    robot = load("lola15")
    rows = term_counts(robot)
    figure = new_figure(11.5, 8.6, robot, "operations term by term (Table C1)")
    ax = figure.subplots()
    style_axes(ax)
    place = np.arange(len(rows))
    printed = [sum(row.printed or (0, 0)) for row in rows]
    ax.barh(place - 0.2, printed, 0.38, color=PROGRAMMED, label="printed")
    ours = [row.multiplications + row.additions for row in rows]
    ax.barh(place + 0.2, ours, 0.38, color=ACHIEVED, label="ours")
    ax.set_yticks(place, [f"{row.terms}  {row.links}" for row in rows], fontsize=8.5)
    ax.invert_yaxis()
    ax.set_xlabel("multiplications + additions")
    ax.legend(fontsize=9)
    return figure
