"""Warnings that point at the line outside the package from which it was called."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

_PACKAGE = str(Path(__file__).parent.parent)


def warn_caller(message: str) -> None:
    """Warn at the first line outside the package, however deep inside it this is."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)
