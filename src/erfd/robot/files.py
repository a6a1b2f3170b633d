"""Nothing half-written: every file goes beside its place first and is then renamed."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from ..errors import InputError


def write_text(path: Path, text: str) -> None:
    """Put `text` into the file at `path`; a crash leaves the old file or none."""
    path = Path(path)
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
