"""`erfd verify` and `erfd fastest` of a motion file: as of a program; exit codes, wrong words."""

import json
from pathlib import Path

import numpy as np
import pytest

from erfd.cli import main
from support.joint_tables import motion_rows, write_table

pytestmark = pytest.mark.usefixtures("compiled")


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    return write_table(tmp_path / "slow.csv", np.column_stack(motion_rows(4.0)))


def test_verify(tmp_path: Path, slow: Path, capsys: pytest.CaptureFixture) -> None:
    fast = write_table(tmp_path / "fast.csv", np.column_stack(motion_rows(0.9)))
    out = tmp_path / "report"
    assert main(["verify", str(slow), "--robot", "lola15", "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert "feasible: lola15 does slow.csv in 4.00 s" in said
    assert "speed override" in said
    assert {"report.html", "run.parquet", "plots"} == {p.name for p in out.iterdir()}
    assert main(["verify", str(fast), "lola15", "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["advice"]["override"] < 1
    assert data["motion"]["file"] == "fast.csv"


def test_the_motion_for_others(tmp_path: Path, slow: Path, capsys: pytest.CaptureFixture) -> None:
    bag = tmp_path / "a.mcap"
    words = ["verify", str(slow), "--robot", "lola15", "--no-advice", "--trajectory"]
    assert main([*words, str(bag)]) == 0
    assert f"wrote {bag}" in capsys.readouterr().out
    assert main(["achieve", "lola15", str(bag)]) == 0
    assert main([*words, str(tmp_path / "a.txt")]) == 2
    assert "a.txt: expected a name that ends in one of" in capsys.readouterr().err


def test_fastest(tmp_path: Path, slow: Path, capsys: pytest.CaptureFixture) -> None:
    out = tmp_path / "fast"
    assert main(["fastest", str(slow), "--robot", "lola15", "--out", str(out), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["fastest"]["seconds"] < data["programmed"]["seconds"] == pytest.approx(4.0)
    assert {"report.html", "run.parquet", "trajectory.csv"} == {p.name for p in out.iterdir()}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            "verify {} --robot two_link",
            "expected 3 columns (t, q1..q2) or 5 (with",
        ),
        (
            "fastest {} --robot two_link",
            "expected 3 columns (t, q1..q2) or 5 (with",
        ),
        ("achieve two_link {}", "expected 3 columns (t, q1..q2) or 5 (with"),
        ("verify {} --robot lola15 --turning even", "--turning: expected a program (.irl) beside"),
        ("fastest {} --robot lola15 --start 0,0,0,0,0,0", "--start: expected a program (.irl)"),
        ("verify p.irl --robot lola15 --joints a,b", "--joints: expected a motion (.csv, .parquet"),
        ("repair {} --robot lola15", "expected a program (.irl), found the motion 'slow.csv'"),
    ],
)
def test_wrong_words(
    words: str, sentence: str, slow: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.chdir(slow.parent)
    assert main(words.format(slow.name).split()) == 2
    out, err = capsys.readouterr()
    assert not out
    assert sentence in err
