"""What every export needs: files that are read, and packages that may not be installed."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from ..errors import InputError, MissingDependencyError


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
