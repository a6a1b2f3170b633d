"""The pictures of a study as SVG text: histogram, bars, boxes, maps."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np

from ..ground.arrays import Array
from ..report.curves.svg_chart import ticks
from .result import FeasibilityMap
from .sensitivity import Sensitivity

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 560, 150, 24, 30, 40
ROW = 24
GOOD, BAD, PLAIN, SECOND = "#2a7a2a", "#c5373c", "#1f77b4", "#d9731a"
NARROW = 62
"""The left edge where only numbers stand there."""


def histogram(values: Array, title: str, x_name: str, bins: int = 40) -> str:
    """How often values come, those below zero in red.

    Args:
        values: The values, (V,); what is not finite is left out.
        title: What stands above it.
        x_name: What stands below it.
        bins: Bars.
    """
    finite = values[np.isfinite(values)]
    if not len(finite):
        return ""
    low, high = np.quantile(finite, [0.0005, 0.9995]).tolist()
    low, high = min(low, 0.0) if low < 0.2 else low, max(high, low + 1e-9)
    edges = np.linspace(low, high, bins + 1)
    if low < 0 < high:  # a bar is on one side of zero
        edges = np.sort(np.append(edges[np.abs(edges) > (high - low) / bins / 2], 0.0))
    counts, _ = np.histogram(np.clip(finite, edges[0], edges[-1]), edges)
    plot = _Plot(title, 250, NARROW, (edges[0], edges[-1]), (0.0, 1.05 * float(counts.max())))
    plot.grid(x_name, "variants")
    for count, a, b in zip(counts.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        color = BAD if b <= 0 else GOOD
        plot.rect(a, 0.0, b, float(count), color, f"{a:.3g} to {b:.3g}: {count} variants")
    return plot.svg()


def bars(names: Sequence[str], parts: Sequence[float], title: str, x_name: str) -> str:
    """Parts of a whole, a bar each."""
    if not names:
        return ""
    most = max(*parts, 1e-9) * 1.08
    plot = _Plot(title, TOP + BOTTOM + ROW * len(names), LEFT, (0.0, most), (len(names), 0.0))
    plot.grid(x_name)
    for k, (name, part) in enumerate(zip(names, parts, strict=True)):
        plot.label(k + 0.5, name)
        plot.rect(0.0, k + 0.2, part, k + 0.8, BAD, f"{name}: {100 * part:.3g} %")
    return plot.svg()


def boxes(columns: dict[str, Array], title: str, x_name: str, mark: float = 1.0) -> str:
    """How values are distributed, a row each: 0.1, 25, 50, 75 and 99.9 % quantiles; a mark."""
    finite = {name: x[np.isfinite(x)] for name, x in columns.items()}
    rows = {name: np.quantile(x, [0.001, 0.25, 0.5, 0.75, 0.999])
            for name, x in finite.items() if len(x)}  # fmt: skip
    if not rows:
        return ""
    most = 1.05 * max(max(float(r[-1]) for r in rows.values()), mark)
    plot = _Plot(title, TOP + BOTTOM + ROW * len(rows), LEFT, (0.0, most), (len(rows), 0.0))
    plot.grid(x_name)
    for k, (name, quantiles) in enumerate(rows.items()):
        least, first, middle, third, largest = quantiles.tolist()
        color = BAD if largest > mark else PLAIN
        plot.label(k + 0.5, name)
        plot.line(least, k + 0.5, largest, k + 0.5, color)
        text = f"{name}: median {middle:.3g}, 99.9 % below {largest:.3g}"
        plot.rect(first, k + 0.25, max(third, first + most / 400), k + 0.75, color, text)
        plot.line(middle, k + 0.2, middle, k + 0.8, "currentColor")
    plot.line(mark, 0.0, mark, float(len(rows)), BAD, dashed=True)
    return plot.svg()


def sensitivities(rows: Sequence[Sensitivity], title: str) -> str:
    """First-order and total indices with their errors, two bars an input."""
    if not rows:
        return ""
    most = 1.05 * max(1.0, *(row.total + row.total_error for row in rows))
    plot = _Plot(title, TOP + BOTTOM + 2 * ROW * len(rows), LEFT, (0.0, most), (len(rows), 0.0))
    plot.grid("part of the variance of the margin (orange: alone, blue: with others)")
    for k, row in enumerate(rows):
        plot.label(k + 0.5, row.name)
        pairs = (
            (row.first, row.first_error, SECOND, 0.1),
            (row.total, row.total_error, PLAIN, 0.52),
        )
        for value, error, color, y in pairs:
            plot.rect(0.0, k + y, max(value, 0.0), k + y + 0.36, color, str(row))
            middle = k + y + 0.18
            plot.line(max(value - error, 0.0), middle, max(value + error, 0.0), middle,
                      "currentColor")  # fmt: skip
    return plot.svg()


def area(
    found: FeasibilityMap, units: dict[str, str], title: str | None = None, *,
    clickable: bool = False,
) -> str:  # fmt: skip
    """A map of margins over two parameters: green holds, red fails, the darker the further.

    Args:
        found: The map.
        units: The units of the parameters by name.
        title: What stands above it; left out, what it is of.
        clickable: Whether each cell says its place (`data-cell`: row, column).
    """
    x, y = (_edges(values) for values in (found.x, found.y))
    named = [f"{name} / {units[name]}" if units.get(name) else name
             for name in (found.x_name, found.y_name)]  # fmt: skip
    if title is None:
        title = f"Margin over {found.x_name} and {found.y_name}"
    plot = _Plot(title, 400, NARROW, (x[0], x[-1]), (y[0], y[-1]))
    size = max(float(np.nanmax(np.abs(found.margin), initial=1e-9)), 1e-9)
    for j in range(len(found.y)):
        for i in range(len(found.x)):
            margin = float(found.margin[j, i])
            good = bool(found.feasible[j, i])
            strength = 0.25 + 0.75 * min(abs(margin) / size, 1.0) if np.isfinite(margin) else 1.0
            text = f"{found.x[i]:.4g}, {found.y[j]:.4g}: margin {margin:.3g}"
            plot.rect(
                x[i],
                y[j],
                x[i + 1],
                y[j + 1],
                GOOD if good else BAD,
                text,
                strength,
                f' data-cell="{j},{i}"' if clickable else "",
            )
    plot.grid(*named, lines=False)
    return plot.svg()


def _edges(values: Array) -> list[float]:
    """The edges of cells around values, (N + 1,)."""
    if len(values) == 1:
        half = 0.5 * abs(float(values[0])) or 0.5
        return [float(values[0]) - half, float(values[0]) + half]
    middles = (values[1:] + values[:-1]) / 2
    first, last = 1.5 * values[0] - 0.5 * values[1], 1.5 * values[-1] - 0.5 * values[-2]
    return [float(first), *map(float, middles), float(last)]


class _Plot:
    """An SVG with axes; x and y run over what they are given, whichever end is larger."""

    def __init__(
        self, title: str, height: int, left: int, x: tuple[float, float], y: tuple[float, float]
    ):
        self.left, self.height, self.x, self.y = left, height, x, y
        self.wide, self.tall = WIDTH - left - RIGHT, height - TOP - BOTTOM
        self.parts = [
            f'<svg viewBox="0 0 {WIDTH} {height}" role="img" xmlns="http://www.w3.org/2000/svg" '
            'font-family="system-ui, sans-serif" font-size="12" fill="currentColor">',
            f"<title>{html.escape(title)}</title>",
            f'<text x="{min(left, NARROW)}" y="18" font-weight="600">{html.escape(title)}</text>',
        ]  # fmt: skip

    def across(self, x: float) -> float:
        return self.left + (x - self.x[0]) / ((self.x[1] - self.x[0]) or 1.0) * self.wide

    def down(self, y: float) -> float:
        return TOP + (self.y[1] - y) / ((self.y[1] - self.y[0]) or 1.0) * self.tall

    def grid(self, x_name: str, y_name: str = "", *, lines: bool = True) -> None:
        """Numbers and lines across, and upwards if y has a name."""
        for value in ticks(*self.x, 7):
            x = self.across(value)
            if lines:
                self.parts.append(f'<path d="M{x:.1f} {TOP}v{self.tall}" stroke="currentColor" '
                                  'stroke-opacity="0.14"/>')  # fmt: skip
            self.parts.append(f'<text x="{x:.1f}" y="{self.height - BOTTOM + 16}" '
                              f'text-anchor="middle">{value:g}</text>')  # fmt: skip
        self.parts.append(f'<text x="{self.left + self.wide / 2:.0f}" y="{self.height - 5}" '
                          f'text-anchor="middle">{html.escape(x_name)}</text>')  # fmt: skip
        if not y_name:
            return
        for value in ticks(*self.y, 6):
            y = self.down(value)
            if lines:
                self.parts.append(f'<path d="M{self.left} {y:.1f}h{self.wide}" '
                                  'stroke="currentColor" stroke-opacity="0.14"/>')  # fmt: skip
            self.parts.append(f'<text x="{self.left - 6}" y="{y + 4:.1f}" text-anchor="end">'
                              f"{value:g}</text>")  # fmt: skip
        middle = TOP + self.tall / 2
        self.parts.append(
            f'<text x="14" y="{middle:.0f}" text-anchor="middle" '
            f'transform="rotate(-90 14 {middle:.0f})">{html.escape(y_name)}</text>'
        )

    def label(self, y: float, text: str) -> None:
        """A name left of a row."""
        short = text if len(text) < 23 else text[:21] + "…"
        self.parts.append(f'<text x="{self.left - 8}" y="{self.down(y) + 4:.1f}" '
                          f'text-anchor="end">{html.escape(short)}<title>{html.escape(text)}'
                          "</title></text>")  # fmt: skip

    def rect(
        self, x0: float, y0: float, x1: float, y1: float, color: str, text: str,
        opacity: float = 0.85, more: str = "",
    ) -> None:  # fmt: skip
        """A rectangle with a hint."""
        a, b = sorted((self.across(x0), self.across(x1)))
        c, d = sorted((self.down(y0), self.down(y1)))
        self.parts.append(
            f'<rect x="{a:.2f}" y="{c:.2f}" width="{b - a:.2f}" height="{d - c:.2f}" '
            f'fill="{color}" fill-opacity="{opacity:.2f}" shape-rendering="crispEdges"{more}>'
            f"<title>{html.escape(text)}</title></rect>"
        )

    def line(
        self, x0: float, y0: float, x1: float, y1: float, color: str, *, dashed: bool = False
    ) -> None:
        """A line."""
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.parts.append(f'<path d="M{self.across(x0):.1f} {self.down(y0):.1f}'
                          f'L{self.across(x1):.1f} {self.down(y1):.1f}" stroke="{color}" '
                          f'stroke-width="1.4" fill="none"{dash}/>')  # fmt: skip

    def svg(self) -> str:
        """The whole element."""
        return "\n".join([*self.parts, "</svg>"])
