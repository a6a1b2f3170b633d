"""The reader of cell files (TOML); docs/cell.md describes the format."""

from __future__ import annotations

from pathlib import Path

from ..errors import RobotError
from ..ground.arguments import instance_of, path_of
from ..robot.readers.shapes import read_pose, read_size
from ..robot.readers.table import Table, read_head, read_toml
from ..robot.visual import SIZES, Visual
from .mesh import load_mesh
from .model import Cell, CellObject, Mesh

FORMAT = 1
SHAPES = (*SIZES, "mesh")


CellLike = Cell | str | Path
"""What public functions take for a cell: a `Cell`, or the path of its file."""


def cell_of(value: CellLike) -> Cell:
    """The cell itself, or the one in a file."""
    if isinstance(value, str | Path):
        return load_cell(value)
    return instance_of("cell", value, Cell)


def load_cell(path: str | Path, *, enclosed: bool = False) -> Cell:
    """The cell in a TOML file; meshes are looked for beside it.

    Args:
        path: The file; its name ends in .toml.
        enclosed: For files of strangers: a mesh must be in the same folder, by its bare name.

    Returns:
        The cell, in m and rad.

    Raises:
        RobotError: The file cannot be read, or a key of it is wrong; the message names it.

    >>> erfd.load_cell("cell.toml")  # doctest: +SKIP
    """
    path = path_of("path", path)
    if path.suffix.lower() != ".toml":
        raise RobotError(f"{path}: expected a cell file whose name ends in .toml")
    top = read_toml(path)
    angle = read_head(top, FORMAT, FORMAT, "deg")
    mount = top.table("mount")
    cell = Cell(
        name=top.text("name", path.stem),
        things=tuple(
            _thing(table, number, angle, path.parent, enclosed)
            for number, table in enumerate(top.tables("object"), 1)
        ),
        mount=None if mount is None else read_pose(mount, angle),
        notes=top.texts("notes"),
    )
    top.done()
    names = [thing.name for thing in cell.things]
    for name in names:
        if names.count(name) > 1:
            raise RobotError(f"{path.name}: [[object]]: name: expected each once, found {name!r}")
    return cell


def _thing(table: Table, number: int, angle: float, folder: Path, enclosed: bool) -> CellObject:
    """The thing in an [[object]] table, `number` from 1; `angle` is the file's unit in rad."""
    name = table.text("name", f"object {number}")
    kind = table.choice("shape", SHAPES)
    color = table.text("color", "#8d99a6")
    touching = table.texts("touching")
    convex = False
    shape: Visual | Mesh
    if kind == "mesh":
        convex = table.flag("convex", False)
        scale = table.number("scale", 1.0)
        if scale <= 0:
            raise table.error("scale", "a factor > 0 (0.001 for a file in mm)", scale)
        file = table.text("file")
        if enclosed and (Path(file).name != file or file.startswith(".")):
            raise table.error("file", "the bare name of a file beside the cell file", file)
        source = folder / file
        if enclosed and source.is_symlink():
            raise table.error("file", "a file, no link to one", file)
        shape = table.build(lambda: load_mesh(source, scale))
        Visual("sphere", (1.0,), color=color)  # the same rule for colours
    else:
        size = read_size(table, kind)
        shape = table.build(lambda: Visual(kind, size, color=color))  # type: ignore[arg-type]
    pose = read_pose(table, angle, done=False)
    table.done()
    return CellObject(name, shape, pose, color, convex, touching)
