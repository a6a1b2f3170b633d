"""The text of an MJCF file and its meshes, as MuJoCo compiles them without opening a file itself.

Includes are put in place and meshes are found here, so that a file of a stranger reaches nothing
outside of its folder; what no arm needs (textures, cloth, sensors) is taken away before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ....errors import RobotError
from ....ground.optional import import_optional
from ...mesh import LARGEST_BYTES
from ..meshes.find import FileFinder

LARGEST = 16 * 2**20
"""The largest MJCF file with its includes, in bytes."""
MOST = 20_000
"""Elements of a file with all that it includes and repeats, at most."""
MESHES = 500_000_000
"""Bytes of all meshes of a file, at most."""
SKIPPED = (
    "texture", "hfield", "skin", "deformable", "sensor", "keyframe", "visual", "statistic", "size",
    "custom", "extension", "composite", "flexcomp", "light", "camera", "plugin", "model", "attach",
)  # fmt: skip
"""Elements that say nothing of an arm."""


@dataclass(slots=True)
class Source:
    """What MuJoCo gets: the elements, and the bytes of meshes by name."""

    root: Any
    assets: dict[str, bytes] = field(default_factory=dict)


def compiled(path: Path, finder: FileFinder) -> Any:
    """The MuJoCo model of a file.

    Raises:
        RobotError: It cannot be read, or MuJoCo refuses it.
    """
    mujoco = import_optional("mujoco", f"{path.name}: reading MJCF", "mjcf")
    source = read_source(path, finder)
    text = ElementTree.tostring(source.root, encoding="unicode")
    try:
        spec = mujoco.MjSpec.from_string(text, assets=source.assets)
        return spec.compile()
    except (ValueError, TypeError, RuntimeError, MemoryError) as error:
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        raise RobotError(f"{path.name}: MuJoCo: {reason}") from None


def read_source(path: Path, finder: FileFinder) -> Source:
    """The elements of a file with all that it includes, without what no arm needs."""
    root = parse(path)
    if root.tag != "mujoco":
        raise RobotError(f"{path.name}: expected a <mujoco> element, found <{root.tag:.40}>")
    _include(path, finder, root, [path])
    source = Source(root)
    _strip(root)
    _limit(path, root)
    _take_meshes(path, finder, source)
    return source


def parse(path: Path) -> Any:
    """The root element of an XML file."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise RobotError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise RobotError(f"{path}: expected a file, found a folder") from None
    except OSError as error:
        raise RobotError(f"{path}: cannot be read: {error.strerror}") from None
    if len(data) > LARGEST:
        raise RobotError(f"{path.name}: expected at most {LARGEST // 2**20} MB, found more")
    if b"<!ENTITY" in data:
        raise RobotError(f"{path.name}: expected XML without entities")
    try:
        return ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise RobotError(f"{path.name}: expected XML: {error}") from None


def _include(path: Path, finder: FileFinder, element: Any, opened: list[Path]) -> None:
    """Put the elements of included files in the places of `<include>`."""
    for index, child in reversed(list(enumerate(element))):
        if child.tag != "include":
            _include(path, finder, child, opened)
            continue
        name = child.get("file", "")
        found = finder.find(name)
        if found is None:
            raise RobotError(f"{path.name}: <include>: expected a file, found {name!r:.80}")
        if len(opened) > 100 or found.resolve() in {p.resolve() for p in opened[:1]}:
            raise RobotError(f"{path.name}: <include>: expected files that end, found a circle")
        opened.append(found)
        inner = parse(found)
        _include(path, finder, inner, opened)
        element.remove(child)
        for k, one in enumerate(inner):
            element.insert(index + k, one)


def _strip(root: Any) -> None:
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in SKIPPED or child.get("type") == "hfield" or child.get("hfield"):
                parent.remove(child)
    for element in root.iter():
        if element.tag in ("material", "geom", "mesh"):
            element.attrib.pop("texture", None)
        if element.tag == "material":
            for layer in list(element):
                element.remove(layer)


def _limit(path: Path, root: Any) -> None:
    """Raise a RobotError if the file unfolds to more elements than are read."""

    def size(element: Any) -> int:
        inner = 1 + sum(size(child) for child in element)
        if element.tag == "replicate":
            try:
                inner *= max(int(element.get("count", "1")), 1)
            except ValueError:
                raise RobotError(f"{path.name}: <replicate>: expected a count") from None
        return inner

    try:
        count = size(root)
    except RecursionError:
        count = MOST + 1
    if count > MOST:
        raise RobotError(f"{path.name}: expected at most {MOST:,} elements, found more")


def _take_meshes(path: Path, finder: FileFinder, source: Source) -> None:
    """Read the meshes; in the text they get names of their own."""
    folder = ""
    for compiler in source.root.iter("compiler"):
        folder = compiler.get("meshdir") or compiler.get("assetdir") or folder
        for key in ("meshdir", "assetdir", "texturedir", "discardvisual", "fusestatic"):
            compiler.attrib.pop(key, None)
    left = MESHES
    for mesh in source.root.iter("mesh"):
        name = mesh.get("file")
        if name is None:
            continue
        found = finder.find(f"{folder}/{name}" if folder else name)
        if found is None:
            raise RobotError(f"{path.name}: mesh: expected a file, found {name!r:.80}")
        with found.open("rb") as file:
            data = file.read(LARGEST_BYTES + 1)
        left -= len(data)
        if len(data) > LARGEST_BYTES or left < 0:
            limit = LARGEST_BYTES if len(data) > LARGEST_BYTES else MESHES
            raise RobotError(f"{path.name}: mesh {name!r:.80}: expected at most {limit >> 20} MB")
        asset = f"{len(source.assets)}{found.suffix.lower()}"
        source.assets[asset] = data
        if mesh.get("name") is None:
            mesh.set("name", Path(name).stem)
        mesh.set("file", asset)
