"""Sessions and files of the shell of earlier versions."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import erfd
from erfd.report.play.graphic_file import graphic_text, read_graphic
from support.golden import alike, expected, told, versions


def shell(script: str, folder: Path, *words: str) -> list[dict[str, Any]]:
    """What `erfd sim` answers to the lines of a script, its greeting left out."""
    command = [sys.executable, "-m", "erfd", "sim", *words, "--json"]
    done = subprocess.run(command, input=script, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads(line)["data"] for line in done.stdout.splitlines()[1:]]


@versions
def test_a_session_of_the_shell(folder):
    script = (folder / "shell/session.sim").read_text(encoding="utf-8") + "show\nforward_arm\n"
    alike(shell(script, folder), expected(folder)["shell"][1:], rel=1e-9)


@versions
def test_files_of_the_shell(folder, tmp_path):
    """Rows of data give the results of then; a schedule drives a simulation."""
    for name in ("rows.txt", "rows.schedule"):
        shutil.copy(folder / "shell" / name, tmp_path)
    script = "simulate\nnew\nyes\nyes\nrows.schedule\ninverse_arm rows.txt\nagain.out\n"
    answers = shell(script, tmp_path, "two_link", "--dt", "0.002")
    last = erfd.read_input_schedule(folder / "shell/rows.schedule", 2).at(0.098)  # the last step's
    assert answers[0]["steps"] == 50
    assert answers[0]["voltage"]["value"] == pytest.approx(last, rel=1e-9)
    old = (folder / "shell/rows.out").read_text(encoding="utf-8").splitlines()
    new = (tmp_path / "again.out").read_text(encoding="utf-8").splitlines()
    assert new[0] == old[0]
    np.testing.assert_allclose(np.loadtxt(new), np.loadtxt(old), rtol=1e-9)
    text = (folder / "shell/simulation.txt").read_text(encoding="utf-8")
    titles, table = text.splitlines()[0].split()[1:], np.loadtxt(text.splitlines())
    graphic = read_graphic(folder / "shell/simulation.jsonl")
    np.testing.assert_allclose(table[:, 0], graphic.t, atol=1e-12)
    np.testing.assert_array_equal(table[:, titles.index("theta2[rad]")], graphic.data["q"][:, 1])


@versions
def test_a_graphic_file(folder, tmp_path, capsys):
    path = folder / "shell/simulation.jsonl"
    graphic = read_graphic(path)
    assert len(graphic) == 6
    assert set(graphic.data) == {"q", "qd", "qdd", "torque", "voltage"}
    run = graphic.run()
    assert run.robot == erfd.load("two_link")
    np.testing.assert_array_equal(run["u_a"], graphic.data["torque"])
    assert [json.loads(line) for line in graphic_text(run).splitlines()] == [
        json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()
    ]
    page = tmp_path / "page.html"
    code, found = told(capsys, "play", path, "--out", page)
    assert code == 0
    assert (found["robot"], found["moments"]) == ("two_link", 6)
    assert found["seconds"] == pytest.approx(0.1)
    assert "two_link" in page.read_text(encoding="utf-8")
    erfd.write_run(run, tmp_path / "run.parquet")  # as the studio opens it
    np.testing.assert_array_equal(erfd.read_run(tmp_path / "run.parquet")["q"], graphic.data["q"])
