"""Packages of the extras, which may not be installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import MissingDependencyError


def import_optional(module: str, purpose: str, extra: str) -> Any:
    """Import a module of an extra when it is needed.

    Args:
        module: Its dotted name; the package is what stands before the first dot.
        purpose: What needs it, the beginning of a sentence: "a mesh", "the studio".
        extra: The extra of erfd that installs it: "cad", "studio".

    Raises:
        MissingDependencyError: It is not installed; the sentence says how to install it.
    """
    package = module.split(".")[0]
    try:
        import_module(package)
        return import_module(module)
    except ImportError:
        raise MissingDependencyError(
            f"{purpose} needs the package {package}, which is not installed;"
            f" pip install 'erfd[{extra}]' installs it"
        ) from None
