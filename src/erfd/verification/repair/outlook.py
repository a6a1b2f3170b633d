"""What a repair would do, in one line, for the advice on a program."""

from __future__ import annotations


def outlook() -> None:
    """To come."""
