"""What all tables share: how a table is printed, and numbers in its cells."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...robot.model import Link
from ...robot.parts.body import Body

MASS_COLUMNS = ("mass kg", "mass centre m", "Ixx, Iyy, Izz kg m2", "Ixy, Ixz, Iyz")
"""Titles of the columns of `mass_cells`."""


def number(x: float) -> str:
    """A number in a table cell: short, with a dash for what is not limited or not known."""
    if math.isnan(x) or math.isinf(x):
        return "-"
    return f"{x:.6g}"


def vector(values: Iterable[float]) -> str:
    """Numbers in one table cell."""
    return ", ".join(number(x) for x in values)


def degrees(x: float) -> str:
    """An angle in rad, shown in degrees."""
    return number(round(math.degrees(x), 9))


def mass_cells(body: Link | Body) -> tuple[str, ...]:
    """Mass, mass centre, moments and products of inertia in four table cells."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia
    products = vector((xy, xz, yz)) if xy or xz or yz else "0"
    return number(body.mass), vector(body.center), vector((xx, yy, zz)), products


def print_table(
    console: Console,
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    left: Sequence[int] = (0,),
) -> None:
    """Print a table with a title; cells to the right, those of the columns `left` to the left."""
    table = Table(header_style="bold cyan")
    for i, column in enumerate(columns):
        table.add_column(column, justify="left" if i in left else "right")
    for row in rows:
        table.add_row(*row)
    console.print(Text(title, style="bold"))
    console.print(table)
