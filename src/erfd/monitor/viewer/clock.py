"""Offset of the publisher's clock, and delay of its samples.

A ping that takes r s there and back and is answered with the time T tells that T was about r / 2
before its return; the shortest of the last pings tells it best.
"""

from __future__ import annotations

import math
from collections import deque

from ..protocol import is_number, is_whole

PINGS = 30
SMOOTHING = 0.1
"""Part of a new delay in the one that is shown."""


class Clock:
    """Offset and delay of one stream; times in s, ours by `time.monotonic`."""

    def __init__(self) -> None:
        self._sent: dict[int, float] = {}
        self._estimates: deque[tuple[float, float]] = deque(maxlen=PINGS)
        self.delay: float | None = None

    def sent(self, number: int, now: float) -> int:
        """Note that a ping leaves."""
        self._sent[number] = now
        while len(self._sent) > PINGS:
            self._sent.pop(next(iter(self._sent)))
        return number

    def answered(self, number: object, theirs: object, now: float) -> None:
        """Take the answer to a ping; anything but an answer is passed over."""
        sent_at = self._sent.pop(number, None) if is_whole(number) else None
        if sent_at is None or not is_number(theirs) or not abs(theirs) <= 1e12:
            return
        trip = now - sent_at
        self._estimates.append((trip, float(theirs) + trip / 2 - now))

    @property
    def offset(self) -> float | None:
        """Their clock less ours, s."""
        return min(self._estimates)[1] if self._estimates else None

    def arrived(self, t: float, now: float) -> None:
        """Update the delay by a sample of their time t that arrives now."""
        if self.offset is None:
            return
        age = now + self.offset - t
        if not math.isfinite(age):
            return
        previous = self.delay
        self.delay = age if previous is None else previous + SMOOTHING * (age - previous)
