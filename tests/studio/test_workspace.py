"""The workspace of a tab: what a verification, a run and old settings make of it."""

import asyncio
from dataclasses import asdict, replace

import pytest

from erfd.cell.reader import load_cell
from erfd.studio.browser.scene_data import cell_of
from erfd.studio.examples import example_cells
from erfd.studio.jobs import fastest
from erfd.studio.jobs.job import Job
from erfd.studio.jobs.verification import work
from erfd.studio.results import Results
from erfd.studio.runs.store import Store
from erfd.studio.session import Session, Setup
from erfd.studio.studio import LEFT, Studio
from erfd.studio.workspace import Workspace
from support.studio_jobs import SHORT, request


def verified(bench: Workspace, setup: Setup, **more: object) -> None:
    """The bench at the moment when a worker has done its job."""
    run_id, part = bench.studio.store.new()
    about = work(request(part, SHORT, setup, id=run_id, **more), lambda part, stage: None)
    bench.session.job = Job({"folder": str(part)}, "done", result=about)


def finish(bench: Workspace) -> None:
    """Let the server take what has come of the job; the page hears of it."""
    bench.session.page = bench
    asyncio.run(Results(bench.studio, bench.session).take(bench.session.job))


@pytest.mark.parametrize("late", [False, True])
def test_a_verification_of_another_robot_is_kept_but_not_shown(late, tmp_path):
    """Who has chosen another robot meanwhile does not see the old one in its place."""
    said = []
    bench = Workspace(Studio(Store(tmp_path)), Session("s"))
    bench.inform = said.append
    bench.session.job_stage = bench.session.stage
    verified(bench, Setup())
    if late:
        bench.session.setup.robot = "puma560"
    finish(bench)
    assert (bench.session.run is None) == late
    assert len(said) == late
    assert [about.name for about in bench.studio.store.list()] == ["p"]


def test_a_run_that_cannot_be_kept_ends_its_job(tmp_path, monkeypatch):
    """A full disk at the last moment: a sentence, nothing half-kept, and the page goes on."""
    told, said = [], []
    bench = Workspace(Studio(Store(tmp_path)), Session("s"))
    bench._listeners["job"].append(lambda: told.append("job"))
    bench.session.job_stage = bench.session.stage
    verified(bench, Setup())

    def full(handle):
        raise OSError(28, "No space left on device")

    bench.notify = said.append
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        finish(bench)
    assert len(said) == 1
    assert said[0].endswith("cannot be written: No space left on device")
    assert str(tmp_path) not in said[0]
    assert told == ["job"]
    assert not list(tmp_path.iterdir())
    assert bench.session.run is None


def test_a_run_that_is_only_looked_at_leaves_the_bench_alone(tmp_path):
    """It stands in its own cell; opened with its program, it brings all that made it."""
    bench = Workspace(Studio(Store(tmp_path)), Session("s"))
    cell = example_cells()["lola15_workshop"]
    made = Setup("lola15", cell.stem, dt=0.02)
    bench.session.job_stage = bench.session.stage
    verified(bench, made, cell_file=str(cell))
    finish(bench)
    (about,) = bench.studio.store.list()
    bench.session.text = "program mine; seq endseq endprogram"
    bench.session.setup = Setup("puma560")
    asyncio.run(bench.show(about.id, program=False))
    assert bench.session.setup == Setup("puma560")
    assert bench.session.cell is None
    assert cell_of(bench.session.scene_cell) == cell_of(load_cell(cell))
    assert bench.session.stale
    assert bench.session.unsaved
    asyncio.run(bench.show(about.id))
    assert bench.session.setup == made
    assert bench.session.text == SHORT
    assert cell_of(bench.session.scene_cell) == cell_of(load_cell(cell))
    assert not bench.session.stale
    assert not bench.session.unsaved
    bench.session.setup.payload = [1.0, 0.0, 0.0, 0.0]
    assert bench.session.stale


def test_settings_of_a_page_that_is_gone(tmp_path):
    """All that is not a file comes back; what is nonsense changes nothing."""
    bench = Workspace(Studio(Store(tmp_path)), Session("s"))
    cell = next(iter(example_cells()))
    made = Setup(
        "puma560", cell, dt=0.02, payload=[2.0, 0.0, 0.0, 0.1], signals="time,signal,value"
    )
    assert bench.set_up_again(asdict(made))
    assert bench.session.setup == made
    assert bench.session.cell_file == example_cells()[cell]
    assert not bench.set_up_again(asdict(replace(made, robot="mine.toml", cell="hall.toml")))
    assert bench.session.setup == replace(made, robot="lola15", cell="")
    assert bench.session.cell is None
    assert not bench.set_up_again({"dt": "soon"})
    assert bench.session.setup == replace(made, robot="lola15", cell="")


class Pool:
    """Workers that note what they are asked."""

    def __init__(self) -> None:
        self.asked: list[Job] = []

    def submit(self, request: dict, **more: object) -> Job:
        self.asked.append(Job(request))
        return self.asked[-1]


def offered(tmp_path, **more: object) -> Workspace:
    """The bench that is offered a change of its text."""
    bench = Workspace(Studio(Store(tmp_path), workers=Pool()), Session("s", text=SHORT))
    bench.repair()
    job = bench.session.job
    assert (job.request["kind"], job.request["program"]) == ("repair", SHORT)
    job.state = "done"
    job.result = {"original": SHORT, "text": SHORT.replace("20", "10")} | more
    finish(bench)
    return bench


def test_an_accepted_repair_is_the_text_and_is_verified(tmp_path):
    """The verdict is that of a verification of just this text; until then it is an old one."""
    bench = offered(tmp_path)
    assert bench.session.text == SHORT  # nothing happens by itself
    shown = []
    bench._listeners["text"].append(lambda: shown.append(bench.session.text))
    bench.accept_offer()
    assert bench.session.text == SHORT.replace("20", "10")
    assert shown == [bench.session.text]
    assert bench.session.unsaved  # it is kept once it is verified
    job = bench.studio.workers.asked[-1]
    assert (job.request["kind"], job.request["program"]) == ("verify", bench.session.text)
    assert bench.session.offer is None


def test_a_repair_that_is_left_changes_nothing(tmp_path):
    bench = offered(tmp_path)
    offer = bench.session.offer
    bench.leave_offer(dict(offer))  # an earlier one, whose dialog goes late
    assert bench.session.offer is offer
    bench.leave_offer(offer)
    bench.accept_offer()  # there is none any more
    assert bench.session.text == SHORT
    assert len(bench.studio.workers.asked) == 1
    assert not list(tmp_path.iterdir())


def test_a_repair_of_another_text_replaces_nothing(tmp_path):
    """Who typed on meanwhile does not lose it."""
    said = []
    bench = offered(tmp_path)
    bench.notify = said.append
    bench.session.text = "program mine; seq endseq endprogram"
    bench.accept_offer()
    assert bench.session.text == "program mine; seq endseq endprogram"
    assert said == [bench.words("offer_late")]
    assert len(bench.studio.workers.asked) == 1


def timed(bench: Workspace) -> Job:
    """The job of a fastest motion, done."""
    bench.fastest()
    job = bench.session.job
    job.result, job.state = fastest.work(job.request, lambda part, stage: None), "done"
    finish(bench)
    return job


@pytest.mark.parametrize("edited", [False, True])
def test_the_fastest_motion_is_laid_over_the_run_of_the_program(edited, tmp_path):
    """Over the run that is shown, if that is of this text; else that is made, too."""
    bench = Workspace(Studio(Store(tmp_path), workers=Pool()), Session("s", text=SHORT))
    bench.session.job_stage = bench.session.stage
    tabs = []
    bench.show_tab = tabs.append
    verified(bench, Setup())
    finish(bench)
    first = bench.session.run.about.id
    if edited:
        bench.session.text = SHORT.replace("20", "30")
    job = timed(bench)
    assert (job.request["beside"] is None) != edited
    assert (bench.session.run.about.id == first) != edited
    assert bench.session.run.about.program == bench.session.text
    assert not bench.session.stale
    other = bench.session.other.about
    assert other.name == "untitled, fastest"
    assert other.seconds < bench.session.run.about.seconds
    assert tabs == ["compare"]
    assert len(bench.studio.store.list()) == 2 + edited
    bench.fastest()  # and is cancelled
    bench.cancel()
    finish(bench)
    assert len(list(tmp_path.iterdir())) == 2 + edited


def test_a_fastest_motion_of_another_robot_is_kept_but_not_shown(tmp_path):
    bench = Workspace(Studio(Store(tmp_path), workers=Pool()), Session("s", text=SHORT))
    said = []
    bench.inform = said.append
    bench.fastest()
    job = bench.session.job
    job.result, job.state = fastest.work(job.request, lambda part, stage: None), "done"
    bench.session.setup.robot = "puma560"
    finish(bench)
    assert bench.session.run is None
    assert bench.session.other is None
    assert len(said) == 2
    assert len(bench.studio.store.list()) == 2


def test_the_verdict_comes_before_the_advice_and_stays_if_that_is_cancelled(tmp_path):
    bench = Workspace(Studio(Store(tmp_path)), Session("s", text=SHORT))
    bench.session.job_stage = bench.session.stage
    run_id, part = bench.studio.store.new()
    came = []
    asked = request(part, SHORT, Setup(), id=run_id, advice=True)
    whole = work(asked, lambda part, stage, early=None: came.append(early))
    (early,) = [about for about in came if about is not None]
    assert "advice" not in early["figures"]
    job = bench.session.job = Job({"kind": "verify", "folder": str(part)}, "running", early=early)
    finish(bench)
    assert bench.session.run.about.feasible
    assert not bench.session.stale
    job.state = "cancelled"
    finish(bench)
    (about,) = bench.studio.store.list()
    assert "advice" not in about.figures
    job.state, job.result = "done", whole
    finish(bench)
    (about,) = bench.studio.store.list()
    assert about.figures["advice"] == whole["figures"]["advice"]
    assert bench.session.run.about == about


@pytest.mark.parametrize("keep", [False, True])
def test_a_job_whose_last_page_is_gone_is_cancelled(keep, tmp_path):
    studio = Studio(Store(tmp_path), keep_jobs=keep)
    left, seen = studio.sessions.of("left"), studio.sessions.of("seen")
    for session in (left, seen):
        session.job = Job({}, "running")
    studio.cancel_left()
    assert left.job.active
    left.seen -= LEFT + 1
    studio.cancel_left()
    assert left.job.active == keep
    assert seen.job.active
