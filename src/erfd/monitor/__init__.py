"""The live monitor: stream a robot controller's state, watch it, command it, record it.

>>> from erfd.monitor import Feed, Publisher  # doctest: +SKIP

The protocol and the way of the data: docs/monitor.md. Needs the extra `erfd[monitor]`.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .controller.controller import Controller
    from .protocol import Column, Hello
    from .publisher.publisher import Command, Publisher
    from .recording.recorder import Recorder, recover
    from .viewer.feed import Feed, FeedState
    from .viewer.reader import Problem, Reader

_HOMES = {
    "controller.controller": ("Controller",),
    "viewer.feed": ("Feed", "FeedState"),
    "protocol": ("Column", "Hello"),
    "publisher.publisher": ("Command", "Publisher"),
    "viewer.reader": ("Problem", "Reader"),
    "recording.recorder": ("Recorder", "recover"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}
__all__ = [
    "Column",
    "Command",
    "Controller",
    "Feed",
    "FeedState",
    "Hello",
    "Problem",
    "Publisher",
    "Reader",
    "Recorder",
    "recover",
]


def __getattr__(name: str) -> Any:
    """Fetch a public name from the module that defines it; the server process needs few."""
    if name not in __all__:
        raise AttributeError(f"module 'erfd.monitor' has no attribute {name!r}")
    value = getattr(_import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value
