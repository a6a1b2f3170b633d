"""Share one object among equal robots, so that nothing is compiled twice for them."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from ..robot.model import Robot

MOST = 256
_ROBOTS: OrderedDict[Robot, Robot] = OrderedDict()
_LOCK = Lock()


def interned(robot: Robot) -> Robot:
    """This robot, or the one equal to it that came before, with all that was compiled for it."""
    with _LOCK:
        shared = _ROBOTS.setdefault(robot, robot)
        _ROBOTS.move_to_end(shared)
        while len(_ROBOTS) > MOST:
            _ROBOTS.popitem(last=False)
    return shared
