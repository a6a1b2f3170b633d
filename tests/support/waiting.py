"""Waiting for what other threads and processes do."""

import time
from collections.abc import Callable

PATIENCE = 30.0
"""Seconds until a test gives up; on a quiet machine everything takes a fraction of one."""


def until(condition: Callable[[], object], what: str = "") -> None:
    """Wait for something that must happen; when is not the question."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"gave up waiting: {what}"
        time.sleep(0.01)
