"""State that all pages of one running studio share."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import inf, isinf
from pathlib import Path
from threading import Thread
from typing import Any

from ..errors import ErfdError, InputError
from ..robot.model import Robot
from .jobs.job import SECONDS as JOB_SECONDS
from .jobs.job import Job
from .jobs.workers import Workers
from .limits import SECONDS
from .live_robots import LiveRobots, Watched
from .log import NAME, Log, fault_sentence
from .results import Results
from .robots.library import RobotLibrary
from .runs.open_runs import OpenRun, OpenRuns
from .runs.store import Store
from .server.memory import give_back
from .session import Session, Sessions

LEFT = 60.0
"""Seconds without a page after which a job is cancelled."""


@dataclass(slots=True, eq=False)
class Studio:
    """Kept runs, open runs, workers and sessions; `first` is the file that every tab opens with.

    `first_robot` is its robot (the file, and what was read in it), `library` has the user's own.
    Runs that are older than `keep_days` or more than `keep_bytes` in all are offered to be deleted.
    A job whose last page is gone is cancelled, unless `keep_jobs`.
    `workers` do long jobs, `readers` read files and check texts; a job takes `seconds` at most.
    """

    store: Store
    runs: OpenRuns = field(default_factory=OpenRuns)
    live: LiveRobots = field(default_factory=LiveRobots)
    workers: Workers = field(default_factory=Workers)
    readers: Workers = field(default_factory=lambda: Workers(1, 2, kind="read"))
    seconds: float = JOB_SECONDS
    keep_bytes: float = inf
    keep_days: float = inf
    keep_jobs: bool = False
    language: str = "en"
    first: Path | None = None
    first_robot: tuple[Path, Robot] | None = None
    library: RobotLibrary = field(default_factory=RobotLibrary)
    sessions: Sessions = field(init=False)
    trims: int = 0
    """How often memory is still to be given back."""
    log: Log = field(init=False)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.sessions = Sessions(self._close)
        self.log = Log(self.store.folder / NAME)
        self.workers.log = self.readers.log = self.log

    def begin(self, session: Session, request: dict[str, Any]) -> None:
        """Begin a job of a session, if it has none at work; its result is taken on the server."""
        if session.job is not None and session.job.active:
            return
        session.job_stage = session.stage
        session.job = self.workers.submit(
            request, owner=session.owner or session.key, seconds=self.seconds,
            told=lambda job: self._later(session, job),
        )  # fmt: skip
        session.tell("job")

    def _later(self, session: Session, job: Job) -> None:
        """Take what has come of a job, outside of the loop of its worker."""
        task = asyncio.get_running_loop().create_task(self._take(session, job))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _take(self, session: Session, job: Job) -> None:
        try:
            await Results(self, session).take(job)
        except Exception as error:
            session.say("notify", fault_sentence(self.log.exception("a result", error)))

    async def read(self, session: Session, kind: str, **entries: Any) -> dict[str, Any]:
        """Read a file or a text in a worker; a mistake in it is an `InputError`."""
        job = await self.readers.ask(
            {"kind": kind, **entries}, owner=session.owner or session.key, seconds=SECONDS[kind]
        )
        if job.state != "done":
            error = str(job.result.get("error", "it was not read"))
            raise InputError(self.without_paths(session, error))
        return job.result

    def without_paths(self, session: Session, text: str) -> str:
        """A sentence without the folders of this machine: file names stay."""
        return without_folders(text, (self.store.folder, session.own_folder, Path.home()))

    def put(self, session: Session, open_run: OpenRun, *, other: bool) -> None:
        """Make an open run the one that a session shows, or compares with."""
        if other:
            self.runs.close(session.other)
            session.other = open_run
            return
        self.runs.close(session.run)
        session.run, session.run_cell = open_run, None
        if session.other is not None and session.other.about.id == open_run.about.id:
            self.runs.close(session.other)  # a run beside itself says nothing
            session.other = None

    def tidy(self) -> None:
        """Close and rest old sessions, and give memory back; called now and then."""
        self.cancel_left()
        if self.sessions.sweep():
            self.let_go()
        if self.trims:
            self.trims -= 1
            give_back()

    def cancel_left(self) -> None:
        """Cancel jobs of which nobody has a page any more, unless they are to be kept."""
        if self.keep_jobs:
            return
        for session in self.sessions:
            left = time.monotonic() - session.seen > LEFT
            if left and session.job is not None and session.job.active:
                session.job.cancel()

    def surplus(self) -> tuple[list[str], int]:
        """The runs that are too many or too old, and their bytes; nothing is deleted."""
        if isinf(self.keep_bytes) and isinf(self.keep_days):
            return [], 0
        oldest = ""
        if not isinf(self.keep_days):
            day = datetime.now().astimezone() - timedelta(days=self.keep_days)
            oldest = day.isoformat(timespec="seconds")
        return self.store.index.surplus(self.keep_bytes, oldest)

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


def without_folders(text: str, folders: Iterable[Path | None]) -> str:
    """A sentence without these folders, as far as they are told.

    >>> without_folders("/tmp/a-b/arm.toml: no link", [Path("/tmp/a-b")])
    'arm.toml: no link'
    """
    for folder in folders:
        if folder is not None:
            text = text.replace(f"{folder}{os.sep}", "").replace(str(folder), "the studio's folder")
    return text
