"""Read a `.parts.toml` file; every mistake names file, table, key and value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...errors import RobotError
from ..model import Link
from ..readers import toml
from ..readers.shapes import read_pose
from ..readers.table import Table, describe, nearest, read_toml
from .body import combine
from .database import Database, LinkParts, Part, PlacedPart, Section
from .materials import DEFAULT_COLOR, MATERIALS, Material
from .mesh import read_mesh
from .shapes import Box, Cylinder, Prism, SemiCylinder, Shape, Sphere

SHAPES = ("cylinder", "semi-cylinder", "box", "sphere", "prism", "mesh")


def read(path: Path) -> Database:
    """Read the parts database in a file.

    Args:
        path: A `.parts.toml` file (docs/parts.md); meshes are looked for beside it.

    Returns:
        The database: lengths in m, angles in rad, densities in kg/m3.

    Raises:
        RobotError: A mistake, named by file, table, key and value.
    """
    return _Reader(Path(path)).database()


class _Reader:
    """Reads one file; knows its materials and parts by name, and which parts have been used."""

    def __init__(self, path: Path):
        self.folder = path.parent
        self.top = read_toml(path)
        self.angle = toml.read_unit(self.top)
        self.materials = MATERIALS | {
            name: _material(table, name) for name, table in _named(self.top, "material")
        }
        self.parts = {name: self.part(table, name) for name, table in _named(self.top, "part")}
        self.used: set[str] = set()

    def database(self) -> Database:
        """The whole database; an error if a part is not used."""
        base = self.top.table("base")
        fixed = tuple(self.use(t, k) for k, t in enumerate(base.tables("part"), 1)) if base else ()
        links = tuple(self.link(t, i) for i, t in enumerate(self.top.tables("link"), 1))
        bare = tuple(Link(link.name, 0.0) for link in links)
        skeleton = toml.assemble(self.top, self.angle, bare, base, ())
        for name in self.parts:
            if name not in self.used:
                place = f"{self.top.file}: [part.{name}]"
                raise RobotError(f"{place}: expected a link that uses it, found none")
        return Database(skeleton, links, fixed, self.top.file)

    def link(self, table: Table, number: int) -> LinkParts:
        name = table.text("name", f"link {number}")
        frame = read_pose(table.table("frame"), self.angle)
        uses = tuple(self.use(t, k) for k, t in enumerate(table.tables("part"), 1))
        table.done()
        return LinkParts(name, uses, frame)

    def use(self, table: Table, number: int) -> PlacedPart:
        """A part in a link: one named by `use`, or one defined on the spot."""
        if table.has("use") == table.has("section"):
            which = "both" if table.has("use") else "neither"
            raise _wrong(table, "either use (the name of a [part]) or [[section]]", which)
        if table.has("use"):
            part = self.named_part(table)
            name = table.text("name", part.name)
        else:
            name = table.text("name", f"part {number}")
            part = self.part(table, name, done=False)
        pose = read_pose(table, self.angle, done=False)
        table.done()
        return PlacedPart(name, part, pose)

    def named_part(self, table: Table) -> Part:
        """The part that `use` names."""
        name = table.text("use")
        if name not in self.parts:
            raise _unknown(table, "use", "part", name, list(self.parts))
        self.used.add(name)
        return self.parts[name]

    def part(self, table: Table, name: str, *, done: bool = True) -> Part:
        """A part and its sections."""
        color = table.text("color", "") or None
        sections = tuple(self.section(t, color) for t in table.tables("section"))
        if done:
            table.done()
        if not sections:
            raise _wrong(table, "at least one [[section]]", "none")
        table.build(lambda: combine(section.body for section in sections))
        return Part(name, sections)

    def section(self, table: Table, color: str | None) -> Section:
        kind = table.choice("shape", SHAPES)
        shape = self.mesh(table) if kind == "mesh" else _shape(table, kind)
        density, material = self.density(table, shape)
        material_color = self.materials[material].color if material else DEFAULT_COLOR
        values: dict[str, Any] = {
            "name": table.text("name", ""),
            "material": material,
            "color": table.text("color", color or material_color),
            "visible": table.flag("visible", True),
            "pose": read_pose(table, self.angle, done=False),
        }
        table.done()
        return table.build(lambda: Section(shape, density, **values))

    def mesh(self, table: Table) -> Shape:
        name, scale = table.text("file"), table.number("scale", 1.0)
        return table.build(lambda: read_mesh(self.folder / name, name, scale))

    def density(self, table: Table, shape: Shape) -> tuple[float, str]:
        """Density in kg/m3, below 0 for a hole, and the material's name, if it has one."""
        keys = [key for key in ("material", "density", "mass") if table.has(key)]
        if len(keys) != 1:
            listed = " and ".join(keys) or "none of them"
            raise _wrong(table, "one of material, density and mass", listed)
        hole = table.flag("hole", False)
        sign = -1.0 if hole else 1.0
        if keys == ["material"]:
            name = table.text("material")
            if name not in self.materials:
                raise _unknown(table, "material", "material", name, list(self.materials))
            return sign * self.materials[name].density, name
        value = table.number(keys[0])
        if keys == ["mass"]:
            if value <= 0:
                raise table.error("mass", "a mass > 0 kg (hole = true takes it away)", value)
            return sign * value / shape.unit.mass, ""
        if value == 0:
            raise table.error("density", "a density other than 0 kg/m3", value)
        if hole and value < 0:
            raise table.error("density", "a density > 0 kg/m3 beside hole = true", value)
        return sign * value, ""


def _named(top: Table, key: str) -> list[tuple[str, Table]]:
    """The tables [key.NAME] by name."""
    outer = top.table(key)
    if outer is None:
        return []
    tables = []
    for name, value in outer.data.items():
        if not isinstance(value, dict):
            raise outer.error(name, f"a table [{key}.{name}]", value)
        tables.append((name, Table(top.file, f"[{key}.{name}]", value)))
    return tables


def _material(table: Table, name: str) -> Material:
    standard = MATERIALS.get(name)
    density = table.number("density", expected="a density in kg/m3")
    color = table.text("color", standard.color if standard else DEFAULT_COLOR)
    table.done()
    return table.build(lambda: Material(name, density, color))


def _shape(table: Table, kind: str) -> Shape:
    if kind in ("cylinder", "semi-cylinder"):
        cls = Cylinder if kind == "cylinder" else SemiCylinder
        radius, length = table.number("radius"), table.number("length")
        inner = table.number("inner_radius", 0.0)
        return table.build(lambda: cls(radius, length, inner))
    if kind == "sphere":
        radius, inner = table.number("radius"), table.number("inner_radius", 0.0)
        return table.build(lambda: Sphere(radius, inner))
    if kind == "prism":
        points, length = table.pairs("points"), table.number("length")
        hole = table.pairs("inner_points", ())
        return table.build(lambda: Prism(points, length, hole))
    size = table.vector("size")
    hollow = table.vector("inner_size") if table.has("inner_size") else None
    return table.build(lambda: Box(size, hollow))


def _wrong(table: Table, expected: str, found: str) -> RobotError:
    return RobotError(f"{table.place}: expected {expected}, found {found}")


def _unknown(table: Table, key: str, kind: str, name: str, names: list[str]) -> RobotError:
    """The error for a name that is not defined."""
    near = nearest(name, names)
    hint = f"did you mean {near!r}?" if near else f"known are {', '.join(names) or 'none'}"
    expected = f"expected the name of a {kind}, found {describe(name)}"
    return RobotError(f"{table.place}: {key}: {expected}; {hint}")
