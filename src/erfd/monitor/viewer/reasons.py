"""Sentences for a user on why a stream cannot be had."""

from __future__ import annotations

import errno
import socket
from typing import Any
from urllib.parse import urlsplit

from ...errors import InputError

PATIENCE = 5.0
"""Seconds that a publisher may take to take a connection."""
UNREACHABLE = (errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EHOSTDOWN, errno.ENETDOWN)


def check_url(url: str) -> None:
    """Raise an `InputError` unless this is the address of a WebSocket."""
    wrong = InputError(f"url: expected ws://HOST:PORT, found {url!r:.200}")
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("ws", "wss") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is none, brackets that do not close
        raise wrong from None
    if not good or not url.isascii() or any(c <= " " for c in url) or parts.fragment:
        raise wrong


def why_lost(error: BaseException) -> str:
    """Why a connection was not made, or broke."""
    if isinstance(error, TimeoutError):
        return f"no answer within {PATIENCE:g} s"
    if isinstance(error, socket.gaierror):
        return "there is no such host"
    # for a name with several addresses the system's numbers are in the text alone
    if isinstance(error, ConnectionRefusedError) or f"[Errno {errno.ECONNREFUSED}]" in str(error):
        return "nobody listens at this address"
    if isinstance(error, OSError) and error.errno in UNREACHABLE:
        return "the host cannot be reached"
    if isinstance(error, ConnectionError | EOFError):
        return "the connection broke"
    return (str(error) or type(error).__name__)[:200]


def why_closed(error: Any) -> str:
    """Why a WebSocket was closed (`websockets.exceptions.ConnectionClosed`)."""
    if error.sent is not None and error.sent.code == 1009:
        return "a frame was too large"
    if error.rcvd is not None:
        reason = f": {error.rcvd.reason}" if error.rcvd.reason else ""
        return f"the publisher closed the connection{reason}"[:200]
    if error.sent is not None and error.sent.code == 1011:
        return "the publisher does not answer"
    return "the connection broke"


def why_refused(status: int, body: bytes) -> str:
    """What an HTTP answer says instead of a stream; a page of a web server is not for a label."""
    text = body.decode(errors="replace").strip()
    ours = status in (401, 503) and text and "<" not in text and len(text) <= 200
    return text if ours else f"no stream is served there (HTTP {status})"
