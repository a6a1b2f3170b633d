"""A pool of worker processes, each with one job at a time, and a fair queue before it.

A job can be cancelled at any moment, takes no longer than its time limit, and a process that dies
or hangs is replaced: neither a long program nor a crash can hold up the page or the server.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from ..log import Log, fault_sentence
from .fair_queue import FairQueue
from .job import SECONDS, Job

LINE = 64 * 2**20
"""Bytes of the longest message that a worker may send."""
SILENCE = 90.0
"""Seconds without a sign of life (it gives one every few) after which a worker is taken to hang."""


class Workers:
    """A pool of at most `count` processes, and `reserve` more for owners who have none at work.

    One process is kept warm. `kind` is what they do: long jobs, or the reading of files.
    """

    def __init__(
        self,
        count: int = 2,
        reserve: int = 2,
        *,
        kind: str = "work",
        log: Log | None = None,
        silence: float = SILENCE,
    ):
        self.count, self.reserve, self.kind = count, reserve, kind
        self.log = log or Log()
        self.silence = silence
        self.queue = FairQueue()
        self._free: list[asyncio.subprocess.Process] = []
        self._running: Counter[str] = Counter()
        self._all: set[asyncio.subprocess.Process] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._over = False

    def warm(self) -> None:
        """Start a process before it is needed."""
        self._spawn_later()

    @property
    def pids(self) -> list[int]:
        """The numbers of the processes."""
        return [process.pid for process in self._all]

    def submit(
        self,
        request: dict[str, Any],
        *,
        owner: str = "",
        seconds: float = SECONDS,
        told: Callable[[Job], Any] = lambda job: None,
    ) -> Job:
        """Begin a job; it waits for its turn. `told` hears of its early result and of its end."""
        job = Job(request, owner=owner, seconds=seconds, told=told)
        job.stop = lambda: self.queue.remove(job)
        self.queue.put(job)
        self._start()
        return job

    async def ask(self, request: dict[str, Any], *, owner: str = "", seconds: float) -> Job:
        """Do a job and wait for its end."""
        job = self.submit(request, owner=owner, seconds=seconds)
        try:
            await job.ended.wait()
        finally:
            job.cancel()  # nobody waits any more
        return job

    async def close(self) -> None:
        """End every process."""
        self._over = True
        for process in list(self._all):
            self._end(process)
        if self._tasks:  # jobs that end, and processes that are waited for
            await asyncio.wait(set(self._tasks), timeout=2)

    def _may_start(self, owner: str) -> bool:
        busy = self._running.total()
        room = self.count + (0 if self._running[owner] else self.reserve)
        return busy < room

    def _start(self) -> None:
        """Start what may start."""
        while not self._over and (job := self.queue.take(self._may_start)) is not None:
            self._running[job.owner] += 1
            task = self._keep(asyncio.create_task(self._run(job)))
            job.stop = partial(_cancel, task)
            task.add_done_callback(partial(self._over_with, job))  # even if it never began

    async def _run(self, job: Job) -> None:
        process = None
        try:
            process = await self._process()
            job.state, job.stage = "running", "stage_start"
            async with asyncio.timeout(job.seconds):
                await self._talk(process, job)
        except asyncio.CancelledError:
            self._replace(process)
            raise
        except TimeoutError:
            self._replace(process)
            job.fail(f"it was stopped: it took longer than the limit of {_time(job.seconds)}")
        except (OSError, ValueError, asyncio.LimitOverrunError) as error:
            self._replace(process)
            job.fail(fault_sentence(self.log.exception(f"{self.kind}: a worker stopped", error)))
        else:
            self._put_back(process)

    def _over_with(self, job: Job, task: asyncio.Task[None]) -> None:
        """Make room for the next job."""
        del task
        self._running[job.owner] -= 1
        if not self._running[job.owner]:
            del self._running[job.owner]
        job.end()
        self._start()

    async def _talk(self, process: asyncio.subprocess.Process, job: Job) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(job.request).encode() + b"\n")
        with contextlib.suppress(ConnectionError):  # it is dead, as the next line says
            await process.stdin.drain()
        while True:
            try:
                line = await asyncio.wait_for(process.stdout.readline(), self.silence)
            except TimeoutError:
                await self._say_hung(process, job)
                return
            if not line:
                await self._say_dead(process, job)
                return
            message = json.loads(line)
            kind = message["kind"]
            if kind == "progress":
                job.progress, job.stage = float(message["part"]), str(message["stage"])
            elif kind == "early":
                job.early = message["result"]
                job.told(job)
            elif kind == "fault":
                what = f"{self.kind}: {job.request.get('kind', '')}"
                job.fail(fault_sentence(self.log.fault(what, message["traceback"])))
                return
            elif kind in ("done", "failed"):
                job.state, job.result, job.progress = kind, message["result"], 1.0
                return

    async def _say_hung(self, process: asyncio.subprocess.Process, job: Job) -> None:
        """Let a process that hangs write where it is into the log, and end it."""
        what = f"{self.kind}: process {process.pid} gave no sign of life for {self.silence:g} s"
        reference = self.log.fault(f"{what} in: {job.request.get('kind', '')}")
        job.fail(fault_sentence(reference))
        with contextlib.suppress(ProcessLookupError, TimeoutError):
            process.send_signal(signal.SIGABRT)  # says where it is
            process.send_signal(signal.SIGCONT)
            await asyncio.wait_for(process.wait(), 2)
        self._end(process)

    async def _say_dead(self, process: asyncio.subprocess.Process, job: Job) -> None:
        code = await process.wait()
        self._all.discard(process)
        what = f"{self.kind}: process {process.pid} ended with code {code}"
        job.fail(fault_sentence(self.log.fault(f"{what} in: {job.request.get('kind', '')}")))

    async def _process(self) -> asyncio.subprocess.Process:
        """A process that is free, or a new one."""
        while self._free:
            process = self._free.pop()
            if process.returncode is None:
                return process
            self._all.discard(process)
        return await self._spawn()

    async def _spawn(self) -> asyncio.subprocess.Process:
        stderr = self.log.stderr()
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "erfd.studio.jobs.worker", self.kind,
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=stderr,
                limit=LINE,
                env=os.environ | {"PYTHONWARNINGS": "ignore", "PYTHONFAULTHANDLER": "1"},
            )  # fmt: skip
        finally:
            if stderr is not None:
                os.close(stderr)
        self._all.add(process)
        return process

    def _spawn_later(self) -> None:
        async def spawn() -> None:
            if not self._over and not self._free:
                self._free.append(await self._spawn())

        self._keep(asyncio.create_task(spawn()))

    def _put_back(self, process: asyncio.subprocess.Process) -> None:
        """Keep one process warm for the next job; end others."""
        alive = process in self._all and process.returncode is None
        if alive and not self._free:
            self._free.append(process)
        elif alive:
            self._end(process)
        elif not self._free:
            self._spawn_later()

    def _replace(self, process: asyncio.subprocess.Process | None) -> None:
        """End a process, and have another one ready."""
        if process is not None:
            self._end(process)
        if not self._over:
            self._spawn_later()

    def _end(self, process: asyncio.subprocess.Process) -> None:
        if process in self._free:
            self._free.remove(process)
        self._all.discard(process)
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        self._keep(asyncio.ensure_future(process.wait()))

    def _keep(self, task: asyncio.Task[Any]) -> asyncio.Task[Any]:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()


def _time(seconds: float) -> str:
    """A time limit for people."""
    return f"{seconds / 60:g} min" if seconds >= 120 else f"{seconds:g} s"
