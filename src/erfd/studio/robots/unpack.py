"""Put the files of a robot into a folder: zips unpacked within limits, names that stay inside."""

from __future__ import annotations

import re
import shutil
import stat
import zipfile
from pathlib import Path, PurePosixPath

from ...errors import InputError
from ..limits import at_most

SUFFIXES = (
    ".urdf", ".xml", ".xacro", ".toml", ".srdf", ".stl", ".obj", ".mtl", ".dae", ".glb", ".gltf",
    ".bin", ".ply", ".off", ".png", ".jpg", ".jpeg", ".yaml", ".yml",
)  # fmt: skip
"""Files of robots; others in a zip are left where they are."""
ROBOTS = (".urdf", ".xacro", ".toml", ".xml")
"""Files that may be a robot."""
FILES = 1000
"""Files of a robot."""
UNPACKED = 400 * 2**20
"""Bytes of all of them together, unpacked."""
DEEPEST = 20
"""Folders inside each other."""
SLASH = "\u29f8"
"""What a browser writes for / in the names of the files of a folder."""
_REFERENCE = re.compile(r"""\b(?:filename|file)\s*=\s*["']([^"'<>]{1,500})["']""")


def place_of(name: str, folder: Path) -> Path | None:
    """The place of a file inside the folder; None for files that no robot needs.

    Raises:
        InputError: A name that leads out of the folder.
    """
    plain = name.replace("\\", "/").replace(SLASH, "/")
    path = PurePosixPath(plain)
    odd = "\0" in plain or path.is_absolute() or ".." in path.parts or re.match(r"[A-Za-z]:", plain)
    if odd:
        raise InputError(f"expected files inside the folder of the robot, found {name!r:.80}")
    if len(path.parts) > DEEPEST or max(map(len, path.parts), default=0) > 200:
        raise InputError(f"expected shorter names of files, found {name[:60]!r}")
    hidden = any(part.startswith((".", "__MACOSX")) for part in path.parts)
    if hidden or path.suffix.lower() not in SUFFIXES:
        return None
    return folder.joinpath(*path.parts)


def unpack(archive: Path, folder: Path) -> None:
    """Unpack a zip into a folder.

    Raises:
        InputError: No zip, more than the limits say, links, or names that lead out of the folder.
    """
    try:
        with zipfile.ZipFile(archive) as zipped:
            entries = [entry for entry in zipped.infolist() if not entry.is_dir()]
            at_most(f"{archive.name}: files", len(entries), FILES)
            # what a zip says of sizes is what its reader gives at most
            at_most(f"{archive.name}: bytes unpacked", sum(e.file_size for e in entries), UNPACKED)
            for entry in entries:
                if stat.S_ISLNK(entry.external_attr >> 16):
                    found = f"a link, {entry.filename!r:.80}"
                    raise InputError(f"{archive.name}: expected files, found {found}")
                place = place_of(entry.filename, folder)
                if place is not None:
                    place.parent.mkdir(parents=True, exist_ok=True)
                    with zipped.open(entry) as source, place.open("wb") as target:
                        shutil.copyfileobj(source, target)
    except InputError:
        raise
    # a damaged zip ends in whatever its bytes happen to mean to the reader
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, NotImplementedError, EOFError,
            KeyError, IndexError) as error:  # fmt: skip
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"{archive.name}: cannot be unpacked: {reason:.120}") from None
    except Exception as error:  # zlib.error, struct.error
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"{archive.name}: cannot be unpacked: {reason:.120}") from None


def robot_files(folder: Path) -> list[str]:
    """The files in a folder that may be robots, nearest to the top first, as paths in it."""
    found = [p for p in folder.rglob("*") if p.suffix.lower() in ROBOTS and p.is_file()]
    order = {suffix: k for k, suffix in enumerate(ROBOTS)}
    found = [p for p in found if p.suffix.lower() != ".xml" or _is_robot_xml(p)]
    found.sort(key=lambda p: (len(p.parts), order[p.suffix.lower()], p.name))
    return [p.relative_to(folder).as_posix() for p in found[:100]]


def _is_robot_xml(path: Path) -> bool:
    """Whether XML begins as MJCF or URDF does (package.xml does not)."""
    with path.open("rb") as file:
        head = file.read(4000)
    return b"<mujoco" in head or b"<robot" in head


def gather(folder: Path, robot: Path) -> None:
    """Put meshes that came without their folders where the robot's file looks for them.

    Somebody who chooses files and not a folder sends base names alone.
    """
    if robot.suffix.lower() == ".toml":
        return
    text = robot.read_text(encoding="utf-8", errors="replace")
    here = {path.name: path for path in folder.iterdir() if path.is_file()}
    for name in dict.fromkeys(_REFERENCE.findall(text)[:FILES]):
        scheme, _, rest = name.rpartition("://")
        base = folder if scheme else robot.parent
        path = PurePosixPath(rest.replace("\\", "/"))
        source = here.get(path.name)
        if source is None or path.is_absolute() or ".." in path.parts or len(path.parts) > DEEPEST:
            continue
        target = base.joinpath(*path.parts)
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
