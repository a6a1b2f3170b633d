"""Line charts as SVG text, without Matplotlib: quick to make, sharp, readable in light and dark."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ...ground.arrays import Array
from .decimate import decimate
from .drawn import without_rounding

COLORS = ("#1f77b4", "#d9731a", "#2ca02c", "#c5373c", "#8a5fb8", "#7a5648", "#c2509f", "#5f6b7a")
WIDTH, HEIGHT = 760, 250
LEFT, RIGHT, TOP, BOTTOM = 62, 130, 30, 38
POINTS = 900
"""Points of a curve: more than a screen shows."""


@dataclass(frozen=True, slots=True, eq=False)
class Chart:
    """A line chart: `values` (N, m) over `x` (N,), with `names`; `limits` (m,) are dashed, at +-.

    `spans` are (from, to) to be shaded. Limits that are in sight stand below the names, since they
    cross the curves of others.
    """

    title: str
    unit: str
    x: Array
    values: Array
    names: Sequence[str]
    limits: Array | None = None
    spans: Sequence[tuple[float, float]] = ()
    x_name: str = "t / s"

    def svg(self) -> str:
        """The chart as an SVG element."""
        (values,) = without_rounding(self.values)
        low, high = self._range(values)
        x0, x1 = float(self.x[0]), float(self.x[-1])
        wide, tall = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

        def across(x: Array | float) -> Array:
            return np.asarray(LEFT + (np.asarray(x) - x0) / ((x1 - x0) or 1.0) * wide)

        def down(y: Array | float) -> Array:
            return np.asarray(TOP + (high - np.asarray(y)) / (high - low) * tall)

        parts = [
            f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" xmlns="http://www.w3.org/2000/svg" '
            'font-family="system-ui, sans-serif" font-size="12" fill="currentColor">',
            f'<title>{html.escape(self.title)}</title>',
            f'<text x="{LEFT}" y="18" font-weight="600">{html.escape(self.title)}'
            f'{" / " + html.escape(self.unit) if self.unit else ""}</text>',
        ]  # fmt: skip
        for start, end in self.spans:
            a, b = float(across(start)), float(across(end))
            parts.append(f'<rect x="{a:.1f}" y="{TOP}" width="{max(b - a, 1):.1f}" '
                         f'height="{tall}" fill="#d33" fill-opacity="0.14"/>')  # fmt: skip
        for value in ticks(low, high):
            y = float(down(value))
            parts.append(f'<path d="M{LEFT} {y:.1f}h{wide}" stroke="currentColor" '
                         f'stroke-opacity="{0.45 if value == 0 else 0.14}"/>')  # fmt: skip
            parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
        for value in ticks(x0, x1, 9):
            x = float(across(value))
            parts.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">'
                         f"{value:g}</text>")  # fmt: skip
        parts.append(f'<text x="{LEFT + wide / 2:.0f}" y="{HEIGHT - 5}" text-anchor="middle">'
                     f"{html.escape(self.x_name)}</text>")  # fmt: skip
        shown = [pair for pair in self._limits() if low <= pair[0] <= high or low <= -pair[0]]
        for k, (limit, owners) in enumerate(shown):
            line = f'stroke="{COLORS[owners[0] % len(COLORS)]}" stroke-dasharray="5 4"'
            for side in (1, -1):
                if low <= side * limit <= high:
                    y = float(down(side * limit))
                    parts.append(f'<path d="M{LEFT} {y:.1f}h{wide}" {line} stroke-opacity="0.7"/>')
            y = TOP + 11 + 17 * len(self.names) + 12 * k
            parts.append(f'<path d="M{WIDTH - RIGHT + 10} {y}h16" {line}/>'
                         f'<text x="{WIDTH - RIGHT + 31}" y="{y + 4}" font-size="10">'
                         f"{html.escape(self._limit_name(owners))}</text>")  # fmt: skip
        times, rows = decimate(self.x, values.T, POINTS)
        xs = _pixels(across(times))
        for k, name in enumerate(self.names):
            color = COLORS[k % len(COLORS)]
            line = " ".join(
                [f"{x},{y}" for x, y in zip(xs, _pixels(down(rows[k])), strict=True) if y]
            )
            parts.append(f'<polyline points="{line}" fill="none" stroke="{color}" '
                         'stroke-width="1.6" stroke-linejoin="round"/>')  # fmt: skip
            y = TOP + 8 + 17 * k
            parts.append(f'<path d="M{WIDTH - RIGHT + 10} {y}h16" stroke="{color}" '
                         f'stroke-width="2.4"/><text x="{WIDTH - RIGHT + 31}" y="{y + 4}">'
                         f"{html.escape(name)}</text>")  # fmt: skip
        return "\n".join([*parts, "</svg>"])

    def _limits(self) -> list[tuple[float, list[int]]]:
        """The limits from the largest on, and the curves that each belongs to."""
        owners: dict[float, list[int]] = {}
        for k, limit in enumerate([] if self.limits is None else self.limits.tolist()):
            if math.isfinite(limit):
                owners.setdefault(limit, []).append(k)
        return sorted(owners.items(), reverse=True)

    def _limit_name(self, owners: list[int]) -> str:
        """A limit in the legend: its curves by the ends of their names, as "limit 4, 5"."""
        if len(owners) == len(self.names):
            return "limit"
        return "limit " + ", ".join(self.names[i].split()[-1] for i in owners)

    def _range(self, values: Array) -> tuple[float, float]:
        finite = values[np.isfinite(values)]
        low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
        low, high = min(low, 0.0), max(high, 0.0)
        if self.limits is not None:  # a limit that is in sight belongs into the picture
            near = self.limits[np.isfinite(self.limits) & (self.limits < 1.5 * max(high, -low))]
            if near.size:
                low, high = min(low, -float(near.max())), max(high, float(near.max()))
        room = 0.06 * (high - low) or 1.0
        return low - room, high + room


def _pixels(places: Array) -> list[str]:
    """Coordinates in the picture as text, to a tenth; what is no number is empty."""
    tenths = np.where(np.isfinite(places), np.rint(10 * places), -1).astype(np.intp)
    return list(map(_tenths().__getitem__, tenths.tolist()))


@lru_cache(maxsize=1)
def _tenths() -> list[str]:
    """0.0, 0.1, .. as text, which is looked up faster than it is written; the last is empty."""
    return [*(f"{k / 10:.1f}" for k in range(10 * max(WIDTH, HEIGHT) + 1)), ""]


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers between two others, `most` at most."""
    span = high - low
    if not (span > 0 and math.isfinite(span)):
        return [low]
    step = 10 ** math.floor(math.log10(span / most))
    step *= next(k for k in (1, 2, 5, 10) if span / (k * step) <= most)
    first = math.ceil(low / step - 1e-9)
    return [round(k * step, 12) + 0.0 for k in range(first, math.floor(high / step + 1e-9) + 1)]
