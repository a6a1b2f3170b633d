"""The HTML page that plays a motion: the arm in 3D, in one file that needs no other."""

from __future__ import annotations

import html
import json
from importlib import resources
from typing import Any

import numpy as np

from ..curves.decimate import even_rows
from .graphic_file import Graphic

MOST = 6000
"""Moments that a page holds; longer motions are thinned evenly."""


def page(graphic: Graphic) -> str:
    """The HTML page of a motion; the same motion gives the same text."""
    folder = resources.files("erfd.report.play")
    frame, code = ((folder / f"page.{end}").read_text("utf-8") for end in ("html", "js"))
    name = graphic.head["title"] or graphic.head["robot"]
    parts = {"TITLE": html.escape(name), "DATA": _embedded(scene(graphic)), "CODE": code}
    for key, text in parts.items():
        frame = frame.replace(f"@{key}@", text)
    return frame


def scene(graphic: Graphic) -> dict[str, Any]:
    """What the page draws: bodies, times, poses and quantities, rounded to what can be seen."""
    rows = even_rows(len(graphic), MOST)
    head = graphic.head
    units = {name: head["units"][name] for name in graphic.data}
    return {
        "robot": head["robot"],
        "joints": head["joints"],
        "mount": head["mount"],
        "bodies": head["bodies"],
        "units": units,
        "t": (graphic.t[rows] - graphic.t[0]).round(6).tolist(),
        "poses": graphic.poses[rows].reshape(len(rows), -1).round(6).tolist(),
        "data": {name: _short(values[rows]) for name, values in graphic.data.items()},
    }


def _short(values: Any) -> Any:
    return [[float(f"{x:.6g}") for x in row] for row in np.asarray(values).tolist()]


def _embedded(data: dict[str, Any]) -> str:
    """JSON that cannot end the script element it stands in."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
