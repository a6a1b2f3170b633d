"""What the studio kept in earlier versions."""

import asyncio
import json
import shutil
from dataclasses import asdict

import pytest

import erfd
from erfd.report.wording.texts import Words
from erfd.report.wording.verdict import headline
from erfd.studio.runs.facts import kept_facts
from erfd.studio.runs.open_runs import OpenRun
from erfd.studio.runs.restore import restore
from erfd.studio.runs.store import Store
from erfd.studio.session import Session
from erfd.studio.studio import Studio
from erfd.studio.workspace import Workspace
from support.golden import (
    LATER,
    check_run,
    each,
    expected,
    known_then,
    listed_then,
    robot_of,
    same_run,
    versions,
)


@versions
def test_the_studio_keeps_an_old_recording(folder, kept, capsys):
    """One that an old studio left behind when it was killed."""
    before = {about.id for about in kept.list()}
    _, part = kept.new()
    shutil.copy(folder / "monitor/shift.parquet.journal", part / "run.parquet.journal")
    Studio(kept).keep_left()
    found = [about for about in kept.list() if about.id not in before]
    sizes = [len(erfd.read_run(folder / f"monitor/{x}.parquet")) for x in ("shift", "shift-2")]
    assert sorted(about.size for about in found) == sorted(sizes)
    assert {about.robot for about in found} == {"pendulum"}
    for about in found:
        then = folder / f"monitor/{'shift' if about.size == sizes[0] else 'shift-2'}.parquet"
        same_run(kept.path(about.id), then)
        assert kept.path(about.id).with_name("run.events.jsonl").exists()
    assert capsys.readouterr().err == ""


@each("kept")
def test_a_kept_run(folder, name, kept):
    """It is in the list, and brings back all that made it."""
    entry = expected(folder)["kept"][name]
    assert kept.damaged() == ()
    assert sorted(about.id for about in kept.list()) == sorted(expected(folder)["kept"])
    about = kept.about(name)
    assert listed_then(about, entry["about"]) == entry["about"]
    shown = OpenRun(kept.path(name), about)
    assert headline(Words("en"), kept_facts(about, shown.file)) == entry["verdict"]
    assert list(shown.diagrams) == entry["diagrams"]
    for diagram in shown.diagrams:
        assert shown.diagram(diagram, 100)
    assert shown.poses(None, None, 100)
    assert shown.path()
    check_run(shown.file, expected(folder)["runs"][f"runs/{name}/run.parquet"])
    session = Session("s")
    try:
        restore(session, shown.file, about.settings)
        assert known_then(asdict(session.setup), entry["setup"], LATER) == entry["setup"]
        assert session.robot == shown.file.robot
        carried = session.setup.carried()
        if carried is not None:  # m and m c are what the run tells of it
            row = [carried.mass, *(carried.mass * x for x in carried.center)]
            assert shown.file["payload"][1, :4].tolist() == pytest.approx(row)
        things = [] if session.cell is None else [thing.name for thing in session.cell.things]
        assert things == entry["cell"]
    finally:
        session.close()


@each("kept")
def test_the_studio_opens_a_kept_run(folder, name, kept):
    """With its program on the bench; under another name it stays the same run."""
    entry = expected(folder)["kept"][name]
    said = []
    bench = Workspace(Studio(kept), Session("s"))
    bench.notify = said.append
    try:
        asyncio.run(bench.show(name))
        assert bench.session.text == entry["about"]["program"]
        assert known_then(asdict(bench.session.setup), entry["setup"], LATER) == entry["setup"]
        assert bench.session.run.about.name == entry["about"]["name"]
        assert not bench.session.stale
        asyncio.run(bench.show_file(folder / "verify_heavy/run.parquet"))
        assert bench.session.robot == robot_of(folder, "pendulum")
        t = erfd.read_run(folder / "verify_heavy/run.parquet")["t"]
        assert bench.session.setup.dt == pytest.approx(t[1] - t[0])
        assert "program Heavy;" in bench.session.text
    finally:
        bench.session.close()
    assert said == []
    kept.rename(name, "another name")
    again = Store(kept.folder).about(name)
    assert listed_then(again, entry["about"]) == entry["about"] | {"name": "another name"}


@versions
def test_a_draft_in_the_browser(folder, tmp_path):
    draft = json.loads((folder / "draft.json").read_text(encoding="utf-8"))
    bench = Workspace(Studio(Store(tmp_path)), Session("s"))
    assert bench.set_up_again(draft["setup"])
    assert known_then(asdict(bench.session.setup), draft["setup"], LATER) == draft["setup"]
    assert bench.session.robot.name == "two_link"
    assert erfd.lirl.parse(draft["text"])
