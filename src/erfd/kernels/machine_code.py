"""`MachineCode`: LLVM assembly as code in memory, by way of the disk cache and the compiler."""

from __future__ import annotations

import ctypes
import hashlib
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakSet

from ..robot.model import Robot
from . import cache
from .cache_key import code_version
from .compiler import compile_object, host, load_object

EFFORT = ((6_000, 2), (25_000, 1))
"""LLVM's level by instructions, 0 beyond: its time grows faster than the code (docs/kernels.md)."""


def effort_for(instructions: int) -> int:
    """LLVM's level for a function of so many instructions."""
    return next((effort for most, effort in EFFORT if instructions <= most), 0)


@dataclass(frozen=True, slots=True)
class Assembly:
    """LLVM assembly to be compiled: what the cache says of it, its text, LLVM's level."""

    header: dict[str, Any]
    text: str
    effort: int = 2


def header_of(robot: Robot, quantity: str, method: str) -> dict[str, Any]:
    """What the cache says of the machine code of a robot."""
    return {"robot": robot.name, "n": robot.n, "quantity": quantity, "method": method}


_AT_WORK: WeakSet[threading.Thread] = WeakSet()


def _finish() -> None:
    """Wait for all compilations: a forked process would have neither the threads nor LLVM."""
    for thread in list(_AT_WORK):
        thread.join()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_finish)


class MachineCode:
    """Machine code from the disk, or of the assembly that `make` writes, and kept on disk then.

    `parts` identify it, beside the machine and the sources of the equations and the compiler. In
    the `background`, a thread compiles it, and `engine` waits for that: LLVM does not need the
    interpreter's lock, so that the caller loses no time until then. The thread is no daemon: a
    process that ends must not take LLVM's memory away from it.
    """

    def __init__(self, parts: Any, make: Callable[[], Assembly], *, background: bool = False):
        content = repr((parts, code_version(), host()))
        self._key = hashlib.sha256(content.encode()).hexdigest()
        self._code = b""
        self._error: BaseException | None = None
        self._thread: threading.Thread | None = None
        stored = cache.read(self._key)
        if stored is not None:
            self.header, self._code = stored
            return
        assembly = make()
        self.header = assembly.header
        if background:
            name = "erfd-compiler"
            self._thread = threading.Thread(target=self._compile, args=(assembly,), name=name)
            _AT_WORK.add(self._thread)
            self._thread.start()
        else:
            self._compile(assembly)

    def _compile(self, assembly: Assembly) -> None:
        try:
            self._code = compile_object(assembly.text, assembly.effort)
            cache.write(self._key, self.header, self._code)
        except BaseException as error:  # it must reach who needs the code
            self._error = error

    @cached_property
    def engine(self) -> Any:
        """The loaded code; it has `get_function_address`."""
        if self._thread is not None:
            self._thread.join()
        if self._error is not None:
            raise self._error
        return load_object(self._code)

    def function(self, name: str, result: Any, *arguments: Any) -> Any:
        """A function of the code for Python, by the ctypes of its result and arguments."""
        form = ctypes.CFUNCTYPE(result, *arguments)
        return form(self.engine.get_function_address(name))
