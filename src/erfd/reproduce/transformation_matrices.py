"""004: its three formulations against each other, and the operation counts of its Table 3."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from ..ground.arrays import Array
from ..kernels.count import operation_count
from ..kernels.published_counts import table_3 as formulas
from ..mechanics.dynamics import inverse_dynamics
from ..mechanics.terms import terms
from ..robot.library import load
from ..robot.synthetic import general_robot
from .item import Check, ItemOutcome, identical, number

APPROACHES = {"lagrange": "Lagrange-Euler", "ne_link": "Newton-Euler", "dalembert": "d'Alembert"}
DEGREES = {"lagrange": 4, "ne_link": 1, "dalembert": 3}
"""The highest power of n in the formulas of Table 3."""


STATES = 10
"""How many random states the formulations are tried at."""


@lru_cache(maxsize=64)
def _count(method: str, n: int) -> tuple[int, int]:
    count = operation_count(general_robot(n), method, "inverse_dynamics")
    return count.multiplications, count.additions


def _formula(method: str, n: int) -> tuple[int, int]:
    found = formulas(method, n)
    assert found is not None
    return found


def table_3() -> ItemOutcome:
    """Table 3: inverse dynamics for n = 4, 6 and by the powers of n."""
    checks: list[Check] = []
    for method, name in APPROACHES.items():
        degree, last = DEGREES[method], {"lagrange": 7}.get(method, 8)
        totals = [sum(_count(method, n)) for n in range(last - degree - 1, last + 1)]
        grown = abs(float(np.diff(totals, degree)[-1]))
        beyond = abs(float(np.diff(totals, degree + 1)[-1]))
        checks += [
            Check(f"{name}: power {degree} of n is in it (difference of that order)", "yes",
                  grown, 1.0, unit="M + A"),
            Check(f"{name}: and no higher one (difference of the next order)", "none",
                  beyond, 0.0, 0.02 * grown, "M + A"),
        ]  # fmt: skip
    for n, (method, name) in product((4, 6), APPROACHES.items()):
        checks += [
            number(f"{name}, n = {n}, {kind}", float(printed), float(found), unit=kind)
            for kind, printed, found in zip("MA", _formula(method, n), _count(method, n),
                                            strict=True)
        ]  # fmt: skip
    why = (
        "the powers of n are reproduced, the coefficients are not: they count products with the"
        " zeros of 4 x 4 matrices and terms that our traces share"
    )
    remark = "The formulas are those of the print; ours are traces of an arm without zeros."
    return ItemOutcome(tuple(checks), why=why, remark=remark, figure=_figure)


def formulations() -> ItemOutcome:
    """Sections 2 to 4, Tables 1 and 2: torques and coefficients of all formulations."""
    robot = load("lola15")
    rng = np.random.default_rng(4)
    q, qd, qdd = rng.uniform(-1.5, 1.5, (3, STATES, robot.n))
    known = [terms(robot, *state, method="lagrange") for state in zip(q, qd, strict=True)]
    D, h, c = (np.array([one[name] for one in known]) for name in ("D_ik", "h_ikm", "c_i"))
    others = [terms(robot, *state, method="dalembert") for state in zip(q, qd, strict=True)]
    D_dalembert = np.array([_symmetric(one["D_rot"] + one["D_tran"]) for one in others])
    parts = np.array([one["h_rot"] + one["h_tran"] for one in others])
    gravity = np.array([one["c"] for one in others])
    velocity = np.einsum("sikm,sk,sm->si", h, qd, qd)
    u = {name: inverse_dynamics(robot, q, qd, qdd, method=name)
         for name in ("ne_base", "ne_link", "dalembert")}  # fmt: skip
    u["lagrange"] = np.einsum("sik,sk->si", D, qdd) + velocity + c  # (2.5)
    size = float(np.abs(u["ne_base"]).max())

    def apart(method: str) -> float:
        return float(np.abs(u[method] - u["ne_base"]).max()) / size

    unit = "of the largest"
    checks = (
        identical("Newton-Euler, link frames (Table 2) and base frame (Table 1)", apart("ne_link"),
                  1e-12, unit),
        identical("Lagrange-Euler (2.5)-(2.15) and Newton-Euler", apart("lagrange"), 1e-12, unit),
        identical("d'Alembert (4.1)-(4.5) and Newton-Euler", apart("dalembert"), 1e-12, unit),
        identical("D_ik (2.11) and (4.2)", np.abs(D - D_dalembert).max() / np.abs(D).max(),
                  1e-12, unit),
        identical("D_ik = D_ki", np.abs(D - D.swapaxes(1, 2)).max() / np.abs(D).max(), 1e-14, unit),
        identical("h_ikm = h_imk", np.abs(h - h.swapaxes(2, 3)).max(), 1e-9, "kg m2"),
        number("largest h_iii", 0.0, np.abs(np.einsum("siii->si", h)).max(), 1e-9, "kg m2"),
        identical("h_i (2.13) and h_tran + h_rot (4.3), (4.4)", np.abs(velocity - parts).max(),
                  1e-9, "N m"),
        identical("c_i (2.15) and (4.5)", np.abs(c - gravity).max(), 1e-9, "N m"),
    )  # fmt: skip
    return ItemOutcome(checks, (13,), remark=f"{STATES} random states of Lola 15.", figure=_figure)


def _symmetric(upper: Array) -> Array:
    """A symmetric matrix from its upper half, where (4.2) defines it."""
    return np.triu(upper) + np.triu(upper, 1).T


def _figure() -> Any:
    """Table 3 as curves over n, with our counts."""
    from ..report.plots.layout import MOTORS, new_figure, style_axes

    figure = new_figure(11.5, 4.8, general_robot(6), "inverse dynamics by three formulations")
    figure.suptitle("004 Table 3: operations of one inverse dynamics", fontsize=12.5, weight="bold")
    sizes = range(2, 8)
    for k, (ax, name) in enumerate(
        zip(figure.subplots(1, 2), ("multiplications", "additions"), strict=True)
    ):
        style_axes(ax)
        for color, (method, label) in zip(MOTORS, APPROACHES.items(), strict=False):
            ax.plot(sizes, [_formula(method, n)[k] for n in sizes], "--", color=color,
                    label=f"{label}, printed")  # fmt: skip
            ax.plot(sizes, [_count(method, n)[k] for n in sizes], "o-", ms=4, color=color,
                    label=f"{label}, ours")  # fmt: skip
        ax.set(xlabel="degrees of freedom", ylabel=name, yscale="log", xticks=list(sizes))
        ax.legend(fontsize=8)
    return figure
