"""Parse the XML of a URDF file, after checking every element of it."""

from __future__ import annotations

import copy
import math
from io import BytesIO
from pathlib import Path
from typing import Any

from ...errors import RobotError
from ...ground.optional import import_optional
from .link_tree import MOVING
from .table import Table
from .urdf_actuation import Actuation, actuation

TYPES = ("fixed", *MOVING, "floating", "planar")
REQUIRED = {
    "robot": "name", "link": "name", "joint": "name type <parent> <child>", "axis": "xyz",
    "parent": "link", "child": "link", "mimic": "joint", "inertial": "<mass> <inertia>",
    "mass": "value", "inertia": "ixx iyy izz", "visual": "<geometry>", "mesh": "filename",
    "collision": "<geometry>",
    "box": "size", "cylinder": "radius length", "sphere": "radius", "color": "rgba",
}  # fmt: skip
SCALARS = "value ixx iyy izz ixy ixz iyz radius length damping friction multiplier offset"
LIMITS = ("lower", "upper", "effort", "velocity")
COUNTS = {"xyz": 3, "rpy": 3, "size": 3, "rgba": 4} | dict.fromkeys((*SCALARS.split(), *LIMITS), 1)


def root_of(path: Path, text: bytes | None = None) -> tuple[Any, Actuation]:
    """The root of the file, checked, and what the file says of motors.

    Every number is one, every element has what it needs.
    """
    etree = import_optional("lxml.etree", f"{path.name}: reading URDF", "urdf")
    parser = etree.XMLParser(recover=True, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(path.read_bytes() if text is None else text, parser)
    except FileNotFoundError:
        raise RobotError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise RobotError(f"{path}: expected a file, found a folder") from None
    except OSError as error:
        raise RobotError(f"{path}: cannot be read: {error.strerror}") from None
    except etree.XMLSyntaxError as error:
        raise RobotError(f"{path.name}: expected XML, found: {error.msg}") from None
    for entry in parser.error_log:  # simulators' tags often have prefixes that nobody declared
        if entry.domain != etree.ErrorDomains.NAMESPACE:
            raise RobotError(f"{path.name}: line {entry.line}: expected XML: {entry.message}")
    if root.tag != "robot":
        raise RobotError(f"{path.name}: expected a <robot> element, found <{root.tag}>")
    motors = actuation(path.name, root)
    for child in [x for x in root if x.tag not in ("link", "joint", "material")]:
        root.remove(child)
    for element in [x for x in root.iter() if ":" in x.tag]:  # of another language than URDF
        element.getparent().remove(element)
    etree.strip_elements(root, "calibration", "safety_controller", "verbose", with_tail=False)
    for element in root.iter():
        _check_element(path.name, element)
    return root, motors


def parse(root: Any, file: str) -> Any:
    """Parse what is not a shape into yourdfpy's `Robot`; yourdfpy guesses or fails, so checked."""
    yourdfpy = import_optional("yourdfpy", f"{file}: reading URDF", "urdf")
    etree = import_optional("lxml.etree", f"{file}: reading URDF", "urdf")
    bare = copy.deepcopy(root)
    etree.strip_elements(bare, "visual", "collision", "material", with_tail=False)
    source = BytesIO(etree.tostring(bare))
    return yourdfpy.URDF.load(source, build_scene_graph=False, load_meshes=False).robot


def _check_element(file: str, element: Any) -> None:
    """Raise a RobotError unless every attribute and number that we use is there and valid."""
    entries = dict(element.attrib) | {f"<{child.tag}>": child for child in element}
    table = Table(f"{file}: line {element.sourceline}", f"<{element.tag}>", entries)
    for key in REQUIRED.get(element.tag, "").split():
        table.take(key, ..., "a number" if COUNTS.get(key) == 1 else "a value")
    for key in [key for key in COUNTS if key in entries]:
        expected = "a number" if COUNTS[key] == 1 else f"{COUNTS[key]} numbers"
        try:
            values = [float(word) for word in entries[key].split()]
        except ValueError:
            raise table.error(key, expected, entries[key]) from None
        finite = all(math.isfinite(x) or (key in LIMITS and math.isinf(x)) for x in values)
        if len(values) != COUNTS[key] or not finite:
            raise table.error(key, expected, entries[key])
    if element.tag == "joint":
        table.choice("type", TYPES)
    for key in list(element.attrib):
        if ":" in key:  # yourdfpy fails on these, and nobody needs them here
            del element.attrib[key]
    if element.tag == "mesh" and "scale" in element.attrib:
        _check_scale(table, element.get("scale"))
    if element.tag == "geometry" and not len(element):
        table.take("shape", ..., "an element such as <box>")


def _check_scale(table: Table, text: str) -> None:
    """Raise a RobotError unless the scale of a mesh is one factor or three, none of them 0."""
    try:
        values = [float(word) for word in text.split()]
    except ValueError:
        values = []
    if len(values) not in (1, 3) or not all(math.isfinite(x) and x for x in values):
        raise table.error("scale", "1 or 3 factors other than 0", text)
