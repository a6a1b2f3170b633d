"""What a person sees of a study: lines for the terminal, the HTML report, data for programs."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Any

import numpy as np

from ..verification.report_page import STYLE
from .names import TURNS
from .pictures import area, bars, boxes, histogram, sensitivities
from .result import Study, percent
from .searches import Largest

MAPS = 3
"""Maps of a report: of the parameters that matter most."""
WORST = 10
"""Variants in the table of the worst ones."""


Failing = tuple[str, float, float]
"""A name, the value up to which the motion holds, and the one at which it fails."""


def study_data(
    found: Study, held: Sequence[Largest] = (), failing: Failing | None = None
) -> dict[str, Any]:
    """A study as plain data, for --json."""
    worst = found.worst_variant if found.errors < len(found) else None
    return {
        "name": found.name, "robot": found.evaluator.subject.robot.name, "variants": len(found),
        "feasible": int(found.rows.feasible.sum()), "probability": found.probability,
        "interval": found.interval, "confidence": found.confidence,
        "errors": found.errors, "sampling": found.sampling.method, "seed": found.sampling.seed,
        "vary": {name: str(d) for name, d in found.distributions.items()},
        "limits": [asdict(row) for row in found.limits],
        "margin": _quantiles(found.rows.margin),
        "worst": None if worst is None else {
            "variant": worst, "values": found.variant(worst),
            "margin": float(found.rows.margin[worst]),
            "limit": found.evaluator.labels[found.rows.limit[worst]],
        },
        "sensitivity": [asdict(row) for row in found.sensitivity],
        "largest": [asdict(row) for row in held],
        "fails_at": failing and {"name": failing[0], "holds": failing[1], "fails": failing[2]},
        "not_checked": list(found.evaluator.unchecked), "notes": list(found.notes),
        "verdict": found.verdict,
    }  # fmt: skip


def _quantiles(values: Any) -> dict[str, float]:
    good = values[np.isfinite(values)]
    if not len(good):
        return {}
    parts = (0.0, 0.001, 0.01, 0.05, 0.5, 0.95, 1.0)
    found = np.quantile(good, parts).tolist()
    return {f"{part:g}": value for part, value in zip(parts, found, strict=True)}


def study_lines(found: Study, held: Sequence[Largest] = ()) -> list[str]:
    """A study in sentences."""
    lines = [found.verdict]
    lines += [f"first limit: {row.limit} in {percent(row.part)} %" for row in found.limits]
    if found.errors:
        first = int(np.flatnonzero(found.rows.error != "")[0])
        lines.append(f"variant {first}: {found.rows.error[first]}")
    if found.errors < len(found):
        worst = found.worst_variant
        values = ", ".join(f"{name} {_typed(name, x):.4g}{_unit(name)}"
                           for name, x in found.variant(worst).items())  # fmt: skip
        lines.append(f"worst variant {worst}: {values}: margin {found.rows.margin[worst]:.3f}")
    lines += [f"sensitivity of the margin to {row}" for row in found.sensitivity]
    lines += [str(row) for row in held]
    unchecked = found.evaluator.unchecked
    lines += [f"not checked: {'; '.join(unchecked)}"] if unchecked else []
    return [*lines, *found.notes]


def print_study(
    found: Study, held: Sequence[Largest], failing: Failing | None, terminal: Any
) -> None:
    """Print a study."""
    lines = study_lines(found, held)
    if failing is not None:
        name, holds, fails = failing[0], *(_typed(failing[0], x) for x in failing[1:])
        lines.append(f"{name} holds up to {holds:.6g} and fails at {fails:.6g}{_unit(name)}")
    for k, line in enumerate(lines):
        terminal.print(line, style="bold" if k == 0 else "", markup=False, highlight=False)


def study_page(
    found: Study, held: Sequence[Largest] = (), figures: Mapping[str, str] | None = None
) -> str:
    """The report of a study as one self-contained HTML page.

    Args:
        found: The study.
        held: Largest values that hold, if they were searched.
        figures: The pictures of `study_figures`, if they are drawn already.
    """
    figures = study_figures(found) if figures is None else figures
    robot = found.evaluator.subject.robot
    title = f"{found.name} on {robot.title or robot.name}: {len(found)} variants"
    good = found.share > 0.5
    body = [
        f"<h1>{html.escape(title)}</h1>",
        f"<p class='verdict {'good' if good else 'bad'}'>{html.escape(found.verdict)}</p>",
    ]
    if found.evaluator.unchecked:
        said = html.escape("; ".join(found.evaluator.unchecked))
        body.append(f"<p class='unchecked'>Not checked: {said}.</p>")
    varied = [f"{name} = {d}" for name, d in found.distributions.items()] or list(found.names)
    body.append(f"<p>Varied: {html.escape('; '.join(varied))} ({found.sampling.method} sampling,"
                f" seed {found.sampling.seed}).</p>")  # fmt: skip
    lines = [x for x in study_lines(found, held)[1:] if not x.startswith("not checked")]
    body.append("<ul>" + "".join(f"<li>{html.escape(x)}</li>" for x in lines)
                + "</ul>")  # fmt: skip
    body += ["<h2>Figures</h2>", "<div class='charts'>", *figures.values(), "</div>"]
    body += ["<h2>The worst variants</h2>", _worst(found)]
    head = f"<meta charset='utf-8'><title>{html.escape(title)}</title><style>{STYLE}</style>"
    inside = "\n".join(part for part in body if part)
    return f"<!doctype html><html lang='en'><head>{head}</head><body>{inside}</body></html>\n"


def study_figures(found: Study) -> dict[str, str]:
    """The pictures of a study as SVG texts by name."""
    motors = {f"motor {i + 1}": found.rows.torque[:, i] for i in range(found.rows.torque.shape[1])}
    loads = {f"{f'motor {motor}' if motor else 'supply'}: {quantity}": found.rows.loads[:, k]
             for k, (motor, quantity, _) in enumerate(found.evaluator.loads)}  # fmt: skip
    limits = found.limits
    moves = found.moves if len(found.evaluator.pieces) > 1 else {}
    figures = {
        "margins": histogram(found.rows.margin, "Margins", "margin (below 0 it fails)"),
        "limits": bars([row.limit for row in limits], [row.part for row in limits],
                       "What fails first", "part of all variants"),
        "sensitivity": sensitivities(found.sensitivity, "Which input matters"),
        "motors": boxes(motors, "Torque peaks of the motors", "part of the limit"),
        "loads": boxes(loads, "Continuous loads", "part of the limit"),
        "moves": boxes(moves, "Torque peaks of the moves", "part of the limit, hardest motor"),
    }  # fmt: skip
    units = {q.name: q.unit for q in found.evaluator.quantities}
    for x, y in _pairs(found):
        figures[f"map-{x}-{y}"] = area(
            found.map(x, y, 7 if found.evaluator.geometry else 41), units
        )
    return {name: svg for name, svg in figures.items() if svg}


def _pairs(found: Study) -> list[tuple[str, str]]:
    """The pairs of names that are drawn as maps: those that matter most."""
    ranked = [row.name for row in found.sensitivity]
    if not ranked:
        spread = np.nanmax(found.draws, axis=0) > np.nanmin(found.draws, axis=0)
        ranked = [name for name, some in zip(found.names, spread, strict=True) if some]
    return list(combinations(ranked[:3], 2))[: 1 if found.evaluator.geometry else MAPS]


def _typed(name: str, value: float) -> float:
    """A value as people type it: angles in degrees."""
    return math.degrees(value) if name.split(".")[-1] in TURNS else value


def _unit(name: str) -> str:
    """The unit of an angle, behind its value; other quantities are in SI units."""
    return " deg" if name.split(".")[-1] in TURNS else ""


def _worst(found: Study) -> str:
    """The table of the variants with the smallest margins."""
    order = np.argsort(np.where(found.rows.error == "", found.rows.margin, np.inf))[:WORST]
    head = [
        "variant",
        *(name + _unit(name) for name in found.names),
        "margin",
        "first limit",
        "at s",
    ]
    rows = []
    for k in order.tolist():
        time = found.rows.time[k]
        values = [f"{_typed(name, x):.5g}" for name, x in found.variant(k).items()]
        limit = found.rows.error[k] or found.evaluator.labels[found.rows.limit[k]] or "none"
        rows.append([str(k), *values, f"{found.rows.margin[k]:.4f}", limit,
                     f"{time:.2f}" if np.isfinite(time) else "-"])  # fmt: skip
    cells = "".join("<tr>" + "".join(f"<td>{html.escape(x)}</td>" for x in row) + "</tr>"
                    for row in rows)  # fmt: skip
    titles = "".join(f"<th>{html.escape(x)}</th>" for x in head)
    return (f"<div class='wide'><table><thead><tr>{titles}</tr></thead><tbody>{cells}</tbody>"
            "</table></div>")  # fmt: skip
