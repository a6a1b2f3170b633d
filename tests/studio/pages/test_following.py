"""Pages of one session follow its job: the one that is seen takes the result, all show it."""

import asyncio

import pytest

from erfd.studio.jobs.workers import Job
from erfd.studio.pages.following import Following
from erfd.studio.runs.store import Store
from erfd.studio.session import Session
from erfd.studio.studio import Studio
from erfd.studio.workspace import TOPICS, Workspace

OFFER = {"kind": "repair", "original": "a", "text": "b"}


class Page:
    """A page of a session, as far as its following of the job goes."""

    def __init__(self, studio: Studio, session: Session):
        self.workspace = Workspace(studio, session)
        self.seen, self.told = True, []
        for topic in TOPICS:
            self.workspace._listeners[topic].append(lambda topic=topic: self.told.append(topic))
        self.following = Following(self.workspace, lambda: self.seen)

    def look(self) -> list[str]:
        """What is shown anew by a look at the job."""
        self.told.clear()
        asyncio.run(self.following.look())
        return list(self.told)


@pytest.fixture
def pages(tmp_path):
    studio, session = Studio(Store(tmp_path)), Session("s")
    return session, lambda: Page(studio, session)


def test_a_page_that_is_gone_does_not_take_the_result(pages):
    """The reloaded page lives on for half a minute: its result would be seen by nobody."""
    session, page = pages
    old = page()
    session.job = Job({"kind": "repair"}, "running")
    assert old.look() == ["job"]
    old.seen = False
    new = page()
    session.job.state, session.job.result = "done", OFFER
    assert old.look() == []
    assert session.offer is None
    assert new.look() == ["offer", "job"]
    assert session.offer is OFFER
    assert old.look() == new.look() == []


def test_every_page_shows_what_another_has_taken(pages):
    """A page that came while the result was being kept shows it, once."""
    session, page = pages
    session.job = Job({"kind": "repair", "shown": True}, "done", result=OFFER)
    late = page()
    assert late.look() == []  # not kept yet
    session.job.request["kept"] = True
    assert late.look() == ["run", "runs", "offer", "job"]
    assert late.look() == []
    assert page().look() == []  # it was built of what is there


def test_what_cannot_be_kept_is_said_once_and_ends_the_job(pages):
    session, page = pages
    first, second = page(), page()
    said = []
    first.workspace.notify = second.workspace.notify = said.append
    session.job = Job({"kind": "verify"}, "failed", result={"error": "no room"})
    assert first.look() == ["job"]
    assert said == ["no room"]
    assert second.look() == ["run", "runs", "offer", "job"]
    assert said == ["no room"]
