"""What a worker does for the page, and the examples it does it with."""

import json
import subprocess
import sys
import zipfile
from dataclasses import asdict
from pathlib import Path

import pytest

import erfd
from erfd.cell.reader import load_cell
from erfd.errors import InputError
from erfd.lirl.schedule import read_schedule
from erfd.studio.examples import example_cells, example_setup, example_texts
from erfd.studio.session import Setup
from erfd.studio.verification import work
from erfd.verification import verify

ROOT = Path(__file__).parent.parent
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
            assert read_schedule(beside).changes


LOOK = """
import json, erfd
from erfd.studio.examples import example_cells, example_setup, example_texts
from erfd.studio.texts import Words
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
