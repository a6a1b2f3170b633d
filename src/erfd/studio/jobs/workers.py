"""A pool of `worker` processes, each with one job at a time.

A job can be cancelled at any moment: its process is ended and another takes its place. So neither
a long program nor a crash can hold up the page or the server.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from dataclasses import dataclass, field
from typing import Any, Literal

JobState = Literal["waiting", "running", "done", "failed", "cancelled"]
LINE = 64 * 2**20
"""Bytes of the longest message that a worker may send."""


@dataclass(slots=True, eq=False)
class Job:
    """One request and its result; `progress` is 0..1, `stage` a key of the text catalogue."""

    request: dict[str, Any]
    state: JobState = "waiting"
    progress: float = 0.0
    stage: str = "stage_wait"
    result: dict[str, Any] = field(default_factory=dict)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    _task: asyncio.Task[None] | None = None

    @property
    def active(self) -> bool:
        """Whether the job waits or runs."""
        return self.state in ("waiting", "running")

    def cancel(self) -> None:
        """Stop the job now."""
        if self.active:
            self.state = "cancelled"
            if self._task is not None:
                self._task.cancel()
            self.ended.set()


class Workers:
    """A pool of at most `count` worker processes; one is kept warm."""

    def __init__(self, count: int = 2):
        self._free: list[asyncio.subprocess.Process] = []
        self._room = asyncio.Semaphore(count)
        self._all: set[asyncio.subprocess.Process] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._over = False

    def warm(self) -> None:
        """Start a process before it is needed."""
        self._spawn_later()

    def submit(self, request: dict[str, Any]) -> Job:
        """Begin a job; it waits for its turn."""
        job = Job(request)
        job._task = self._keep(asyncio.create_task(self._run(job)))
        return job

    async def close(self) -> None:
        """End every process."""
        self._over = True
        for process in list(self._all):
            self._end(process)
        for process in list(self._all):
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(process.wait(), 2)

    async def _run(self, job: Job) -> None:
        async with self._room:
            process = self._free.pop() if self._free else await self._spawn()
            if process.returncode is not None:
                process = await self._spawn()
            job.state, job.stage = "running", "stage_start"
            try:
                await self._talk(process, job)
            except asyncio.CancelledError:
                self._end(process)
                self._spawn_later()
                raise
            except (OSError, ValueError, asyncio.LimitOverrunError) as error:
                self._end(process)
                job.state, job.result = "failed", {"error": f"the worker stopped: {error}"}
            else:
                if process.returncode is None and not self._free:
                    self._free.append(process)
                elif process.returncode is None:
                    self._end(process)
            finally:
                job.ended.set()

    async def _talk(self, process: asyncio.subprocess.Process, job: Job) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(job.request).encode() + b"\n")
        await process.stdin.drain()
        while True:
            line = await process.stdout.readline()
            if not line:
                code = await process.wait()
                self._all.discard(process)
                job.state = "failed"
                job.result = {"error": f"the worker ended with code {code}"}
                return
            message = json.loads(line)
            if message["kind"] == "progress":
                job.progress, job.stage = float(message["part"]), str(message["stage"])
            elif message["kind"] in ("done", "failed"):
                job.state, job.result, job.progress = message["kind"], message["result"], 1.0
                return

    async def _spawn(self) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "erfd.studio.jobs.worker",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=LINE,
            env=os.environ | {"PYTHONWARNINGS": "ignore"},
        )  # fmt: skip
        self._all.add(process)
        return process

    def _spawn_later(self) -> None:
        async def spawn() -> None:
            if not self._over and not self._free:
                self._free.append(await self._spawn())

        self._keep(asyncio.create_task(spawn()))

    def _end(self, process: asyncio.subprocess.Process) -> None:
        if process in self._free:
            self._free.remove(process)
        self._all.discard(process)
        with contextlib.suppress(ProcessLookupError):
            process.kill()

    def _keep(self, task: asyncio.Task[None]) -> asyncio.Task[None]:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
