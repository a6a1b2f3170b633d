"""A kept run brings back the robot, the cell and the settings that made it."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import erfd
from erfd.run.run_file import RunFile
from erfd.studio.examples import example_cells
from erfd.studio.jobs.verification import work
from erfd.studio.runs.restore import restore
from erfd.studio.session import Session, Setup
from support.studio_jobs import BLOCK, OWN_CELL, SHORT, request


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
    setup.dt, setup.signals = 0.005, ""  # a whole part of the controller's cycle
    cell = example_cells().get(setup.cell)
    file, about = made_by(setup, tmp_path / "a", cell_file=str(cell) if cell else None)
    session = Session("s")
    restore(session, file, json.loads(json.dumps(about["settings"])))
    assert session.setup == setup
    assert session.robot == file.robot
    assert session.robot_file is None
    assert session.cell_file == cell
    session.text = SHORT
    assert session.fingerprint == about["fingerprint"]  # its verdict is shown
    session.setup.strict = True
    assert session.fingerprint != about["fingerprint"]

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
