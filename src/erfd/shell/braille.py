"""Plot curves in a terminal with Braille characters, each of which has 2 x 4 dots."""

from __future__ import annotations

import os
import sys

import numpy as np
from numpy.typing import NDArray
from rich.text import Text

from ..ground.arrays import Array
from .variables import number_text

Places = NDArray[np.int64]
DOTS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
"""The bit of every dot of a character, rows from the top."""
COLORS = ("bright_blue", "dark_orange", "green", "magenta", "red", "yellow", "cyan", "white")
MARGIN = 12
"""Characters left of the plot, for its labels."""


def can_plot() -> bool:
    """Whether the output is a terminal that can show Braille characters."""
    coding = (getattr(sys.stdout, "encoding", "") or "").lower().replace("-", "")
    return sys.stdout.isatty() and coding == "utf8" and os.environ.get("TERM") != "dumb"


def chart(
    title: str, t: Array, values: Array, labels: list[str], *, width: int = 72, height: int = 8
) -> list[Text]:
    """Plot curves values (N, k) over t (N,), s, as lines of text with title, axis and labels."""
    columns = max(width - MARGIN - 2, 10)
    low, high = float(values.min()), float(values.max())
    if high - low < 1e-9 * max(1.0, abs(high)):  # a flat curve goes through the middle
        low, high = low - 1.0, high + 1.0
    bits = np.zeros((height, columns), dtype=int)
    owner = np.zeros((height, columns), dtype=int)
    for k in range(values.shape[1]):
        rows, places = _dots(t, (values[:, k] - low) / (high - low), columns, height)
        np.bitwise_or.at(bits, (rows // 4, places // 2), DOTS[rows % 4, places % 2])
        owner[rows // 4, places // 2] = k
    lines = [Text(title, style="bold")]
    for r in range(height):
        label = number_text(high) if r == 0 else number_text(low) if r == height - 1 else ""
        text = Text(f"{label:>{MARGIN - 1}} \u2502")
        for bit, k in zip(bits[r].tolist(), owner[r].tolist(), strict=True):
            text.append(chr(0x2800 + bit), style=COLORS[k % len(COLORS)] if bit else "")
        lines.append(text)
    begin, end = number_text(float(t[0])), f"{number_text(float(t[-1]))} s"
    lines.append(Text(" " * MARGIN + "\u2514" + "\u2500" * columns))
    lines.append(Text(" " * (MARGIN + 1) + begin + end.rjust(columns - len(begin))))
    legend = Text(" " * (MARGIN + 1))
    for k, label in enumerate(labels):
        legend.append(f"\u2500 {label}  ", style=COLORS[k % len(COLORS)])
    return [*lines, legend]


def _dots(t: Array, part: Array, columns: int, height: int) -> tuple[Places, Places]:
    """Rows and columns of the dots of a curve, `part` from 0 (bottom) to 1 (top).

    A column of dots is filled from the lowest to the highest value in it, so no peak is lost.
    """
    size, tall = 2 * columns, 4 * height
    span = float(t[-1] - t[0]) or 1.0
    at = np.linspace(t[0], t[-1], 2 * size + 1)
    column = np.minimum(((np.concatenate([t, at]) - t[0]) / span * size).astype(int), size - 1)
    level = np.concatenate([part, np.interp(at, t, part)])
    row = np.clip(np.rint((1 - level) * (tall - 1)), 0, tall - 1).astype(int)
    top, bottom = np.full(size, tall), np.full(size, -1)
    np.minimum.at(top, column, row)
    np.maximum.at(bottom, column, row)
    dots = [(r, c) for c in range(size) for r in range(int(top[c]), int(bottom[c]) + 1)]
    rows, places = np.array(dots, dtype=np.int64).T
    return rows, places
