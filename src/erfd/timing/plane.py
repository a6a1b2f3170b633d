"""The plane of s and s': where a path can be run how fast, what forbids more, and the motion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..ground.arrays import Array
from ..ground.drawn_by import shown
from ..ground.optional import import_optional
from .binding import FREE, row_names
from .cells import speed_names
from .passes import PassProblem
from .reserve import Reserve
from .rounds import TimedPiece
from .solve import problem_of
from .span import BIG, NumpyOperations, bounds

SPEEDS = 160
"""Speeds that are looked at in each cell."""
HEADROOM = 1.6
"""The plane shows so many times the largest s' of the motion at most."""
COLORS = (
    "#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#e377c2", "#17becf",
    "#bcbd22", "#7f7f7f", "#393b79", "#ad494a",
)  # fmt: skip


def highest_speeds(piece: TimedPiece, top: float) -> tuple[Array, list[str]]:
    """The largest s' up to `top` in each cell that allows some s'', and what forbids more."""
    cells = piece.cells
    problem = problem_of(cells, Reserve.none(cells), 0.0, 0.0)
    names, speeds = row_names(problem), speed_names(cells.bounds)
    highest, causes = np.zeros(problem.count), []
    v = np.linspace(0, top, SPEEDS)
    for k in range(problem.count):
        works = _works(problem, k, v)
        cap = float(np.sqrt(min(problem.cap[k], problem.cap[k + 1])))
        last = int(works.argmin()) - 1 if not works.all() else SPEEDS - 1
        found = float(v[max(last, 0)])
        if cap <= found or (last == SPEEDS - 1 and cap <= top):
            highest[k] = min(cap, top)
            causes.append(speeds[int(cells.capped[k])])
        elif last == SPEEDS - 1:
            highest[k] = np.nan
            causes.append(FREE)
        else:
            highest[k] = found
            causes.append(_cause(problem, k, float(v[last + 1]), names))
    return highest, causes


def _works(problem: PassProblem, k: int, v: Array) -> Any:
    """Whether some s'' is allowed in cell k at each speed."""
    low, high = problem.span(k, v * v, -BIG, BIG)
    return low <= high


def _cause(problem: PassProblem, k: int, v: float, names: list[str]) -> str:
    """The limit that leaves no s'': the one without which there would be most."""
    speed = np.array([v])
    low, high, _, _ = bounds(NumpyOperations, problem.lines.at(k), problem.limit, speed**2, speed)
    pulls, pushes = int(low[:, 0].argmax()), int(high[:, 0].argmin())
    without = np.delete(high[:, 0], pushes).min() - low[pulls, 0]
    other = high[pushes, 0] - np.delete(low[:, 0], pulls).max()
    return names[pushes] if without >= other else names[pulls]


def plot_plane(pieces: Sequence[TimedPiece], binding: Sequence[str]) -> Any:
    """The motion in the plane, in the colours of its limits, under the curves of the limits.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    matplotlib = import_optional("matplotlib.figure", "a plot", "plots")
    figure = shown(matplotlib.Figure(figsize=(9, 4.5)))
    lines = import_optional("matplotlib.collections", "a plot", "plots").LineCollection
    axes = figure.subplots()
    top = HEADROOM * max(float(piece.profile.speed.max()) for piece in pieces)
    drawn: list[tuple[Array, Array, list[str], float]] = []
    at = 0
    for piece in pieces:
        s, speed = piece.profile.s, piece.profile.speed
        highest, causes = highest_speeds(piece, top)
        middle = (s[:-1] + s[1:]) / 2
        axes.fill_between(
            middle, np.nan_to_num(highest, nan=top), top, color="0.92", lw=0, zorder=0
        )
        drawn.append((middle, highest, causes, 1.4))
        drawn.append((s, speed, list(binding[at : at + len(s) - 1]), 3.0))
        at += len(s)
    found = dict.fromkeys(name for _, _, names, _ in drawn for name in names)
    colors = {name: COLORS[k % len(COLORS)] for k, name in enumerate(sorted(n for n in found if n))}
    for x, y, names, width in drawn:
        ends = np.stack([np.column_stack([x, y])[:-1], np.column_stack([x, y])[1:]], axis=1)
        shades = [colors.get(name, "black") for name in names[: len(ends)]]
        axes.add_collection(lines(ends, colors=shades, linewidths=width))
    for name, color in colors.items():
        axes.plot([], [], color=color, lw=2, label=name)
    axes.set(
        xlabel="s, rad", ylabel="s', rad/s", ylim=(0, top),
        xlim=(pieces[0].profile.s[0], pieces[-1].profile.s[-1]),
    )  # fmt: skip
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize="small", frameon=False)
    figure.tight_layout()
    return figure
