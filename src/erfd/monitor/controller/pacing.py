"""Pace a control loop by absolute deadlines, and count its overruns."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

LATE = 0.1
"""Seconds (at least 2 cycles) behind its deadlines that a loop makes up; then it goes on anew."""


@dataclass(frozen=True, slots=True)
class CycleTiming:
    """Timing of a loop: cycles, overruns, skipped cycles, worst lateness (s), longest work (s)."""

    cycles: int = 0
    overruns: int = 0
    skipped: int = 0
    worst: float = 0.0
    busiest: float = 0.0


class CyclePacer:
    """Paces a loop: `wait()` returns when the next cycle of dt s is due.

    An overrun is a cycle that was not done when the next one was due. A loop that is late runs its
    cycles at once until it has caught up; if it is behind by more than `LATE`, the deadlines move
    and the cycles in between are `skipped`.
    """

    def __init__(
        self,
        dt: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ):
        self.dt, self._clock, self._sleep = dt, clock, sleep
        self.due = self._begun = clock()
        self.timing = CycleTiming()

    def wait(self) -> float:
        """Sleep until the next cycle; returns when it is due, s on the clock."""
        now, before = self._clock(), self.timing
        self.due += self.dt
        late = now - self.due
        skipped = 0
        if late > max(LATE, 2 * self.dt):
            skipped = int(late // self.dt) + 1
            self.due += skipped * self.dt
        self.timing = CycleTiming(
            before.cycles + 1,
            before.overruns + (late > 0),
            before.skipped + skipped,
            max(before.worst, late),
            max(before.busiest, now - self._begun),
        )
        if now < self.due:
            self._sleep(self.due - now)
        self._begun = self._clock()
        return self.due
