"""Following the background job of a session from its page.

The job and its result belong to the server: a page only looks, and says what waits to be said.
"""

from __future__ import annotations

import time
from typing import Any

from ..workspace import Workspace


class Following:
    """A page's look at its session: how far the job is, and messages that nobody has seen yet.

    A page that was reloaded lives on without its browser until the framework gives it up: it does
    nothing meanwhile.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.state: tuple[Any, ...] | None = None

    def look(self) -> None:
        """Show what has changed since the last look."""
        session = self.workspace.session
        if session.page is not self.workspace or not self.workspace.connected():
            return
        session.seen = time.monotonic()
        session.say_waiting()
        job = session.job
        state = None if job is None else (job.id, job.state, job.progress, job.stage)
        if state != self.state:
            self.state = state
            self.workspace.tell("job")
