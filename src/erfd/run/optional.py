"""Import packages of the extra `erfd[runs]`, which may not be installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import MissingDependencyError


def import_optional(module: str, purpose: str) -> Any:
    """Import a module; a MissingDependencyError says what needs it and how to install it."""
    package = module.split(".")[0]
    try:
        import_module(package)
        return import_module(module)
    except ImportError:
        raise MissingDependencyError(
            f"{purpose} needs the package {package}, which is not installed;"
            " pip install 'erfd[runs]' installs it"
        ) from None
