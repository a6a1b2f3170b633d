"""Records on the pipe from a publisher to its server process: length, kind, bytes."""

from __future__ import annotations

import struct

SAMPLE, MESSAGE = 1, 2
"""Kinds: a sample (sequence number uint64, time float64, row of float64), a JSON object."""
_HEAD = struct.Struct("<IB")


def record(kind: int, body: bytes) -> bytes:
    """A record as bytes."""
    return _HEAD.pack(len(body), kind) + body


class Records:
    """Cuts a stream of bytes into records."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[tuple[int, bytes]]:
        """The records that are whole by now: (kind, body)."""
        data = self._rest + data
        records, start = [], 0
        while start + _HEAD.size <= len(data):
            length, kind = _HEAD.unpack_from(data, start)
            end = start + _HEAD.size + length
            if end > len(data):
                break
            records.append((kind, data[start + _HEAD.size : end]))
            start = end
        self._rest = data[start:]
        return records
