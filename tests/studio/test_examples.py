"""The examples of the studio, in the source and in the wheel."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import erfd
from erfd.lirl.signal_schedule import read_signal_schedule
from erfd.studio.examples import example_cells, example_setup, example_texts
from support.paths import EXAMPLES, ROOT


def test_every_example_comes_with_its_robot_and_its_signals():
    files = {path.stem: path for path in EXAMPLES.glob("*.irl")}
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
from erfd.studio.workspace import Workspace
from erfd.studio.browser.scene_data import cell_of
from erfd.studio.examples import example_cells, example_setup, example_texts
from erfd.report.wording.texts import Words
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
    wanted = {path.stem: path.read_text() for path in EXAMPLES.glob("*.irl")}
    assert found["texts"] == wanted
    assert found["signals"] == {name: example_setup(name)["signals"] for name in wanted}
    assert found["cells"] == sorted(example_cells())
    assert found["word"] == "Proveri"
    source = ROOT / "src" / "erfd"
    for path in source.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            assert (place / "erfd" / path.relative_to(source)).exists(), path.name
