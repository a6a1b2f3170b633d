"""A job: one request to a worker, how far it is, and its result. It belongs to the server."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

JobState = Literal["waiting", "running", "done", "failed", "cancelled"]
SECONDS = 3600.0
"""The usual time limit of a job, s: then its worker is ended."""


@dataclass(slots=True, eq=False)
class Job:
    """One request and its result; `progress` is 0..1, `stage` a key of the text catalogue.

    `owner` is whoever asked (a browser): the queue is fair among owners. `early` is a result that
    came before the end (the verdict, while advice is still worked out). `told` hears of both: it
    is called with the job once `early` or the end has come.
    """

    request: dict[str, Any]
    state: JobState = "waiting"
    progress: float = 0.0
    stage: str = "stage_wait"
    result: dict[str, Any] = field(default_factory=dict)
    owner: str = ""
    seconds: float = SECONDS
    early: dict[str, Any] | None = None
    kept: str = ""
    """The id of the run that is kept already, before the end."""
    told: Callable[[Job], Any] = lambda job: None
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    taking: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Its early result is taken before its end."""
    stop: Callable[[], None] = lambda: None
    """Leave the queue, or end the worker; set by the pool."""

    @property
    def active(self) -> bool:
        """Whether the job waits or runs."""
        return self.state in ("waiting", "running")

    def cancel(self) -> None:
        """Stop the job now."""
        if self.active:
            self.state = "cancelled"
            self.stop()
            self.end()

    def end(self) -> None:
        """Tell that it has ended, once."""
        if not self.ended.is_set():
            self.ended.set()
            self.told(self)

    def fail(self, error: str) -> None:
        """End it with a sentence, unless it has ended before."""
        if self.active:
            self.state, self.result = "failed", {"error": error}
