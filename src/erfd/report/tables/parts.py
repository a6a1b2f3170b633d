"""A weighed parts database as tables for people (Rich) and as plain data for programs (JSON)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console

from ...robot.model import Robot
from ...robot.parts.build import Item
from ...robot.parts.materials import MATERIALS
from .table import MASS_COLUMNS, mass_cells, number, print_table


def print_items(robot: Robot, items: tuple[Item, ...], console: Console) -> None:
    """Print mass, mass centre and inertia of every link and part, in D-H link frames."""
    moving = [item for item in items if item.kind == "link"]
    mass = sum(item.body.mass for item in moving)
    title = f"{robot.name}: {number(mass)} kg move"
    rest = sum(item.body.mass for item in items if item.kind == "base")
    title += f", {number(rest)} kg stand still" if rest else ""
    columns = ("link", "part", "sections", *MASS_COLUMNS)
    rows = []
    for i, item in enumerate(items, 1):
        name = f"{i} {item.name}" if item.kind == "link" else item.name
        sections = sum(len(part.items) for part in item.items)
        rows.append((name, "all", str(sections), *mass_cells(item.body)))
        rows += [("", p.name, str(len(p.items)), *mass_cells(p.body)) for p in item.items]
    print_table(console, title, columns, rows, left=(0, 1))
    console.print(
        "Mass centres in the D-H frame of the link (of the base: in the base frame),"
        " inertia about them in its axes."
    )


def items_data(robot: Robot, items: Iterable[Item]) -> dict[str, Any]:
    """Links, parts and sections as JSON values; SI units, in D-H link frames (base: its own)."""
    entries = list(items)
    links = [_data(item, ("parts", "sections")) for item in entries if item.kind == "link"]
    base = [_data(item, ("parts", "sections")) for item in entries if item.kind == "base"]
    return {
        "name": robot.name,
        "mass": sum(entry["mass"] for entry in links),
        "links": links,
        "base": base[0] if base else None,
    }


def _data(item: Item, names: tuple[str, ...]) -> dict[str, Any]:
    body = item.body
    data: dict[str, Any] = {"name": item.name}
    if not names:
        data |= {"shape": item.kind, "material": item.material or None}
    data |= {"mass": body.mass, "center": list(body.center)}
    data["inertia"] = [list(row) for row in body.inertia]
    if names:
        data[names[0]] = [_data(part, names[1:]) for part in item.items]
    return data


def print_materials(console: Console) -> None:
    """Print the materials that a file need not define."""
    rows = [(m.name, number(m.density)) for m in MATERIALS.values()]
    print_table(console, "Materials", ("name", "density kg/m3"), rows)


def materials_data() -> dict[str, float]:
    """Densities in kg/m3 by name."""
    return {material.name: material.density for material in MATERIALS.values()}
