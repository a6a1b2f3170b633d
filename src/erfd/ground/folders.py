"""Folders of the user: for caches, for data that is kept, for what a program remembers."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """Where erfd keeps what it can make again."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", "~/AppData/Local"))
    elif sys.platform == "darwin":
        base = Path("~/Library/Caches")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    return at_home(base) / "erfd"


def data_folder() -> Path:
    """Where erfd keeps what the user keeps."""
    return at_home(Path(os.environ.get("XDG_DATA_HOME") or "~/.local/share")) / "erfd"


def state_folder() -> Path:
    """Where erfd keeps what it remembers of its use: the history of a shell."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", "~/AppData/Local"))
    else:
        base = Path(os.environ.get("XDG_STATE_HOME") or "~/.local/state")
    return at_home(base) / "erfd"


def at_home(path: Path) -> Path:
    """The path with ~ resolved; where nobody knows the user's home, a place that cannot be."""
    try:
        return path.expanduser()
    except RuntimeError:
        return Path(os.devnull) / path
