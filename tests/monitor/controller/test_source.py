"""What a controller can play: trajectories, runs and programs, and what is wrong with others."""

from pathlib import Path

import numpy as np
import pytest

import erfd
from erfd.errors import ErfdError, InputError
from erfd.monitor import Controller
from erfd.monitor.controller.source import read_played_motion
from support.motions import lola_motion, write_motion
from support.output_program import PROGRAM


def test_sources(tmp_path: Path, compiled: None) -> None:
    robot, motion = erfd.load("lola15"), lola_motion(0.5)
    csv = read_played_motion(write_motion(tmp_path / "a.csv", motion), robot)
    assert np.array_equal(csv.q, motion.q)
    from erfd.run.write import write_run

    write_run(erfd.achievable(robot, motion), tmp_path / "a.parquet", program="PTP home")
    kept = read_played_motion(tmp_path / "a.parquet", robot)
    assert np.array_equal(kept.q, motion.q)
    assert kept.text == "PTP home"
    with pytest.raises(InputError, match="expected a run of 2 joints, found 6"):
        read_played_motion(tmp_path / "a.parquet", erfd.load("two_link"))
    with pytest.raises(InputError, match=r"expected a name that ends in \.irl, \.parquet or"):
        read_played_motion(tmp_path / "a.txt", robot)
    with pytest.raises(InputError, match=r"dt: expected 0\.0005 to 10 s, found 1e-05"):
        Controller(robot, csv, dt=1e-5)
    with pytest.raises(InputError, match=r"speed: expected 0 to 1, found 1\.5"):
        Controller(robot, csv, speed=1.5)
    with pytest.raises(InputError, match=r"a\.csv: expected 3 columns"):
        read_played_motion(tmp_path / "a.csv", erfd.load("two_link"))


def test_programs_that_cannot_be_played(tmp_path: Path) -> None:
    path, robot = tmp_path / "bad.irl", erfd.load("lola15")
    path.write_text(PROGRAM.replace("ptp b", "ptp c"))
    with pytest.raises(ErfdError, match=r"^bad\.irl: line 11, column 12: "):
        read_played_motion(path, robot)
    path.write_text(PROGRAM.replace("ptp a", "lin robtarg(position(9000, 0, 500))"))
    with pytest.raises(InputError, match=r"^bad\.irl: line 8: "):
        read_played_motion(path, robot)
