"""Following the background job of a session, from each of its pages."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..workspace import Workspace

if TYPE_CHECKING:
    from ..jobs.workers import Job


class Following:
    """A page's look at the background job of its session; `connected` tells if it is seen.

    One page takes the result, and all pages of the session show it. A page that was reloaded lives
    on without its browser until the framework gives it up: it must not take what nobody would see.
    """

    def __init__(self, workspace: Workspace, connected: Callable[[], bool]) -> None:
        self.workspace, self.connected = workspace, connected
        job = workspace.session.job
        self.shown: Job | None = job if job is not None and job.request.get("kept") else None
        self.job: Job | None = None
        self.state: tuple[Any, ...] = ()

    async def look(self) -> None:
        """Show what has changed since the last look; take the result of a job that has ended."""
        session = self.workspace.session
        session.seen = time.monotonic()
        job = session.job
        if job is None or not self.connected():
            return
        new, state = job is not self.job, (job.state, job.progress, job.stage)
        changed = new or state != self.state
        self.job, self.state = job, state
        if job.active or job.state == "cancelled":
            if changed:
                self.workspace.tell("job")
        elif not job.request.get("shown"):
            await self._take(job)
        elif job.request.get("kept") and self.shown is not job:
            self.shown = job
            for topic in ("run", "runs", "offer", "job"):
                self.workspace.tell(topic)

    async def _take(self, job: Job) -> None:
        job.request["shown"] = True
        try:
            with self.workspace.telling():
                await self.workspace.finish()
        finally:
            job.request["kept"] = True
            self.shown = job
