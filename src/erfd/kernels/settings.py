"""The settings of a process: machine code or NumPy, and how many threads."""

from __future__ import annotations

import operator
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import InputError


class Setting:
    """The settings of this process: backend and threads; ERFD_BACKEND is read once, at import."""

    backend = os.environ.get("ERFD_BACKEND") or "compiled"
    threads: int | None = None


_BLOCKS: dict[object, str] = {}
"""The backends of the open `with backend` blocks, after the one from before the first."""
_CHANGING = threading.Lock()

if hasattr(os, "register_at_fork"):  # a process forked while it is held would wait for ever
    os.register_at_fork(
        before=_CHANGING.acquire,
        after_in_parent=_CHANGING.release,
        after_in_child=_CHANGING.release,
    )


def check_backend(name: str, source: str) -> None:
    """Raise an InputError unless the name is `compiled` or `numpy`."""
    if name not in ("compiled", "numpy"):
        raise InputError(f"{source}: expected 'compiled' or 'numpy', found {name!r}")


@contextmanager
def backend(name: str) -> Iterator[None]:
    """Choose the backend of all computations inside a `with` block.

    It holds for the whole process; of several threads' blocks the one entered last counts.

    Args:
        name: `compiled` (machine code, the default) or `numpy` (no compiler needed, slower).

    Raises:
        InputError: Another name.

    >>> import erfd
    >>> with erfd.backend("numpy"):
    ...     h = erfd.mass_matrix(erfd.load("two_link"), [0, 0])
    """
    check_backend(name, "backend")
    block = object()
    with _CHANGING:
        _BLOCKS.setdefault(None, Setting.backend)
        _BLOCKS[block] = Setting.backend = name
    try:
        yield
    finally:
        with _CHANGING:  # another thread may have entered later and leave later
            del _BLOCKS[block]
            Setting.backend = next(reversed(_BLOCKS.values()))
            if len(_BLOCKS) == 1:
                _BLOCKS.clear()


def set_threads(count: int | None) -> None:
    """Set the number of threads that large batches use.

    Args:
        count: A whole number >= 1; None is ERFD_THREADS, or one for each core.

    Raises:
        InputError: Any other count.

    >>> import erfd
    >>> erfd.set_threads(None)
    """
    try:
        number = None if count is None else operator.index(count)
    except TypeError:
        number = 0
    if number is not None and number < 1:
        raise InputError(f"threads: expected a whole number >= 1 or None, found {count!r}")
    Setting.threads = number


def thread_count() -> int:
    """The number of threads in force."""
    if Setting.threads is not None:
        return Setting.threads
    text = os.environ.get("ERFD_THREADS")
    if text:
        if not (text.isascii() and text.isdigit()) or int(text) < 1:
            raise InputError(f"ERFD_THREADS: expected a whole number >= 1, found {text!r}")
        return int(text)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
