"""Limits of single uploads, which the guard keeps while the bytes come: a browser may not."""

from __future__ import annotations

from threading import Lock

MOST = 10_000
"""Fields at most that are remembered; the oldest are forgotten first."""
_LIMITS: dict[str, int] = {}
_LOCK = Lock()


def limit_upload(address: str, limit: int) -> None:
    """Let the field at this address take so many bytes at a time."""
    with _LOCK:
        _LIMITS[address] = limit
        while len(_LIMITS) > MOST:
            del _LIMITS[next(iter(_LIMITS))]


def forget_upload(address: str) -> None:
    """Let this field take nothing any more: its page is gone."""
    with _LOCK:
        _LIMITS.pop(address, None)


def upload_limit(address: str) -> int | None:
    """The bytes that a field may take; None if there is no such field."""
    with _LOCK:
        return _LIMITS.get(address)
