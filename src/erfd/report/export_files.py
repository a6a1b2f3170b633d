"""What every export needs: whole files or none, and packages that may not be installed."""

from __future__ import annotations

import os
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

from ..errors import InputError, MissingDependencyError


def write_bytes(path: str | Path, data: bytes) -> None:
    """Put `data` into the file at `path`; whenever this is killed, the old file or none is there.

    The bytes go into `.<name>.<random>.part` beside it, to the disk, and are then renamed. A killed
    writer may leave that hidden file: it can be deleted, and nothing takes it for a run.
    """
    path, part = Path(path), None
    try:
        handle, part = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(part, 0o644)
        os.replace(part, path)
        part = None
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        if part is not None:
            Path(part).unlink(missing_ok=True)


def read_bytes(path: str | Path) -> bytes:
    """The bytes of the file at `path`."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None


def optional(module: str, purpose: str) -> Any:
    """The module, or a sentence that says what it is needed for and how to get it."""
    package = module.split(".")[0]
    try:
        import_module(package)
        return import_module(module)
    except ImportError:
        raise MissingDependencyError(
            f"{purpose} needs the package {package}, which is not installed;"
            " pip install 'erfd[runs]' installs it"
        ) from None
