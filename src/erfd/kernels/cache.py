"""The cache of compiled kernels on disk, in the user's cache folder.

A file is the SHA-256 of the rest, a header line (JSON), and the machine code. It is written beside
its place and renamed, readable by its owner only, and trusted only if it is whole, belongs to the
user and nobody else may write it; anything else is ignored and built again.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
import tempfile
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..ground.folders import at_home, cache_folder

MAGIC = b"erfd-kernel-1\n"


def folder() -> Path:
    """The folder of the cache: ERFD_CACHE_DIR, or `erfd` in the user's cache folder."""
    chosen = os.environ.get("ERFD_CACHE_DIR")
    return at_home(Path(chosen)) if chosen else cache_folder()


def read(key: str) -> tuple[dict[str, Any], bytes] | None:
    """Read header and machine code of the kernel with this key, or None."""
    path = folder() / f"{key}.kernel"
    try:
        if not _ours(path.parent) or not _ours(path):
            return None
        content = path.read_bytes()
    except OSError:
        return None
    if not content.startswith(MAGIC):
        return None
    try:
        digest, header, code = content[len(MAGIC) :].split(b"\n", 2)
        if hashlib.sha256(key.encode() + header + code).hexdigest().encode() != digest:
            return None
        data: dict[str, Any] = json.loads(header)
    except ValueError:
        return None
    return data, code


def _ours(path: Path) -> bool:
    """Whether the file or folder is the user's and only the user may write it."""
    if sys.platform == "win32":
        return True
    status = path.stat()
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
        return False  # reading a pipe would wait for ever
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def write(key: str, header: dict[str, Any], code: bytes) -> bool:
    """Write a kernel into the cache; False if the folder cannot be written."""
    line = json.dumps(header).encode()
    digest = hashlib.sha256(key.encode() + line + code).hexdigest().encode()
    place = folder()
    name = None
    try:
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not _ours(place):
            return False
        handle, name = tempfile.mkstemp(dir=place, prefix=f".{key[:16]}.", suffix=".part")
        with os.fdopen(handle, "wb") as file:  # mkstemp: readable and writable by the owner only
            file.write(MAGIC + digest + b"\n" + line + b"\n" + code)
        os.replace(name, place / f"{key}.kernel")
    except OSError:
        if name is not None:
            Path(name).unlink(missing_ok=True)
        return False
    return True


def info() -> dict[str, Any]:
    """The state of the cache: folder, number of kernels, bytes, and an entry for each kernel."""
    place = folder()
    entries: list[dict[str, Any]] = []
    for path in sorted(place.glob("*.kernel")) if place.is_dir() else []:
        stored = read(path.stem)
        try:
            size = path.lstat().st_size
        except OSError:  # somebody has just removed it
            continue
        entry: dict[str, Any] = {"file": path.name, "bytes": size}
        entries.append(entry | (stored[0] if stored else {"broken": True}))
    total = sum(int(entry["bytes"]) for entry in entries)
    return {"folder": str(place), "kernels": len(entries), "bytes": total, "entries": entries}


def clear() -> int:
    """Remove all kernels, and what a killed writer left; returns the number of files removed."""
    place = folder()
    removed = 0
    for pattern in ("*.kernel", ".*.part"):
        for path in place.glob(pattern) if place.is_dir() else []:
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                reason = error.strerror or error
                raise InputError(f"{path}: cannot be removed: {reason}") from None
            removed += 1
    return removed
