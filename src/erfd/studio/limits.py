"""Limits of what a page may send: bytes, depth, count and time. The server keeps them itself."""

from __future__ import annotations

from ..errors import InputError

BYTES = {
    "program": 1_000_000,
    "robot": 2 * 2**20,
    "cell": 64 * 2**20,
    "robot_files": 128 * 2**20,
    "signals": 2**20,
    "run": 500 * 2**20,
}
"""Bytes of a file, or of all files that are sent together, by its kind."""
FORM = 64 * 2**10
"""Bytes that a browser may put around the files of one upload."""
DEPTH = 60
"""Elements inside each other in a robot file."""
ELEMENTS = 20_000
"""Elements of a robot file."""
JOINTS = 200
"""Joints of a robot file."""
THINGS = 2000
"""Objects of a cell."""
TRIANGLES = 500_000
"""Triangles of all meshes of a cell."""
ROWS = 20_000_000
"""Rows of a run."""
EVENTS = 200_000
"""Events of a run."""
SECONDS = {
    "read_robot": 20.0, "read_cell": 30.0, "read_program": 10.0, "read_run": 120.0, "check": 20.0,
    "format": 20.0, "insert": 20.0, "look_robot": 60.0, "make_robot": 60.0,
}  # fmt: skip
"""Seconds that the reading of a file may take."""


def at_most(what: str, count: int, limit: int) -> None:
    """Refuse what is more than a limit.

    >>> at_most("hall.toml: objects", 3, 2)
    Traceback (most recent call last):
        ...
    erfd.errors.InputError: hall.toml: objects: expected at most 2, found 3
    """
    if count > limit:
        raise InputError(f"{what}: expected at most {limit}, found {count}")
