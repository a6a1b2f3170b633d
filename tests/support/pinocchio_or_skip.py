"""Pinocchio as `pin`; a test that asks for it is skipped where it is missing (Windows)."""

from types import ModuleType

import pytest


class _Pinocchio:
    """Imported when it is first asked for something."""

    def __getattr__(self, name: str) -> object:
        module: ModuleType = pytest.importorskip("pinocchio", exc_type=ImportError)
        return getattr(module, name)


pin = _Pinocchio()
