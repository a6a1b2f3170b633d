"""What the `erfd` process prints to: readers may leave, notes go to the error output."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any


class PatientStream:
    """An output stream that drops what nobody reads any more: `erfd verify ... | head -1`.

    The command goes on, writes its files, and ends with the exit code of its verdict. Letters that
    the stream cannot show are shown as their numbers.
    """

    def __init__(self, stream: Any):
        self._stream = stream
        self.abandoned = False

    def write(self, text: str) -> int:
        """Print a text, if it is read; returns its length."""
        try:
            self._stream.write(text)
        except BrokenPipeError:
            self._abandon()
        except UnicodeEncodeError:  # a name that is no text, or a terminal that knows few letters
            coding = self._stream.encoding or "ascii"
            self._stream.write(text.encode(coding, "backslashreplace").decode(coding))
        return len(text)

    def flush(self) -> None:
        """Hand over what was printed."""
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._abandon()

    def _abandon(self) -> None:
        """Send what is printed from now on, and what still waits, to nowhere."""
        self.abandoned = True
        discard(self._stream)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def is_abandoned() -> bool:
    """Whether the reader of the output has left: what runs until somebody ends it then ends."""
    return bool(getattr(sys.stdout, "abandoned", False))


@contextmanager
def patient_streams() -> Iterator[None]:
    """While this lasts, output and error output are patient."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (x and PatientStream(x) for x in before)
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                _flush(stream)
        sys.stdout, sys.stderr = before


def _flush(stream: Any) -> None:
    """Hand over the rest; a disk without room has been reported, or cannot be."""
    try:
        stream.flush()
    except OSError:
        discard(stream)


def discard(stream: Any) -> None:
    """Drop what is left to be printed: Python would fail with it once more at its end."""
    with suppress(OSError):  # a stream in memory has no number
        place, nowhere = stream.fileno(), os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, place)
        os.close(nowhere)


@contextmanager
def printed_notes() -> Iterator[None]:
    """While this lasts, warnings are lines on the error output."""
    with warnings.catch_warnings():
        warnings.showwarning = _print_note
        warnings.simplefilter("default", UserWarning)  # ours are notes, whatever -W says
        yield


def _print_note(message: Warning | str, *_: Any, **__: Any) -> None:
    print(f"erfd: note: {message}", file=sys.stderr)
