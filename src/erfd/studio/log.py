"""The log of a studio: faults with their tracebacks, under a reference that the page shows."""

from __future__ import annotations

import os
import secrets
import sys
import traceback
from datetime import datetime
from pathlib import Path

NAME = "studio.log"
LARGEST = 5 * 2**20
"""Bytes of a log; then it becomes `studio.log.1` and a new one begins."""


class Log:
    """A log file that is made with its first entry; None: entries go to the terminal."""

    def __init__(self, path: Path | None = None):
        self.path = path

    def fault(self, what: str, details: str = "") -> str:
        """Write down what went wrong; the reference under which it is found again."""
        reference = secrets.token_hex(4)
        stamp = datetime.now().astimezone().isoformat(timespec="seconds")
        self._write(f"{stamp} [{reference}] {what}\n{details.rstrip()}\n")
        return reference

    def exception(self, what: str, error: BaseException) -> str:
        """Write down an error with its traceback; its reference."""
        return self.fault(what, "".join(traceback.format_exception(error)))

    def stderr(self) -> int | None:
        """A file for what a process says on its standard error; None: the terminal."""
        if self.path is None:
            return None
        try:
            self._make_room()
            return os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        except OSError:
            return None  # a folder that is full or gone must not end the work

    def _make_room(self) -> None:
        assert self.path is not None
        if self.path.exists() and self.path.stat().st_size > LARGEST:
            os.replace(self.path, self.path.with_name(f"{NAME}.1"))

    def _write(self, text: str) -> None:
        handle = self.stderr()
        if handle is None:
            print(text, file=sys.stderr, end="")
            return
        with os.fdopen(handle, "a", encoding="utf-8") as file:
            file.write(text)


def fault_sentence(reference: str) -> str:
    """What a page says of a fault of ours."""
    return f"something failed inside; the log of the studio has it as {reference}"
