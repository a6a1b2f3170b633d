"""The checksum in a run's Parquet file: SHA-256 of all other bytes, in the file's own metadata."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from ..errors import InputError

MAGIC = b"PAR1"
MARK = b"erfd-sha256:"
DIGITS = 64
PLACEHOLDER = MARK.decode() + "0" * DIGITS
"""What the writer puts into the metadata, for `with_checksum` to fill in."""
_SHORTEST = 12
"""Bytes of the shortest Parquet file: magic, length of the footer, magic."""


def with_checksum(data: bytes) -> bytes:
    """The bytes of a Parquet file, with the checksum in place of `PLACEHOLDER`."""
    start = _digits_start(memoryview(data))
    assert start is not None
    return data[:start] + _checksum(memoryview(data), start) + data[start + DIGITS :]


def check(path: str | Path, data: memoryview) -> None:
    """Raise an InputError unless the file is whole and as ERFD wrote it, before Arrow sees it."""
    if bytes(data[:4]) != MAGIC:
        contents = "other contents" if len(data) else "an empty file"
        raise InputError(f"{path}: expected a Parquet file, found {contents}")
    if bytes(data[-4:]) != MAGIC or len(data) < _SHORTEST:
        raise InputError(f"{path}: expected a whole Parquet file, found one cut short or damaged")
    start = _digits_start(data)
    if start is None:
        raise InputError(f"{path}: expected a run written by erfd, found another Parquet file")
    if bytes(data[start : start + DIGITS]) != _checksum(data, start):
        raise InputError(f"{path}: expected a file as erfd wrote it, found one damaged or changed")


def _digits_start(data: memoryview) -> int | None:
    """The index of the first digit, behind the first mark of the footer; None without a mark.

    The text of a program may have a mark, too, but it comes after the writer's.
    """
    length = int.from_bytes(data[-8:-4], "little")
    begin = max(len(data) - 8 - length, 0)
    place = bytes(data[begin:]).find(MARK)
    return None if place < 0 else begin + place + len(MARK)


def _checksum(data: memoryview, start: int) -> bytes:
    state = sha256(data[:start])
    state.update(b"0" * DIGITS)
    state.update(data[start + DIGITS :])
    return state.hexdigest().encode()
