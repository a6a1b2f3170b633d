"""Read files of strangers in a worker, within the limits; what was read goes back as data.

Whatever a file does to its reader (hours, gigabytes, a crash), it does it to this process alone.
"""

from __future__ import annotations

import base64
import pickle
from contextlib import suppress
from pathlib import Path
from typing import Any
from xml.parsers import expat

from ...errors import InputError
from ..limits import BYTES, DEPTH, ELEMENTS, EVENTS, JOINTS, ROWS, THINGS, TRIANGLES, at_most

Tell = Any


def read_robot(request: dict[str, Any], tell: Tell) -> dict[str, Any]:
    """Read the robot in the file `path`."""
    from ...robot.library import load

    del tell
    path = Path(request["path"])
    at_most(f"{path.name}: bytes", path.stat().st_size, BYTES["robot"])
    if path.suffix.lower() not in (".toml", ".json"):
        look_at_xml(path)
    robot = load(path)
    at_most(f"{path.name}: joints", robot.n, JOINTS)
    at_most(f"{path.name}: shapes", sum(len(link.visuals) for link in robot.links), ELEMENTS)
    return {"name": robot.name, "model": packed(robot)}


def read_cell(request: dict[str, Any], tell: Tell) -> dict[str, Any]:
    """Read the cell in the file `path`, with its meshes beside it."""
    from ...cell.model import Mesh
    from ...cell.reader import load_cell

    del tell
    path = Path(request["path"])
    at_most(f"{path.name}: bytes", path.stat().st_size, BYTES["cell"])
    with path.open("rb") as file:  # 20,000 boxes would be read for half a minute
        objects = sum(line.lstrip().startswith(b"[[object]]") for line in file)
    at_most(f"{path.name}: objects", objects, THINGS)
    cell = load_cell(path, enclosed=True)
    at_most(f"{path.name}: objects", len(cell.things), THINGS)
    meshes = [thing.shape for thing in cell.things if isinstance(thing.shape, Mesh)]
    at_most(f"{path.name}: triangles", sum(len(mesh.faces) for mesh in meshes), TRIANGLES)
    return {"name": cell.name, "model": packed(cell)}


def read_program(request: dict[str, Any], tell: Tell) -> dict[str, Any]:
    """Read the text of a program."""
    del tell
    path = Path(request["path"])
    at_most(f"{path.name}: bytes", path.stat().st_size, BYTES["program"])
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise InputError(f"{path.name}: expected UTF-8 text")
    return {"text": text.replace("\r\n", "\n")}


def read_run(request: dict[str, Any], tell: Tell) -> dict[str, Any]:
    """Look at the run in the file `path`: of a graphic file, one in Parquet is made beside it."""
    from ...run.run_file import RunFile

    del tell
    path = Path(request["path"])
    at_most(f"{path.name}: bytes", path.stat().st_size, BYTES["run"])
    if path.suffix.lower() == ".jsonl":
        path = _run_of_graphic(path)
    file = RunFile(path)
    at_most(f"{path.name}: rows", len(file), ROWS)
    at_most(f"{path.name}: events", len(file.events), EVENTS)
    at_most(f"{path.name}: joints", file.robot.n, JOINTS)
    return {"path": str(path)}


def packed(model: Any) -> str:
    """A model as text, for the studio that has started this process."""
    return base64.b64encode(pickle.dumps(model)).decode()


def unpacked(text: str) -> Any:
    """The model in the answer of a worker of ours; never of anybody else's text."""
    return pickle.loads(base64.b64decode(text))


def _run_of_graphic(path: Path) -> Path:
    """Write the run of a graphic file as Parquet, beside it."""
    from ...report.play.graphic_file import read_graphic
    from ...run.parquet import write_parquet

    target = path.with_suffix(".parquet")
    write_parquet(read_graphic(path).run(), target)
    return target


def look_at_xml(path: Path) -> None:
    """Refuse XML that is too deep or has too many elements, before anything is made of it."""
    depth = count = joints = 0

    def start(name: str, attributes: Any) -> None:
        nonlocal depth, count, joints
        del attributes
        depth, count, joints = depth + 1, count + 1, joints + (name == "joint")
        at_most(f"{path.name}: elements inside each other", depth, DEPTH)
        at_most(f"{path.name}: elements", count, ELEMENTS)
        at_most(f"{path.name}: joints", joints, JOINTS)

    def end(name: str) -> None:
        nonlocal depth
        del name
        depth -= 1

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = start, end
    with suppress(expat.ExpatError):  # the reader says better what is wrong
        parser.Parse(path.read_bytes(), True)
