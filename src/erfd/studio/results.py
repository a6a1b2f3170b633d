"""What becomes of the jobs of a session: runs are kept and shown, changes offered, or why not.

It happens on the server, whether a page is open or not: the next one shows what has come of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import run as threads

from ..errors import ErfdError
from ..report.wording.texts import Words
from ..report.wording.verdict import short_verdict
from .jobs.requests import folders_of
from .runs.facts import kept_facts
from .runs.store import About

if TYPE_CHECKING:
    from .jobs.job import Job
    from .session import Session
    from .studio import Studio


class Results:
    """The results of the jobs of one session."""

    def __init__(self, studio: Studio, session: Session):
        self.studio, self.session = studio, session
        self.words = Words(session.language)

    async def take(self, job: Job) -> None:
        """Take what has come of a job so far; called with its early result and with its end."""
        async with job.taking:
            await self._take(job)

    async def _take(self, job: Job) -> None:
        try:
            if job.early is not None:
                early, job.early = job.early, None
                await self._keep_and_show(early, folders_of(job.request)[0], job)
                job.kept = str(early["id"])
            if not job.active:
                await self._take_end(job)
        except (ErfdError, OSError) as error:
            self._say_wrong(str(error))
        finally:
            if not job.active:
                self._drop(job)
            self.session.tell("job")

    async def _take_end(self, job: Job) -> None:
        if job.state == "failed":
            self._say_wrong(str(job.result.get("error", "")))
        elif job.state == "done":
            kinds = {"repair": self._offer, "fastest": self._compare, "verify": self._verified,
                     "study": self._studied, "variant": self._verified}  # fmt: skip
            await kinds[job.request.get("kind", "verify")](job)

    def _say_wrong(self, text: str) -> None:
        self.session.say("notify", self.studio.without_paths(self.session, text))

    async def _verified(self, job: Job) -> None:
        if not job.kept:
            await self._keep_and_show(job.result, folders_of(job.request)[0], job)
            return
        more = {"advice": job.result["figures"]["advice"]}
        about = await threads.io_bound(self.studio.store.add_figures, job.kept, more)
        run = self.session.run
        if about is not None and run is not None and run.about.id == about.id:
            run.about = about
            self.session.tell("run")

    async def _studied(self, job: Job) -> None:
        self.session.study = job.result | {"of": job.request["of"]}
        self.session.tell("study")

    async def _offer(self, job: Job) -> None:
        self.session.offer = job.result
        self.session.tell("offer")

    async def _keep_and_show(self, result: dict[str, Any], part: Path, job: Job) -> None:
        """Keep the run of a job, and show it if robot and cell are still the same."""
        session, store = self.session, self.studio.store
        about = await threads.io_bound(store.keep, part, About.of(result))
        if about is None:  # the studio is ending
            return
        session.saved_text = about.program
        if session.stage == session.job_stage and session.job is job:
            await self._open(about)
        else:  # another robot or cell is set up by now
            self._say_kept(about)
        session.tell("runs")

    async def _open(self, about: About, *, other: bool = False) -> None:
        path = self.studio.store.path(about.id)
        open_run = await threads.io_bound(self.studio.runs.open, path, about)
        if open_run is not None:
            self.studio.put(self.session, open_run, other=other)
            self.session.tell("run")

    def _say_kept(self, about: About) -> None:
        """Say that a run is among the kept ones and not shown."""
        verdict = short_verdict(self.words, kept_facts(about))
        self.session.say("inform", self.words("kept_beside", name=about.name, verdict=verdict))

    async def _compare(self, job: Job) -> None:
        """Keep a fastest motion, and lay it over the run of its program."""
        session, folders = self.session, folders_of(job.request)
        if job.result["before"] is not None:
            await self._keep_and_show(job.result["before"], folders[1], job)
        fastest = About.of(job.result["fastest"])
        about = await threads.io_bound(self.studio.store.keep, folders[0], fastest)
        if about is None:
            return
        shown = session.run.about if session.run is not None else None
        same = session.stage == session.job_stage
        if same and shown is not None and shown.id == job.request["of"]:
            await self._open(about, other=True)
            if session.page is not None:
                session.page.show_tab("compare")
        else:
            self._say_kept(about)
        session.tell("runs")

    def _drop(self, job: Job) -> None:
        """Delete the folders of a job that have not become runs."""
        for part in folders_of(job.request):
            self.studio.store.drop(part)
