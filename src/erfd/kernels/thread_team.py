"""The team of threads that share a large batch, without the interpreter's lock.

Handing a job to an executor took 36 to 49 us here, and waking a thread that sleeps 20 to 70, of the
2 ms that a batch of 100,000 states lasts on two cores. So helpers look out for the next batch for a
moment before they sleep, whoever is free takes the next piece, and a helper that wakes too late is
not waited for (`llvm/thread_team_text.py`).
"""

from __future__ import annotations

import ctypes
import os
import threading
from array import array
from typing import Any

from .llvm.thread_team_text import APART, INBOX, thread_team_text

MOST_THREADS = 64
"""Threads at most, the caller included."""
LOOP_DATA = array("q", [0, 0, 0])
"""What every compiled loop is given: how many loops met a result that is not finite, the address of
`erfd_share` (0: not compiled yet, so loops run alone), and that of the team's words."""

_WORDS = array("q", [0] * (INBOX + APART * MOST_THREADS))
_NUMBER, _POINTER = ctypes.c_int, ctypes.c_void_p


class _ThreadTeam:
    """The team of this process: the number of helpers, and the function that they run."""

    helpers = 0
    help: Any = None
    making = threading.Lock()


def use_threads(count: int) -> None:
    """Let large batches use this many threads, the caller's included."""
    helpers = min(count, MOST_THREADS) - 1
    if helpers > _ThreadTeam.helpers:
        with _ThreadTeam.making:
            if _ThreadTeam.help is None:
                _compile()
            for k in range(_ThreadTeam.helpers, helpers):
                _start(k)
            _ThreadTeam.helpers = max(helpers, _ThreadTeam.helpers)
    _WORDS[1] = helpers


def _compile() -> None:
    from .compiler import compile_object, host, llvm, load_object

    for name in ("PyThread_acquire_lock", "PyThread_release_lock"):
        address = ctypes.cast(getattr(ctypes.pythonapi, name), _POINTER).value
        llvm().add_symbol(name, address)
    engine = load_object(compile_object(thread_team_text(host().triple), effort=1))
    form = ctypes.CFUNCTYPE(None, _POINTER, _POINTER)
    _ThreadTeam.help = form(engine.get_function_address("erfd_help"))
    LOOP_DATA[2] = _WORDS.buffer_info()[0]
    LOOP_DATA[1] = engine.get_function_address("erfd_share")


def _start(k: int) -> None:
    """Start helper k: an empty inbox, two locks that are taken, a thread that never ends."""
    place = INBOX + APART * k
    _WORDS[place : place + 3] = array("q", [0, _lock(), _lock()])
    words = _WORDS.buffer_info()[0]
    arguments = (words, words + 8 * place)
    threading.Thread(target=_ThreadTeam.help, args=arguments, name=f"erfd-{k}", daemon=True).start()


def _lock() -> int:
    """Allocate a lock of Python's, take it and return its address; no interpreter lock needed."""
    allocate, acquire = (
        ctypes.pythonapi.PyThread_allocate_lock,
        ctypes.pythonapi.PyThread_acquire_lock,
    )
    allocate.restype, acquire.argtypes = _POINTER, [_POINTER, _NUMBER]
    lock = allocate()
    acquire(lock, 1)
    return int(lock)


def _forget() -> None:
    """Reset the team in a forked process, which has the words, but not the threads."""
    _ThreadTeam.helpers = 0
    for k in (0, 1):
        _WORDS[k] = 0
    _ThreadTeam.making.release()


if hasattr(os, "register_at_fork"):  # not while LLVM compiles: the child would wait for it
    os.register_at_fork(
        before=_ThreadTeam.making.acquire,
        after_in_parent=_ThreadTeam.making.release,
        after_in_child=_forget,
    )
