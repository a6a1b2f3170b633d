"""The verdicts on many programs: a page, and lines for the terminal."""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from ..verification.report_page import STYLE


def verdict_rows(table: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of a table as plain data."""
    names = list(table)
    return [dict(zip(names, row, strict=True)) for row in zip(*table.values(), strict=True)]


def summary(table: dict[str, Any]) -> str:
    """How many pairs are feasible, in a sentence."""
    count, good = len(table["feasible"]), int(table["feasible"].sum())
    errors = int((table["error"] != "").sum())
    bad = f", {errors} could not be verified" if errors else ""
    programs, robots = (len(set(table[name].tolist())) for name in ("program", "robot"))
    pairs = f"{programs} programs on {robots} robots" if robots > 1 else f"{programs} programs"
    return f"{pairs}: {good} of {count} feasible{bad}"


def verdict_page(table: dict[str, Any]) -> str:
    """The verdicts as one HTML page: a square of programs and robots, then every row."""
    programs = list(dict.fromkeys(table["program"].tolist()))
    robots = list(dict.fromkeys(table["robot"].tolist()))
    rows = verdict_rows(table)
    good = bool(table["feasible"].all())
    kind = "good" if good else "bad"
    body = [f"<h1>Programs on robots</h1><p class='verdict {kind}'>{_text(summary(table))}</p>"]
    if len(robots) > 1 and len(rows) == len(programs) * len(robots):
        marks = [["yes" if row["feasible"] else "error!" if row["error"] else "no!"
                  for row in rows[k :: len(programs)]] for k in range(len(programs))]  # fmt: skip
        cells = [[name, *line] for name, line in zip(programs, marks, strict=True)]
        body += ["<h2>Which robot does which program</h2>", _table(["program", *robots], cells)]
    columns = ["program", "robot", "feasible", "s", "torque %", "motor", "load %", "verdict"]
    cells = [
        [
            row["program"], row["robot"], "yes" if row["feasible"] else "no!",
            _number(row["seconds"], 1), _number(row["torque"], 100), str(row["motor"] or "-"),
            _number(row["load"], 100), row["error"] or row["verdict"],
        ]
        for row in rows
    ]  # fmt: skip
    body += ["<h2>Verdicts</h2>", _table(columns, cells)]
    left = sorted({text for row in rows for text in row["not_checked"].split("; ") if text})
    if left:
        body.append(f"<p class='unchecked'>Not checked: {_text('; '.join(left))}.</p>")
    head = f"<meta charset='utf-8'><title>Verdicts</title><style>{STYLE}</style>"
    inside = "\n".join(body)
    return f"<!doctype html><html lang='en'><head>{head}</head><body>{inside}</body></html>\n"


def print_verdicts(table: dict[str, Any], terminal: Any) -> None:
    """Print a line for each pair, and how many are feasible."""
    for row in verdict_rows(table):
        said = f"error: {row['error']}" if row["error"] else row["verdict"]
        terminal.print(f"{row['program']} on {row['robot']}: {said}", markup=False, highlight=False)
    terminal.print(summary(table), style="bold", markup=False, highlight=False)


def _number(value: float, scale: float) -> str:
    return f"{scale * value:.1f}" if np.isfinite(value) else "-"


def _table(columns: list[str], rows: list[list[str]]) -> str:
    head = "".join(f"<th class='text'>{_text(name)}</th>" for name in columns)
    lines = []
    for row in rows:
        marks = ("text bad" if cell.endswith("!") else "text" for cell in row)
        cells = zip(marks, row, strict=True)
        lines.append("<tr>" + "".join(f"<td class='{mark}'>{_text(cell.removesuffix('!'))}</td>"
                                      for mark, cell in cells) + "</tr>")  # fmt: skip
    body = "".join(lines)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"<div class='wide'>{table}</div>"


def _text(value: str) -> str:
    return html.escape(str(value))
