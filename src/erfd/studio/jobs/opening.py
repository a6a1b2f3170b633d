"""Open a robot of the user's in a worker: look what there is, make the arm, attach its drives."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any
from xml.parsers import expat

from ...errors import InputError, RobotError
from ..limits import ELEMENTS, JOINTS, at_most
from ..robots.unpack import gather, robot_files, unpack
from .reading import look_at_xml, packed

Tell = Any
LINKS = {"urdf": "link", "xacro": "link", "xml": "body"}
"""The element that names a link, by the file's ending."""
BYTES = 8 * 2**20
"""Bytes of a robot's file, without its meshes."""


def look_robot(request: dict[str, Any], tell: Tell) -> dict[str, Any]:
    """Unpack the zips in the folder `folder`; the robot files in it, with the links of each."""
    folder = Path(request["folder"])
    for archive in sorted(folder.glob("*.zip")):
        tell(0.1, "stage_reading")
        unpack(archive, folder)
        archive.unlink()
    files = robot_files(folder)
    if not files:
        raise InputError("expected a robot file (.toml, .urdf, .xacro or MJCF .xml), found none")
    return {"files": [{"path": name, **_links(folder / name)} for name in files]}


def _links(path: Path) -> dict[str, list[str]]:
    """The names of the links in a file, in its order, and those that carry none; none of TOML."""
    at_most(f"{path.name}: bytes", path.stat().st_size, BYTES)
    element = LINKS.get(path.suffix.lower()[1:])
    if element is None:
        return {"links": [], "ends": []}
    look_at_xml(path)
    text = path.read_bytes()
    if b"<robot" in text[:4000]:  # URDF by another ending
        element = "link"
    names: list[str] = []
    carrying: set[str] = set()

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag == element and attributes.get("name"):
            names.append(attributes["name"])
        elif tag == "parent":
            carrying.add(attributes.get("link", ""))

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        raise RobotError(f"{path.name}: expected XML: {error}") from None
    ends = [name for name in names if name not in carrying] if carrying else []
    return {"links": names[:ELEMENTS], "ends": ends[:ELEMENTS]}


def make_robot(request: dict[str, Any], tell: Tell) -> dict[str, Any]:
    """Read the arm from `base` to `tip` of a file in `folder`, and save it as the file `target`.

    `drives` is the text of a drive file, if it is not empty.
    """
    from ...robot.drive_file.read import attach_text
    from ...robot.library import load, save

    folder, target = Path(request["folder"]), Path(request["target"])
    path = folder / request["path"]
    if not path.resolve().is_relative_to(folder.resolve()):
        raise InputError(f"expected a file of the robot's folder, found {request['path']!r:.80}")
    tell(0.2, "stage_reading")
    chain: dict[str, Any] = {}
    if path.suffix.lower() != ".toml":
        gather(folder, path)
        chain = {key: request[key] or None for key in ("base", "tip")} | {"within": folder}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        robot = load(path, **chain)
    at_most(f"{path.name}: joints", robot.n, JOINTS)
    if request["drives"]:
        robot = attach_text(robot, request["drives"], "the form")
    save(robot, target)
    notes = [str(w.message) for w in told if issubclass(w.category, UserWarning)]
    return {
        "name": robot.name,
        "model": packed(robot),
        "notes": list(dict.fromkeys(notes))[:20],
        "joints": [_known(robot, i) for i in range(robot.n)],
    }


def _known(robot: Any, i: int) -> dict[str, Any]:
    """What is known of a joint and its drive, for the form: name, kind, and sizes at the joint."""
    joint = robot.joints[i]
    drive = robot.drives[i] if robot.drives else None
    size = abs(drive.ratio) if drive else 1.0
    return {
        "name": joint.name,
        "turns": joint.revolute,
        "torque": _finite(drive.torque_max * size) if drive else None,
        "speed": _finite(min(joint.velocity_max, drive.speed_max / size if drive else math.inf)),
        "inertia": drive.inertia * size**2 if drive else 0.0,
        "friction": bool(drive and (drive.load_friction or drive.coulomb or drive.viscous)),
    }


def _finite(x: float) -> float | None:
    return x if math.isfinite(x) else None
