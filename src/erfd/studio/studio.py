"""State that all pages of one running studio share."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

from ..errors import ErfdError
from .jobs.workers import Workers
from .live_robots import LiveRobots, Watched
from .runs.open_runs import OpenRuns
from .runs.store import Store
from .server.memory import give_back
from .session import Session, Sessions


@dataclass(slots=True, eq=False)
class Studio:
    """Kept runs, open runs, workers and sessions; `first` is the file that every tab opens with."""

    store: Store
    runs: OpenRuns = field(default_factory=OpenRuns)
    live: LiveRobots = field(default_factory=LiveRobots)
    workers: Workers = field(default_factory=Workers)
    language: str = "en"
    first: Path | None = None
    sessions: Sessions = field(init=False)
    trims: int = 0
    """How often memory is still to be given back."""

    def __post_init__(self) -> None:
        self.sessions = Sessions(self._close)

    def tidy(self) -> None:
        """Close and rest old sessions, and give memory back; called now and then."""
        if self.sessions.sweep():
            self.let_go()
        if self.trims:
            self.trims -= 1
            give_back()

    def let_go(self) -> None:
        """Return freed memory to the system, after a page or a session's numbers have gone.

        Twice, at the next two times: threads take a moment to end.
        """
        self.trims = 2

    def _close(self, session: Session) -> None:
        self.runs.close(session.run)
        self.runs.close(session.other)
        if session.job is not None:
            session.job.cancel()
        for watched in session.watched:
            # a long recording takes its time; the process ends when it is kept
            Thread(target=self._leave, args=(watched,)).start()
        session.close()

    def _leave(self, watched: Watched) -> None:
        try:
            self.live.close(watched)
        except (ErfdError, OSError) as error:
            print(f"erfd studio: {error}", file=sys.stderr)

    def keep_left(self) -> None:
        """Make runs of recordings whose studio was killed; in a thread of its own."""
        from .runs.recording import keep_left, left_behind

        for journal in left_behind(self.store):
            try:
                for about in keep_left(self.store, journal):
                    print(f"erfd studio: a recording was cut off; kept as {about.name}", flush=True)
            except (ErfdError, OSError) as error:
                print(f"erfd studio: {error}", file=sys.stderr)
