"""Robots that are equal are one: what is compiled for a robot stays for as long as the process."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from ..robot.model import Robot

MOST = 256
_KNOWN: OrderedDict[Robot, Robot] = OrderedDict()
_LOCK = Lock()


def interned(robot: Robot) -> Robot:
    """This robot, or the one equal to it that came before, with all that was compiled for it."""
    with _LOCK:
        found = _KNOWN.setdefault(robot, robot)
        _KNOWN.move_to_end(found)
        while len(_KNOWN) > MOST:
            _KNOWN.popitem(last=False)
    return found
