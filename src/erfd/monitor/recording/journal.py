"""Journal of a recording: an append-only file that survives whatever ends its writer.

Records follow one another, little-endian: `ERFR`, kind (uint8), length (uint32), CRC-32 of the
body, begun with the kind (uint32), body. Each is handed to the system as it comes and forced to the
disk once a second. A reader takes every record that is whole; a damaged stretch is passed over and
counted.

| kind | body |
|---|---|
| 1 | hello, JSON as in the stream |
| 2 | samples: N (uint32), w (uint32), N numbers (int64), N times, N rows of w values (float64) |
| 3 | event or status, JSON as in the stream |
| 4 | a new history begins (empty) |
"""

from __future__ import annotations

import json
import os
import struct
import time
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np

from ...errors import InputError
from ...ground.files import read_bytes
from ..protocol import Hello, hello_text, read_hello
from ..viewer.reader import Batch, Item, Message, Restart

MARK = b"ERFR"
_HEAD = struct.Struct("<4sBII")
_SIZES = struct.Struct("<II")
HELLO, SAMPLES, MESSAGE, BREAK = 1, 2, 3, 4
EVERY = 1.0
"""Seconds between two times that the file is forced to the disk."""
SUFFIX = ".journal"


class Journal:
    """Writes the items of a stream to a new journal."""

    def __init__(self, path: Path):
        self.path = path
        try:
            flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
            self._file = os.open(path, flags | os.O_APPEND, 0o644)
        except FileExistsError:
            raise InputError(
                f"{path}: expected no such file, found a journal;"
                " erfd monitor recover makes a run of it"
            ) from None
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {error.strerror}") from None
        _lock(self._file)  # for as long as it grows
        self._forced = time.monotonic()

    def add(self, item: Item) -> None:
        """Append one item; `OSError` if the disk is full or gone."""
        kind, body = _encode(item)
        head = _HEAD.pack(MARK, kind, len(body), crc32(body, kind))
        data = memoryview(head + body)
        while data:
            data = data[os.write(self._file, data) :]
        if time.monotonic() - self._forced >= EVERY:
            self.force()

    def force(self) -> None:
        """Force what was written to the disk now."""
        os.fsync(self._file)
        self._forced = time.monotonic()

    def close(self) -> None:
        """Force to the disk, and close."""
        self.force()
        os.close(self._file)


def in_use(path: Path) -> bool:
    """Whether a journal may still grow: its writer lives, or the system cannot tell."""
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return True
    try:
        return not _lock(file)
    finally:
        os.close(file)


def _lock(file: int) -> bool:
    """Take the lock of a file, which ends with the process; whether it was free."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True


def _encode(item: Item) -> tuple[int, bytes]:
    if isinstance(item, Hello):
        return HELLO, hello_text(item).encode()
    if isinstance(item, Batch):
        parts = (item.numbers.astype("<i8"), item.t.astype("<f8"), item.rows.astype("<f8"))
        return SAMPLES, _SIZES.pack(*item.rows.shape) + b"".join(p.tobytes() for p in parts)
    if isinstance(item, Message):
        return MESSAGE, json.dumps(item.body).encode()
    return BREAK, b""


@dataclass(frozen=True, slots=True, eq=False)
class Contents:
    """Contents of a journal: items in their order, number of bytes that could not be read."""

    items: tuple[Item, ...]
    lost: int


def read_journal(path: Path) -> Contents:
    """Read every item of a journal that is whole."""
    data = read_bytes(path)
    items: list[Item] = []
    start = taken = 0
    while (start := data.find(MARK, start)) >= 0:
        record = _read_record(data, start)
        if record is None:
            start += 1
            continue
        item, end = record
        items.append(item)
        taken += end - start
        start = end
    if not items:
        raise InputError(f"{path}: expected a journal of erfd, found nothing of one")
    return Contents(tuple(items), len(data) - taken)


def _read_record(data: bytes, start: int) -> tuple[Item, int] | None:
    """Read the record that begins at `start`: item and end; None if it is not whole."""
    if start + _HEAD.size > len(data):
        return None
    _, kind, length, check = _HEAD.unpack_from(data, start)
    begin = start + _HEAD.size
    body = data[begin : begin + length]
    if len(body) != length or crc32(body, kind) != check:
        return None
    try:
        return _decode(kind, body), begin + length
    except ValueError:
        return None


def _decode(kind: int, body: bytes) -> Item:
    if kind == HELLO:
        return read_hello(json.loads(body))
    if kind == MESSAGE:
        message = json.loads(body)
        return Message(str(message["type"]), message)
    if kind == BREAK:
        return Restart()
    if kind != SAMPLES:
        raise InputError(f"journal: unknown kind {kind}")
    count, width = _SIZES.unpack_from(body)
    offset = _SIZES.size
    numbers = np.frombuffer(body, "<i8", count, offset)
    t = np.frombuffer(body, "<f8", count, offset + 8 * count)
    rows = np.frombuffer(body, "<f8", count * width, offset + 16 * count)
    return Batch(numbers, t, rows.reshape(count, width))
