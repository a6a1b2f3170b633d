"""Scheduling priority of the control loop, as high as the system allows.

Real-time scheduling needs a right (root, or the limit `rtprio`). What everybody may ask of Linux
6.12 and later is short turns: a thread that computes for less at a time than the others is let in
at once when it wakes, and its share of the processor stays the same.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

TURN = 300_000
"""ns: well below what others have (1.4 ms and more), and most of what a cycle takes."""
_CALLS = {"x86_64": (314, 315), "aarch64": (274, 275)}
"""Numbers of the system calls sched_setattr and sched_getattr, which Python lacks."""
_ATTRIBUTES = struct.Struct("<IIQiIQQQ")
"""Size, policy, flags, nice, priority, runtime, deadline, period."""


@contextmanager
def raised_priority() -> Iterator[str]:
    """Raise the priority of this process: yields "real-time", "short turns" or "normal".

    All threads, since one that holds the interpreter's lock must not be kept from going on.
    Processes that were started before, such as the one that serves the viewers, keep what they
    have.
    """
    if sys.platform != "linux":
        yield "normal"
        return
    before: dict[int, tuple[int, os.sched_param]] = {}
    turns: dict[int, bytes] = {}
    try:
        for thread in _threads():
            scheduling = os.sched_getscheduler(thread), os.sched_getparam(thread)
            os.sched_setscheduler(thread, os.SCHED_RR, os.sched_param(1))
            before[thread] = scheduling
        kind = "real-time"
    except OSError:
        _restore(before)
        turns = _short_turns()
        kind = "short turns" if turns else "normal"
    try:
        yield kind
    finally:
        _restore(before)
        for thread, attributes in turns.items():
            _set(thread, attributes)


def lowered_priority() -> None:
    """Lower the priority of this process: it never interrupts others, and has a small share."""
    if hasattr(os, "nice"):
        os.nice(10)
    if sys.platform == "linux":
        with suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def _threads() -> list[int]:
    return [int(task.name) for task in Path("/proc/self/task").iterdir()]


def _restore(before: dict[int, tuple[int, os.sched_param]]) -> None:
    if sys.platform != "linux":
        return
    for thread, (policy, parameter) in before.items():
        with suppress(OSError):  # it has ended
            os.sched_setscheduler(thread, policy, parameter)
    before.clear()


def _short_turns() -> dict[int, bytes]:
    """Give every thread short turns; their old attributes, empty if the system has no such."""
    before = {thread: attributes for thread in _threads() if (attributes := _get(thread))}
    for thread, attributes in before.items():
        _set(thread, attributes, TURN)
    taken = all(
        _ATTRIBUTES.unpack(_get(k) or attributes)[5] == TURN for k, attributes in before.items()
    )
    return before if taken else {}


def _get(thread: int) -> bytes:
    """The scheduling attributes of a thread; empty if they cannot be told."""
    calls = _CALLS.get(platform.machine())
    buffer = ctypes.create_string_buffer(_ATTRIBUTES.size)
    if calls is None or ctypes.CDLL(None).syscall(calls[1], thread, buffer, len(buffer), 0):
        return b""
    return buffer.raw


def _set(thread: int, attributes: bytes, turn: int | None = None) -> None:
    """Set the scheduling attributes of a thread, with another turn (ns) if that is said."""
    values = list(_ATTRIBUTES.unpack(attributes))
    values[5] = values[5] if turn is None else turn
    calls = _CALLS[platform.machine()]
    ctypes.CDLL(None).syscall(calls[0], thread, _ATTRIBUTES.pack(*values), 0)
