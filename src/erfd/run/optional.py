"""Packages of the extra `erfd[runs]`, which may not be installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import MissingDependencyError


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
