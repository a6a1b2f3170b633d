"""Operation counts as tables (Rich) and plain data (JSON): this robot, a general one, published."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.progress import Progress

from ...dynamics import methods
from ...errors import MethodError
from ...kernels import published_counts as published
from ...kernels.count import best_method, operation_count, papers_count
from ...kernels.term_counts import term_counts
from ...robot.model import Robot
from ...robot.synthetic import first_links, general_robot
from .table import print_table

LAGRANGE_LIMIT = 8
"""Lagrange-Euler is traced up to this many joints; beyond, a trace takes minutes."""


def able_methods(robot: Robot, quantity: str, method: str | None) -> list[str]:
    """The methods that can be counted for this robot and quantity."""
    served = "forward_dynamics" if quantity == "cycle" else quantity
    if method == "auto":
        return [best_method(robot, quantity)]
    if method is not None:
        methods.function(method, served)
        return [method]
    left_out = set()
    if not all(joint.revolute for joint in robot.joints):
        left_out.add("dalembert")
    if robot.n > LAGRANGE_LIMIT:
        left_out.add("lagrange")
    return [name for name in methods.methods_for(served) if name not in left_out]


def count_data(
    robot: Robot, quantity: str, method: str | None, wrench: bool, console: Console
) -> dict[str, Any]:
    """All counts as plain data; a progress bar on `console` while tracing."""
    if quantity not in (*methods.FORMULATED_QUANTITIES, "cycle"):
        listed = ", ".join((*methods.FORMULATED_QUANTITIES, "cycle"))
        raise MethodError(f"quantity: expected one of {listed}, found {quantity!r}")
    able = able_methods(robot, quantity, method)
    other = general_robot(robot.n)
    rows = []
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("tracing", total=len(able))
        for name in able:
            count = operation_count(robot, name, quantity, wrench=wrench)
            general = operation_count(other, name, quantity, wrench=wrench)
            printed = published.published(name, quantity, robot.n)
            rows.append(
                {
                    "method": name,
                    "description": methods.METHODS[name],
                    "multiplications": count.multiplications,
                    "additions": count.additions,
                    "general": _pair((general.multiplications, general.additions)),
                    "published": _pair(printed),
                }
            )
            progress.advance(task)
    data: dict[str, Any] = {"robot": robot.name, "n": robot.n, "quantity": quantity}
    data |= {"wrench": wrench, "auto": best_method(robot, quantity, wrench), "methods": rows}
    if quantity == "forward_dynamics" and method in (None, "mrnea"):
        data["mrnea_as_papers_count"] = [_papers_row(robot, n) for n in range(1, robot.n + 1)]
    return data


def _pair(counts: tuple[int, int] | None) -> dict[str, int] | None:
    return None if counts is None else {"multiplications": counts[0], "additions": counts[1]}


def _papers_row(robot: Robot, n: int) -> dict[str, Any]:
    count = papers_count(first_links(robot, n))
    row = {"n": n, "multiplications": count.multiplications, "additions": count.additions}
    return row | {"published": _pair(published.TABLE_1.get(n))}


def print_counts(data: dict[str, Any], console: Console) -> None:
    """Print the counts as tables."""
    robot, n, quantity = data["robot"], data["n"], data["quantity"].replace("_", " ")
    title = f"{robot}: operations for one {quantity}, sines and cosines apart"
    columns = ("method", "", robot, "general robot", "published")
    rows = []
    for row in data["methods"]:
        best = row["method"] == data["auto"]
        name = f"[bold green]{row['method']}[/] (auto)" if best else row["method"]
        cells = (_cell(row), _cell(row["general"]), _cell(row["published"]))
        rows.append((name, row["description"], *cells))
    print_table(console, title, columns, rows, left=(0, 1))
    console.print("M multiplications and divisions, A additions; general: all geometry non-zero")
    if "mrnea_as_papers_count" in data:
        title = f"mRNEA, first n links of {robot}, with r_cm, I_cm, p_e as inputs (001 Table 1)"
        lines = [
            (str(row["n"]), _cell(row), _cell(row["published"]))
            for row in data["mrnea_as_papers_count"]
        ]
        print_table(console, title, ("n", "ours", "published"), lines)
    if data["quantity"] == "forward_dynamics" and n == 6:
        name, products, sums = published.MOHAN_SAHA
        console.print(f"Also published (001 Table 2): {name}, {products} M {sums} A")


def term_data(robot: Robot) -> dict[str, Any]:
    """The operations of mRNEA forward dynamics term by term as plain data (001 Table C1)."""
    counted = term_counts(robot)
    rows = [
        {
            "links": row.links,
            "terms": row.terms,
            "equations": row.equations,
            "multiplications": row.multiplications,
            "additions": row.additions,
            "published": _pair(row.printed),
        }
        for row in counted
    ]
    total = _pair((sum(r.multiplications for r in counted), sum(r.additions for r in counted)))
    printed = [row.printed for row in counted if row.printed is not None]
    whole = (sum(a for a, _ in printed), sum(b for _, b in printed)) if printed else None
    data: dict[str, Any] = {"robot": robot.name, "n": robot.n, "method": "mrnea"}
    return data | {"terms": rows, "total": total, "published": _pair(whole)}


def print_terms(data: dict[str, Any], console: Console) -> None:
    """Print the operations term by term as a table."""
    title = f"{data['robot']}: operations of mRNEA forward dynamics term by term (001 Table C1)"
    rows = [
        (row["links"], row["terms"], row["equations"], _cell(row), _cell(row["published"]))
        for row in data["terms"]
    ]
    rows.append(("", "all", "", _cell(data["total"]), _cell(data["published"])))
    columns = ("links", "terms", "equations", data["robot"], "published")
    print_table(console, title, columns, rows, left=(0, 1, 2))
    console.print(
        "what two terms share is counted where it is needed first; sums of b_ikj and d_ikj"
    )
    console.print(
        "come from the recursion (B.1) instead; the published rows do not add up (erratum 19)"
    )


def _cell(counts: dict[str, Any] | None) -> str:
    return "-" if counts is None else f"{counts['multiplications']} M {counts['additions']} A"
