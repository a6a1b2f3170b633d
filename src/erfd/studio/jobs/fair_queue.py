"""Queue of jobs that is fair among those who ask: their turns come round."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable

from .job import Job


class FairQueue:
    """Jobs that wait; `take` goes round the owners, each with its oldest job first.

    >>> queue = FairQueue()
    >>> for owner, name in ("a", 1), ("a", 2), ("a", 3), ("b", 4):
    ...     queue.put(Job({"name": name}, owner=owner))
    >>> [queue.take(lambda owner: True).request["name"] for _ in range(4)]
    [1, 4, 2, 3]
    """

    def __init__(self) -> None:
        self._jobs: OrderedDict[str, deque[Job]] = OrderedDict()

    def __len__(self) -> int:
        return sum(map(len, self._jobs.values()))

    def put(self, job: Job) -> None:
        """Let a job wait for its turn."""
        self._jobs.setdefault(job.owner, deque()).append(job)

    def take(self, may_start: Callable[[str], bool]) -> Job | None:
        """The next job, of an owner who may start one; None if there is none."""
        for owner, jobs in self._jobs.items():
            if may_start(owner):
                job = jobs.popleft()
                if jobs:
                    self._jobs.move_to_end(owner)
                else:
                    del self._jobs[owner]
                return job
        return None

    def remove(self, job: Job) -> None:
        """Forget a job that waits."""
        jobs = self._jobs.get(job.owner, deque())
        if job in jobs:
            jobs.remove(job)
            if not jobs:
                del self._jobs[job.owner]

    def place(self, job: Job) -> int:
        """How many jobs are before this one at most, 0 if it does not wait."""
        jobs = self._jobs.get(job.owner, deque())
        if job not in jobs:
            return 0
        turn = list(jobs).index(job)
        others = (q for owner, q in self._jobs.items() if owner != job.owner)
        return turn + sum(min(len(q), turn + 1) for q in others)
