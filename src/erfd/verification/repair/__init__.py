"""The repair of a program that cannot be done: the smallest change with which it can."""

from .outlook import outlook
from .repair import repair
from .result import Change, Repair

__all__ = ["Change", "Repair", "outlook", "repair"]
