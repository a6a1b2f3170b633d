"""Compile machine code in a thread while other work goes on."""

from __future__ import annotations

import os
import threading
from typing import Any
from weakref import WeakSet

from . import cache
from .compiler import compile_object

_AT_WORK: WeakSet[threading.Thread] = WeakSet()


def _finish() -> None:
    """Wait for all compilations: a forked process would have neither the threads nor LLVM."""
    for thread in list(_AT_WORK):
        thread.join()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_finish)


class BackgroundCode:
    """LLVM assembly that a thread compiles and keeps on disk; `code()` waits for it.

    LLVM does not need the interpreter's lock, so that the caller loses no time until then. The
    thread is no daemon: a process that ends must not take LLVM's memory away from it.
    """

    def __init__(self, key: str, header: dict[str, Any], text: str, effort: int = 2):
        self._entry = key, header
        self._code = b""
        self._error: BaseException | None = None
        self._thread = threading.Thread(
            target=self._compile, args=(text, effort), name="erfd-compiler"
        )
        _AT_WORK.add(self._thread)
        self._thread.start()

    def _compile(self, text: str, effort: int) -> None:
        try:
            self._code = compile_object(text, effort)
            cache.write(*self._entry, self._code)
        except BaseException as error:  # it must reach who needs the code
            self._error = error

    def code(self) -> bytes:
        """The object file."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._code


class ReadyCode:
    """Machine code that is compiled already; `code()` returns it at once."""

    def __init__(self, code: bytes):
        self._code = code

    def code(self) -> bytes:
        """The object file."""
        return self._code
