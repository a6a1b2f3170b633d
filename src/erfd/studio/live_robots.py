"""Streams of live robots that a session watches, and the data that the browser fetches."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ErfdError, InputError
from ..ground.arrays import Array
from ..monitor.protocol import JOINT_UNITS, OTHER_UNITS
from ..monitor.recording.rebuild import robot_of
from ..report.curves.curves import Curves, available, curves
from ..robot.model import Robot
from .browser.packet import pack, pack_curves
from .browser.scene_data import poses_of
from .interned_robots import interned

if TYPE_CHECKING:
    from ..monitor.protocol import Hello
    from ..monitor.viewer.feed import Feed
    from .runs.recording import Recording
    from .runs.store import About, Store

MOST = 8
"""Streams that one session may watch."""
ROWS = 400
"""Samples at most in one answer for the picture."""
WINDOW = 20.0
"""Seconds that the diagrams show."""


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """The last samples of a stream, in the form of a run for `report.curves.curves`."""

    robot: Robot
    data: dict[str, Array]

    def __getitem__(self, name: str) -> Array:
        return self.data[name]


def quantities(hello: Hello) -> list[str]:
    """The columns of a stream that are what a run means by their names.

    A controller may call anything `power` or `force`; in a run every joint has one.
    """
    standard = JOINT_UNITS.keys() | OTHER_UNITS.keys()
    vectors = ("force", "moment")  # of every joint: no row of a stream is one
    return [
        c.name
        for c in hello.columns
        if c.name in standard or (c.size == hello.n and c.name not in vectors)
    ]


class Watched:
    """A stream that is watched, under a key that nobody can guess."""

    def __init__(self, url: str, token: str = ""):
        self.key = secrets.token_urlsafe(16)
        self.url, self.token = url, token
        self._feed: Feed | None = None
        self.feed  # noqa: B018  # an address that cannot be is a mistake now
        self.recording: Recording | None = None
        self._robot: tuple[int, Robot | None] = (-1, None)

    @property
    def feed(self) -> Feed:
        """The feed of the stream; connected anew after a rest."""
        from ..monitor.viewer.feed import Feed

        feed = self._feed
        if feed is None:
            feed = self._feed = Feed(self.url, token=self.token, seconds=60.0)
        return feed

    def rest(self) -> None:
        """Disconnect while nobody looks: a controller has few places for viewers."""
        feed, self._feed = self._feed, None
        if feed is not None:  # it says goodbye first, which may take a moment
            Thread(target=feed.close, daemon=True).start()

    @property
    def address(self) -> str:
        """The URL path of this stream's data."""
        return f"/erfd/live/{self.key}"

    @property
    def robot(self) -> Robot | None:
        """The robot as the publisher describes it, once it has."""
        hello = self.feed.state().hello
        if hello is None:
            return None
        if self._robot[0] != hello.session:
            try:
                robot = robot_of(hello)
            except ErfdError:
                robot = None  # a description that cannot be read: numbers without a picture
            if robot is not None:
                robot = interned(robot) if robot.n == hello.n else None
            self._robot = hello.session, robot
        return self._robot[1]

    def poses(self, after: int) -> bytes:
        """Link poses of the samples above a sequence number, as a packet."""
        robot, samples = self.robot, self.feed.samples(after, ROWS)
        if samples is not None and not len(samples):
            newest = self.feed.samples(most=1)
            # the page counts by a history that has ended: the controller was started anew
            if newest is not None and len(newest) and newest.numbers[-1] < after:
                samples = self.feed.samples(-1, ROWS)
        if robot is None or samples is None or "q" not in samples or not len(samples):
            return pack({"last": after}, t=np.zeros(0), poses=np.zeros(0, np.float32))
        q = samples["q"]
        good = np.isfinite(q).all(axis=1)
        poses = poses_of(robot, q[good]) if good.any() else np.zeros((0, robot.n + 2, 7))
        last = int(samples.numbers[-1])
        return pack({"last": last}, t=samples.t[good], poses=poses.astype(np.float32))

    def diagram(self, name: str, points: int, **choice: Any) -> bytes:
        """One diagram of the last seconds, as a packet."""
        window, data = self.window(), Curves(name, "", np.zeros(0), (), np.zeros((0, 0)))
        if window is not None and name in available(window.data):
            data = curves(window, name, **choice)
        return pack_curves(data, min(max(points, 16), 4000))

    def window(self) -> Window | None:
        """The last `WINDOW` seconds, at rising times."""
        robot, samples = self.robot, self.feed.samples()
        if robot is None or samples is None or len(samples) < 2:
            return None
        t = samples.t
        # after a jump in time only what came behind it can be drawn
        start = int(np.flatnonzero(np.diff(t) <= 0)[-1]) + 1 if (np.diff(t) <= 0).any() else 0
        first = max(start, int(np.searchsorted(t[start:], t[-1] - WINDOW)) + start)
        data = {name: samples[name][first:] for name in quantities(samples.hello)}
        return Window(robot, data | {"t": t[first:]})

    def record(self, store: Store) -> None:
        """Begin to record into the kept runs; it goes on until it is ended, looked at or not."""
        from .runs.recording import Recording

        if self.feed.state().hello is not None and self.robot is None:
            raise InputError(
                "live: this stream does not describe its robot;"
                " erfd monitor record --robot NAME records it"
            )
        self.recording = Recording(store, self.url, self.token)

    def end_recording(self) -> list[About]:
        """End the recording; the runs that were kept of it, an `ErfdError` if there are none."""
        recording, self.recording = self.recording, None
        return [] if recording is None else recording.keep()

    def close(self) -> None:
        """Stop watching; what was recorded is kept."""
        self.rest()
        self.end_recording()


class LiveRobots:
    """All streams that are watched, by their keys."""

    def __init__(self) -> None:
        self._watched: dict[str, Watched] = {}
        self._lock = Lock()

    def open(self, url: str, token: str, count: int) -> Watched:
        """Watch a stream; `count` is how many the session watches already."""
        if count >= MOST:
            raise InputError(f"live: expected at most {MOST} robots in one page")
        watched = Watched(url.strip(), token.strip())
        with self._lock:
            self._watched[watched.key] = watched
        return watched

    def get(self, key: str) -> Watched | None:
        """The stream of a key."""
        return self._watched.get(key)

    def close(self, watched: Watched) -> None:
        """Forget a stream."""
        with self._lock:
            self._watched.pop(watched.key, None)
        watched.close()
