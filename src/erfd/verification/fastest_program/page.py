"""The report of the fastest motion along a program's path, as one HTML page."""

from __future__ import annotations

from html import escape
from io import StringIO
from typing import Any

from ...timing.binding import FREE
from .program import FastestProgram

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse } td, th { padding: .2rem .8rem; text-align: right }
td:first-child, th:first-child { text-align: left } tr { border-bottom: 1px solid #ddd }
svg { max-width: 100%; height: auto } .bad { color: #b00020 } ins { background: #dff5df }
pre { background: #f6f6f6; padding: .6rem; overflow-x: auto } ins { text-decoration: none }
"""


def limit_rows(found: FastestProgram) -> list[dict[str, Any]]:
    """The limits that hold the motion back: part of the time, and seconds saved by 10 % more."""
    savings = found.timing.savings
    return [
        {"limit": name, "share": share, "saving": savings.get(name)}
        for name, share in found.timing.shares.items()
        if name != FREE
    ]


def fastest_data(found: FastestProgram) -> dict[str, Any]:
    """The same as plain data, for programs."""
    after = found.after
    return {
        "program": found.before.name,
        "robot": found.before.robot.name,
        "feasible": found.feasible,
        "programmed": {"seconds": found.before.seconds, "feasible": found.before.feasible},
        "fastest": {
            "seconds": found.timing.seconds,
            "limits": limit_rows(found),
            "overloads": [str(row) for row in found.load.failures],
            "contacts": [str(contact) for contact in found.contacts],
        },
        "rewritten": None if after is None else {"seconds": after.seconds, "text": found.text},
        "not_checked": list(found.before.not_checked),
        "sentences": found.sentences,
    }


def fastest_page(found: FastestProgram) -> str:
    """The HTML page."""
    name = escape(found.before.name)
    sentences = "".join(f"<li>{escape(sentence)}</li>" for sentence in found.sentences)
    rows = "".join(
        f"<tr><td>{escape(row['limit'])}</td><td>{100 * row['share']:.1f} %</td><td>"
        + ("" if row["saving"] is None else f"{row['saving']:.3f} s")
        + "</td></tr>"
        for row in limit_rows(found)
    )
    parts = [
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{name}: fastest</title>",
        f"<style>{STYLE}</style><h1>{name} on {escape(found.before.robot.name)}</h1>",
        f"<ul>{sentences}</ul><h2>Where the time goes</h2><table><tr><th>limit</th>",
        f"<th>of the time</th><th>saved if it were 10 % higher</th></tr>{rows}</table>",
        f"<h2>Speed along the path, and its limits</h2>{_plane(found)}",
    ]
    if found.text:
        parts.append(f"<h2>The program, rewritten</h2><pre>{_marked(found)}</pre>")
    return "\n".join(parts) + "\n"


def _plane(found: FastestProgram) -> str:
    """The figure of the plane as SVG."""
    figure = found.timing.plot()
    from matplotlib import rc_context

    text = StringIO()
    with rc_context({"svg.hashsalt": "erfd"}):
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return text.getvalue()[text.getvalue().index("<svg") :]


def _marked(found: FastestProgram) -> str:
    """The rewritten text with its changed lines marked."""
    before, after = found.before.text.split("\n"), found.text.split("\n")
    lines = []
    for old, new in zip(before, after, strict=True):
        lines.append(escape(new) if old == new else f"<ins>{escape(new)}</ins>")
    return "\n".join(lines)


def print_fastest(found: FastestProgram, terminal: Any) -> None:
    """Print what came out: sentences, and the table of limits."""
    from rich.table import Table

    name, robot = found.before.name, found.before.robot.name
    for sentence in found.sentences:
        if " holds it back " not in sentence:
            terminal.print(sentence, highlight=False)
    table = Table(title=f"{name} on {robot}: what holds it back")
    table.add_column("limit")
    table.add_column("of the time", justify="right")
    table.add_column("10 % more would save", justify="right")
    for row in limit_rows(found):
        saved = "" if row["saving"] is None else f"{row['saving']:.3f} s"
        table.add_row(row["limit"], f"{100 * row['share']:.1f} %", saved)
    terminal.print(table)
