"""The HTML page that plays a motion: the arm in 3D, in one file that needs no other."""

from __future__ import annotations

import html
import json
import re
from importlib import resources
from typing import Any

import numpy as np

from ..curves.decimate import even_rows
from .graphic_file import Graphic

MOST = 6000
"""Moments that a page holds; longer motions are thinned evenly."""
SHARED = ("rows", "canvas", "clock", "triangles")
OWN = ("vectors", "mesh", "motion", "arm", "camera", "renderer", "quantities", "page")
"""The modules of the page, those of `report/web` first; each stands behind what it imports."""
_LINKS = re.compile(r"^import [^;]*;\n|^export ", re.MULTILINE)


def page(graphic: Graphic) -> str:
    """The HTML page of a motion; the same motion gives the same text."""
    report = resources.files("erfd.report")
    folder = report / "play" / "web"
    modules = [report / "web" / f"{name}.js" for name in SHARED]
    modules += [folder / f"{name}.js" for name in OWN]
    code = "\n".join(_LINKS.sub("", module.read_text("utf-8")) for module in modules)
    name = graphic.head["title"] or graphic.head["robot"]
    parts = {"TITLE": html.escape(name), "DATA": _embedded(scene(graphic)), "CODE": code.rstrip()}
    frame = (folder / "page.html").read_text("utf-8")
    return re.sub("@([A-Z]+)@", lambda place: parts[place[1]], frame)


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
