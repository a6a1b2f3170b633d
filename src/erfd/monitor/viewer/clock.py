"""How far the publisher's clock is from ours, and so how old a sample is when it arrives.

A ping that takes r s there and back and is answered with the time T tells that T was about r / 2
before its return; the shortest of the last pings tells it best.
"""

from __future__ import annotations

import math
from collections import deque

PINGS = 30
SMOOTHING = 0.1
"""Part of a new delay in the one that is shown."""


class Clock:
    """Offset and delay of one stream; times in s, ours by `time.monotonic`."""

    def __init__(self) -> None:
        self._sent: dict[int, float] = {}
        self._found: deque[tuple[float, float]] = deque(maxlen=PINGS)
        self.delay: float | None = None

    def sent(self, number: int, now: float) -> int:
        """A ping leaves."""
        self._sent[number] = now
        while len(self._sent) > PINGS:
            self._sent.pop(next(iter(self._sent)))
        return number

    def answered(self, number: object, theirs: object, now: float) -> None:
        """Its answer is here; anything but an answer is passed over."""
        if isinstance(number, bool) or not isinstance(number, int):
            return
        left = self._sent.pop(number, None)
        if isinstance(theirs, bool) or not isinstance(theirs, int | float) or left is None:
            return
        if not abs(theirs) <= 1e12:
            return
        trip = now - left
        self._found.append((trip, float(theirs) + trip / 2 - now))

    @property
    def offset(self) -> float | None:
        """Their clock less ours, s."""
        return min(self._found)[1] if self._found else None

    def arrived(self, t: float, now: float) -> None:
        """A sample of their time t is here."""
        if self.offset is None:
            return
        age = now + self.offset - t
        if not math.isfinite(age):
            return
        known = self.delay
        self.delay = age if known is None else known + SMOOTHING * (age - known)
