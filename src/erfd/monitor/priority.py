"""The control loop before everything else on the machine, where the system lets us."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def first_in_line() -> Iterator[str]:
    """Real-time scheduling for all threads of this process; says "real-time" or "normal".

    All of them, since one that holds the interpreter's lock must not be kept from going on. Linux
    allows it to root and to users with the limit `rtprio`; processes that were started before,
    such as the one that serves the viewers, keep what they have.
    """
    if sys.platform != "linux":
        yield "normal"
        return
    before: dict[int, tuple[int, os.sched_param]] = {}
    try:
        for thread in map(int, (p.name for p in Path("/proc/self/task").iterdir())):
            known = os.sched_getscheduler(thread), os.sched_getparam(thread)
            os.sched_setscheduler(thread, os.SCHED_RR, os.sched_param(1))
            before[thread] = known
        kind = "real-time"
    except OSError:
        _restore(before)
        kind = "normal"
    try:
        yield kind
    finally:
        _restore(before)


def _restore(before: dict[int, tuple[int, os.sched_param]]) -> None:
    if sys.platform != "linux":
        return
    for thread, (policy, parameter) in before.items():
        with suppress(OSError):  # it has ended
            os.sched_setscheduler(thread, policy, parameter)
    before.clear()
