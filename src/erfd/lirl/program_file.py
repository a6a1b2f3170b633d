"""Read the text of an L-IRL file."""

from __future__ import annotations

from os.path import getsize, isdir, isfile
from pathlib import Path

from ..errors import InputError
from ..ground.files import read_text
from .words import MAX_TEXT


def read_program(path: str | Path) -> str:
    """Read the text of a program; `parse` says what is wrong with it.

    Args:
        path: a file in UTF-8; a byte order mark and carriage returns do not matter.

    Returns:
        The text, with plain line ends.

    Raises:
        InputError: if the file cannot be read, or is too large for any program.
    """
    if isdir(path):
        raise InputError(f"{path}: expected a program, found a folder")
    if isfile(path) and (size := getsize(path)) > 4 * MAX_TEXT + 3:  # UTF-8, with its mark
        raise InputError(f"{path}: expected at most {MAX_TEXT} characters, found {size} bytes")
    return read_text(path)
