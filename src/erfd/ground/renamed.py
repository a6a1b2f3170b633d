"""Names that have changed: the old ones still work, and say what to write now."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any
from warnings import warn


def renamed(module: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """A `__getattr__` for a module whose names have changed.

    Args:
        module: Its dotted name.
        names: The new name of each old one; both belong to the module.
    """

    def get(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        message = f"{module}.{name} is now called {module}.{names[name]}"
        warn(message, DeprecationWarning, stacklevel=2)
        return getattr(sys.modules[module], names[name])

    return get
