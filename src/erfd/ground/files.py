"""Files read and written in one place: a new one goes beside its place first, then is renamed."""

from __future__ import annotations

import os
import tempfile
from io import BytesIO, TextIOWrapper
from pathlib import Path

from ..errors import InputError

LARGEST = 300_000_000
"""Bytes of a text that is read: a trajectory of six joints over ten hours."""


def write_bytes(path: str | Path, data: bytes) -> None:
    """Put `data` into the file at `path`; whenever this is killed, the old file or none is there.

    The bytes go into `.<name>.<random>.part` beside it, to the disk, and are then renamed. A killed
    writer may leave that hidden file: it can be deleted, and nothing takes it for a run. A file
    that was there keeps its rights.
    """
    path, part = Path(path), None
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            with path.open("wb") as device:  # a pipe, /dev/stdout: not to be replaced by a file
                device.write(data)
            return
        handle, part = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(part, path.stat().st_mode & 0o777 if path.exists() else 0o644)
        os.replace(part, path)
        part = None
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None
    finally:
        if part is not None:
            Path(part).unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Put `text` into the file at `path`, in UTF-8 and with the line ends that it has."""
    write_bytes(path, text.encode())


def read_bytes(path: str | Path) -> bytes:
    """The bytes of the file at `path`."""
    try:
        return Path(path).read_bytes()
    except IsADirectoryError:
        raise InputError(f"{path}: expected a file, found a folder") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None


def read_text(path: str | Path) -> str:
    """The text of the file at `path`: UTF-8, a mark of byte order dropped, with plain line ends."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)  # /dev/zero has no end
        if len(data) > LARGEST:
            raise InputError(f"{path}: expected at most {LARGEST:,} bytes of text, found more")
        return TextIOWrapper(BytesIO(data), "utf-8-sig").read()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except UnicodeDecodeError:
        raise InputError(f"{path.name}: expected UTF-8 text, found other bytes") from None
    except IsADirectoryError:
        raise InputError(f"{path}: expected a file, found a folder") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
