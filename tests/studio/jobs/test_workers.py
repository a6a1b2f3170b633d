"""The pool of workers: turns, limits, deaths and hangs."""

import asyncio
import os
import signal

import pytest

from erfd.studio.jobs.fair_queue import FairQueue
from erfd.studio.jobs.job import Job
from erfd.studio.jobs.workers import Workers
from erfd.studio.log import Log

TEXT = "program p; seq move ptp joint(mainjoint(20)); endseq endprogram"
QUICK = {"kind": "check", "text": TEXT, "robot": "lola15", "robot_file": None}


@pytest.fixture
def pool(tmp_path):
    """A pool of one process that reads, with a log of its own."""
    made: list[Workers] = []

    def make(**how) -> Workers:
        made.append(Workers(1, 0, kind="read", log=Log(tmp_path / "studio.log"), **how))
        return made[-1]

    return make


async def worked(workers: Workers, trial):
    """What comes of a trial; its processes are ended."""
    try:
        return await trial()
    finally:
        await workers.close()


def test_owners_take_turns():
    """However many jobs one has, another's first comes next but one at the latest."""
    queue = FairQueue()
    for name, owner in enumerate("aaaabbc"):
        queue.put(Job({"name": name}, owner=owner))
    waits = Job({"name": "last"}, owner="c")
    queue.put(waits)
    assert queue.place(waits) == 5
    order = []
    while (job := queue.take(lambda owner: True)) is not None:
        order.append(job.owner)
    assert "".join(order) == "abcabcaa"
    queue.put(waits)
    queue.remove(waits)
    assert queue.take(lambda owner: True) is None
    queue.put(waits)
    assert queue.take(lambda owner: owner != "c") is None


def test_one_users_jobs_do_not_block_another(monkeypatch):
    """Two of one user are at work, a third waits; another user's starts at once."""
    started: list[str] = []

    async def work(self, job):
        started.append(job.request["name"])
        await asyncio.sleep(0.02 if job.owner == "a" else 0.2)
        job.state = "done"

    monkeypatch.setattr(Workers, "_run", work)

    async def trial():
        workers = Workers(2, 1)
        jobs = [workers.submit({"name": name}, owner=name[0]) for name in ("a1", "a2", "a3")]
        await asyncio.sleep(0.005)
        jobs += [workers.submit({"name": name}, owner=name[0]) for name in ("b1", "b2")]
        await asyncio.sleep(0.005)
        soon = list(started)
        for job in jobs:
            await job.ended.wait()
        return soon

    assert asyncio.run(trial()) == ["a1", "a2", "b1"]
    assert started == ["a1", "a2", "b1", "a3", "b2"]


def test_a_worker_that_dies_is_replaced_and_said(pool, tmp_path):
    workers = pool()

    async def trial():
        assert (await workers.ask(QUICK, seconds=60)).result["marks"] == []
        long = workers.submit(QUICK | {"text": "x " * 400_000})
        while long.state == "waiting":
            await asyncio.sleep(0.01)
        for pid in workers.pids:
            os.kill(pid, signal.SIGKILL)
        await long.ended.wait()
        return long, await workers.ask(QUICK, seconds=60)

    dead, after = asyncio.run(worked(workers, trial))
    assert dead.state == "failed"
    reference = dead.result["error"].split()[-1]
    log = (tmp_path / "studio.log").read_text()
    assert f"[{reference}] read: process" in log
    assert "ended with code -9 in: check" in log
    assert after.state == "done"


def test_a_worker_that_hangs_is_replaced_and_its_place_logged(pool, tmp_path):
    """No sign of life: it is asked where it is, ended, and another does the next job."""
    workers = pool()

    async def trial():
        await workers.ask(QUICK, seconds=60)
        for pid in workers.pids:
            os.kill(pid, signal.SIGSTOP)
        workers.silence = 0.5
        hung = workers.submit(QUICK)
        await hung.ended.wait()
        workers.silence = 60.0
        return hung, await workers.ask(QUICK, seconds=60)

    hung, after = asyncio.run(worked(workers, trial))
    assert hung.state == "failed"
    assert "gave no sign of life for 0.5 s" in (tmp_path / "studio.log").read_text()
    assert after.state == "done"


def test_a_job_ends_at_its_time_limit(pool):
    workers = pool()

    async def trial():
        late = workers.submit(QUICK | {"text": "x " * 400_000}, seconds=0.3)
        await late.ended.wait()
        return late, await workers.ask(QUICK, seconds=60)

    late, after = asyncio.run(worked(workers, trial))
    assert late.state == "failed"
    assert late.result["error"] == "it was stopped: it took longer than the limit of 0.3 s"
    assert after.state == "done"


def test_a_fault_of_ours_has_its_traceback_in_the_log(pool, tmp_path):
    """The page gets a reference, and neither the error nor a path of this machine."""
    workers = pool()

    async def trial():
        return await workers.ask({"kind": "check", "text": None, "robot": "lola15"}, seconds=60)

    job = asyncio.run(worked(workers, trial))
    assert job.state == "failed"
    said = job.result["error"]
    assert said.startswith("something failed inside; the log of the studio has it as ")
    log = (tmp_path / "studio.log").read_text()
    assert f"[{said.split()[-1]}] read: check\nTraceback" in log
    assert "TypeError" in log
    assert (tmp_path / "studio.log").stat().st_mode & 0o077 == 0


def test_a_job_that_nobody_waits_for_any_more_leaves_the_queue(pool):
    workers = pool()

    async def trial():
        first = workers.submit(QUICK | {"text": "x " * 400_000}, owner="a")
        second = workers.submit(QUICK, owner="b")
        second.cancel()
        first.cancel()
        await asyncio.sleep(0)
        return len(workers.queue), first, second

    left, *jobs = asyncio.run(worked(workers, trial))
    assert left == 0
    assert [job.state for job in jobs] == ["cancelled"] * 2
