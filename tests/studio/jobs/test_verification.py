"""What a worker does for the page, and the examples it does it with."""

import asyncio
import json
import subprocess
import sys
import zipfile
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

import erfd
from erfd.cell.reader import load_cell
from erfd.errors import InputError
from erfd.lirl.signal_schedule import read_signal_schedule
from erfd.run.run_file import RunFile
from erfd.studio.browser.scene_data import cell_of
from erfd.studio.examples import example_cells, example_setup, example_texts
from erfd.studio.jobs.verification import work
from erfd.studio.jobs.workers import Job
from erfd.studio.runs.restore import restore
from erfd.studio.runs.store import Store
from erfd.studio.session import Session, Setup
from erfd.studio.studio import Studio
from erfd.studio.workspace import Workspace
from erfd.verification import verify
from support.paths import ROOT

WAITING = """program w;
var signal in bool: ready; endvar
seq move ptp joint(mainjoint(20)); wait for ready; move ptp joint(mainjoint(0)); endseq endprogram
"""


def request(folder: Path, program: str, setup: Setup, **more: object) -> dict:
    return {
        "id": "x", "name": "p", "folder": str(folder), "program": program, "setup": asdict(setup),
        "robot_file": None, "cell_file": None, "enclosed": False, "advice": False,
    } | more  # fmt: skip


def test_signals_come_when_the_schedule_says(tmp_path):
    """The program waits for its signal, and ends later by as much as the signal is later."""
    ends = []
    for time in (2.0, 3.5):
        setup = Setup(signals=f"time,signal,value\n{time},ready,true\n")
        about = work(request(tmp_path, WAITING, setup), lambda part, stage: None)
        assert about["settings"]["signals"] == setup.signals
        ends.append(about["seconds"])
    assert ends[1] - ends[0] == pytest.approx(1.5, abs=1e-9)
    with pytest.raises(erfd.lirl.ProgramError, match="waits for ever"):
        work(request(tmp_path, WAITING, Setup()), lambda part, stage: None)
    wrong = Setup(signals="time,signal,value\n1,raedy,true\n")
    with pytest.raises(InputError, match="'raedy' is no input signal of the program; did you"):
        work(request(tmp_path, WAITING, wrong), lambda part, stage: None)


def test_the_clearance_is_that_of_the_verification(tmp_path):
    """The worker tells what `erfd verify --cell` finds: contacts, and where it was nearest."""
    cell_file = example_cells()["lola15_workshop"]
    program = "program p; seq move ptp joint(mainjoint(90, 30, 20)); endseq endprogram"
    stages = []
    setup = Setup(dt=0.02)
    asked = request(tmp_path, program, setup, cell_file=str(cell_file))
    about = work(asked, lambda part, stage: stages.append((part, stage)))
    cell = load_cell(cell_file)
    found = verify(program, setup.placed(erfd.load("lola15"), cell), dt=0.02, cell=cell)
    assert about["contacts"] == [asdict(contact) for contact in found.contacts]
    near = about["figures"]["clearance"]
    said = f"{1000 * near['distance']:.1f} mm between {near['link']} and {near['thing']}"
    assert found.smallest_clearance == f"{said} at {near['time']:.2f} s"
    assert about["feasible"] == found.feasible
    parts = [part for part, _ in stages]
    assert parts == sorted(parts)


OWN_CELL = """name = "mine"
[mount]
xyz = [0.0, 0.1, 0.3]
[[object]]
shape = "mesh"
file = "block.stl"
xyz = [3.0, 0.0, 0.0]
"""
BLOCK = "\n".join(
    ["solid b"]
    + [
        f"facet normal 0 0 0\nouter loop\nvertex {a}\nvertex {b}\nvertex {c}\nendloop\nendfacet"
        for a, b, c in (
            ("0 0 0", "0 1 0", "1 0 0"), ("0 0 0", "1 0 0", "0 0 1"),
            ("0 0 0", "0 0 1", "0 1 0"), ("1 0 0", "0 1 0", "0 0 1"),
        )
    ]
    + ["endsolid b"]
)  # fmt: skip
SHORT = "program p; seq move ptp joint(mainjoint(20)); endseq endprogram"


def made_by(setup: Setup, folder: Path, **more: object) -> tuple[RunFile, dict]:
    """A run that a worker has made, as it lies in its folder."""
    folder.mkdir()
    about = work(request(folder, SHORT, setup, **more), lambda part, stage: None)
    return RunFile(folder / "run.parquet"), about


@pytest.mark.parametrize("name", ["lola15", "stanford"])
@pytest.mark.parametrize("mount", [None, [0.1, 0.0, 0.2, 180.0, 0.0, 30.0]])
def test_the_set_up_that_made_a_run_comes_back(name, mount, tmp_path):
    """A new session gets the robot of the run exactly, and every setting as it was typed."""
    setup = Setup(name, "lola15_workshop" if name == "lola15" else "", mount)
    setup.payload, setup.wrench = [2.0, 0.0, 0.01, 0.1], [1.0, 2.0, 3.0, 0.0, 0.0, 0.4]
    setup.dt, setup.signals = 0.004, ""
    cell = example_cells().get(setup.cell)
    file, about = made_by(setup, tmp_path / "a", cell_file=str(cell) if cell else None)
    session = Session("s")
    restore(session, file, json.loads(json.dumps(about["settings"])))
    assert session.setup == setup
    assert session.robot == file.robot
    assert session.robot_file is None
    assert session.cell_file == cell

    restore(session, file, {})  # a file that came alone: without payload and cell
    assert session.robot.mount.xyz == pytest.approx(file.robot.mount.xyz, abs=1e-9)
    np.testing.assert_allclose(session.robot.mount.rotation, file.robot.mount.rotation, atol=1e-9)
    assert (session.setup.wrench, session.setup.dt) == (setup.wrench, setup.dt)


def test_robot_and_cell_of_the_user_come_back_with_the_run(tmp_path):
    """Also when the session that brought the files is long gone, and under a bundled name."""
    first = Session("s")
    own = first.folder / "lola15.toml"
    erfd.save(replace(erfd.load("lola15"), gravity=(0.0, 0.0, -1.6)), own)
    (first.folder / "hall.toml").write_text(OWN_CELL)
    (first.folder / "block.stl").write_text(BLOCK)
    (first.folder / "other.stl").write_text(BLOCK)
    setup = Setup(own.name, "hall.toml")
    cell = first.folder / "hall.toml"
    file, about = made_by(
        setup, tmp_path / "a", robot_file=str(own), cell_file=str(cell), enclosed=True
    )
    assert {path.name for path in (tmp_path / "a" / "cell").iterdir()} == {"hall.toml", "block.stl"}
    first.close()
    session = Session("t")
    restore(session, file, about["settings"])
    assert session.robot == file.robot
    assert session.robot.gravity == (0.0, 0.0, -1.6)
    assert session.robot.mount.xyz == (0.0, 0.1, 0.3)
    assert [thing.name for thing in session.cell.things] == ["object 1"]
    assert session.cell_file.parent == session.folder  # an upload as any other: deleted with it
    session.close()


def verified(bench: Workspace, setup: Setup, **more: object) -> None:
    """The bench at the moment when a worker has done its job."""
    run_id, part = bench.studio.store.new()
    about = work(request(part, SHORT, setup, id=run_id, **more), lambda part, stage: None)
    bench.session.job = Job({"folder": str(part)}, "done", result=about)


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
    asyncio.run(bench.finish())
    assert (bench.session.run is None) == late
    assert len(said) == late
    assert [about.name for about in bench.studio.store.list()] == ["p"]


def test_a_run_that_cannot_be_kept_ends_its_job(tmp_path, monkeypatch):
    """A full disk at the last moment: a sentence, nothing half-kept, and the page goes on."""
    told = []
    bench = Workspace(Studio(Store(tmp_path)), Session("s"))
    bench._listeners["job"].append(lambda: told.append("job"))
    bench.session.job_stage = bench.session.stage
    verified(bench, Setup())

    def full(handle):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(InputError, match="cannot be written: No space left on device"):
            asyncio.run(bench.finish())
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
    asyncio.run(bench.finish())
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


@pytest.mark.parametrize(
    "wrong",
    [{"dt": 0}, {"dt": "x"}, {"wrench": [1, 2]}, {"mount": [0, 0, 0, 0, 0, None]}, {"robot": 3},
     {"more": 1}, {"payload": [float("nan"), 0, 0, 0]}],
)  # fmt: skip
def test_settings_that_somebody_changed_are_a_sentence(wrong):
    with pytest.raises(InputError, match=f"settings: {next(iter(wrong))}"):
        Setup.of(wrong)


def test_every_example_comes_with_its_robot_and_its_signals():
    files = {path.stem: path for path in (ROOT / "examples").glob("*.irl")}
    assert set(example_texts()) == set(files)
    for name, path in files.items():
        setup = example_setup(name)
        assert setup.get("robot", "lola15") in erfd.robots()
        beside = path.with_suffix(".signals.csv")
        assert bool(setup["signals"]) == beside.exists()
        if beside.exists():
            assert setup["signals"] == beside.read_text()
            assert read_signal_schedule(beside).changes


LOOK = """
import json, erfd
from erfd.studio.workspace import Bench
from erfd.studio.browser.scene_data import cell_of
from erfd.studio.examples import example_cells, example_setup, example_texts
from erfd.studio.wording.texts import Words
found = example_texts()
print(json.dumps({"home": erfd.__file__, "texts": found, "cells": sorted(example_cells()),
                  "signals": {name: example_setup(name)["signals"] for name in found},
                  "word": Words("sr")("verify")}))
"""


def test_the_wheel_has_all_that_the_studio_needs(tmp_path):
    """Built, unpacked elsewhere and imported there: programs, cells, texts and the page's files."""
    builder = pytest.importorskip("hatchling.builders.wheel").WheelBuilder
    (wheel,) = builder(str(ROOT)).build(directory=str(tmp_path / "dist"), versions=["standard"])
    place = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place)
    look = f"import sys; sys.path.insert(0, {str(place)!r})\n{LOOK}"
    said = subprocess.run(
        [sys.executable, "-c", look], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    found = json.loads(said.stdout)
    assert Path(found["home"]).is_relative_to(place)
    wanted = {path.stem: path.read_text() for path in (ROOT / "examples").glob("*.irl")}
    assert found["texts"] == wanted
    assert found["signals"] == {name: example_setup(name)["signals"] for name in wanted}
    assert found["cells"] == sorted(example_cells())
    assert found["word"] == "Proveri"
    source = ROOT / "src" / "erfd"
    for path in source.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            assert (place / "erfd" / path.relative_to(source)).exists(), path.name
