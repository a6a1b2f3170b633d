"""Give memory of closed pages back to the system."""

from __future__ import annotations

import ctypes
import gc
import sys
from contextlib import suppress

ARENAS = 2
"""Pools of memory that all threads share."""
_M_ARENA_MAX = -8


def share_pools() -> None:
    """Let all threads take memory from the same few pools; before there are any.

    A studio has a dozen threads with little to do, and what one has given back stays in its own
    pool (glibc makes eight for each processor), where no other can use it.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, ARENAS)


def give_back() -> None:
    """Collect cycles of objects (a page is full of them), and let the allocator shrink.

    Without it the server grows by a megabyte a page for as long as anybody measured, though no
    object stays.
    """
    gc.collect()
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # glibc has it, others need not
            ctypes.CDLL(None).malloc_trim(0)
