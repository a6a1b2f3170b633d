"""Results are the server's: the page that is seen shows them, whichever page has asked."""

import asyncio

import pytest

from erfd.studio.jobs.job import Job
from erfd.studio.pages.following import Following
from erfd.studio.results import Results
from erfd.studio.runs.store import Store
from erfd.studio.session import Session
from erfd.studio.studio import Studio
from erfd.studio.workspace import TOPICS, Workspace

OFFER = {"kind": "repair", "original": "a", "text": "b"}


class Page:
    """A page of a session, as far as its following of the job goes."""

    def __init__(self, studio: Studio, session: Session):
        self.workspace = Workspace(studio, session)
        self.seen, self.told, self.said = True, [], []
        self.workspace.connected = lambda: self.seen
        self.workspace.notify = self.said.append
        for topic in TOPICS:
            self.workspace._listeners[topic].append(lambda topic=topic: self.told.append(topic))
        self.workspace.enter()
        self.following = Following(self.workspace)

    def look(self) -> list[str]:
        """What was told since the last look, and is by this one."""
        self.following.look()
        told, self.told[:] = list(self.told), []
        return told


@pytest.fixture
def pages(tmp_path):
    studio, session = Studio(Store(tmp_path)), Session("s")

    def end(**how) -> None:
        for key, value in how.items():
            setattr(session.job, key, value)
        asyncio.run(Results(studio, session).take(session.job))

    return session, lambda: Page(studio, session), end


def test_the_page_after_a_reload_shows_the_result(pages):
    """The reloaded page lives on for half a minute; what comes then is for the new one."""
    session, page, end = pages
    old = page()
    session.job = Job({"kind": "repair"}, "running")
    assert old.look() == ["job"]
    old.seen = False
    new = page()
    end(state="done", result=OFFER)
    assert session.offer is OFFER
    assert old.look() == []
    assert new.look() == ["offer", "job", "job"]
    assert new.look() == []


def test_a_result_between_two_pages_is_there_for_the_next(pages):
    """It ends while no page is seen: the next one is built of it, and says what went wrong."""
    session, page, end = pages
    old = page()
    session.job = Job({"kind": "repair"}, "running")
    old.seen = False
    end(state="done", result=OFFER)
    assert session.offer is OFFER
    session.job = Job({"kind": "verify"}, "running")
    end(state="failed", result={"error": "no room"})
    assert old.said == []
    new = page()
    assert new.said == ["no room"]
    assert page().said == []


def test_a_page_that_loses_its_connection_hears_of_it_afterwards(pages):
    session, page, end = pages
    only = page()
    session.job = Job({"kind": "verify"}, "running")
    only.look()
    only.seen = False
    end(state="failed", result={"error": "no room"})
    assert only.said == []
    only.seen = True
    only.look()
    assert only.said == ["no room"]
