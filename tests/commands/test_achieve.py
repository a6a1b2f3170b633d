"""`erfd achieve` as a person and as a program see it."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import erfd
from erfd.cli import main
from support.joint_tables import motion_rows, write_table
from support.urdf_files import SMALL

pytestmark = pytest.mark.usefixtures("compiled")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    slow = write_table(tmp_path / "slow.csv", np.column_stack(motion_rows(4.0)))
    fast = write_table(tmp_path / "fast.csv", np.column_stack(motion_rows(0.9)))
    assert main(["achieve", "lola15", str(slow), "--wrench", "100,100,-150"]) == 0
    assert "feasible: lola15 does all of it" in capsys.readouterr().out
    assert main(["achieve", "lola15", str(fast), "--payload", "5,0,0,0.1"]) == 1
    text = capsys.readouterr().out
    assert text.startswith("not feasible: ")
    assert "motor 1 lacks" in text
    assert main(["achieve", "lola15", str(fast), "--json", "--follow", "position"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["feasible"] is False
    failing = [event for event in data["events"] if event["severity"] == "failure"]
    assert failing[0]["text"].startswith("motor")
    assert len(data["motors"]) == 6
    assert data["not_checked"][0] == "collisions not checked (no cell)"


def test_a_robot_without_motors_is_told(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """A URDF file has limits of effort alone: no verdict on it without a word."""
    path = tmp_path / "still.csv"
    path.write_text("t,shoulder,elbow\n" + "".join(f"{k / 100},0,0\n" for k in range(9)))
    assert main(["achieve", str(SMALL), str(path)]) == 0
    assert "no rotor inertia, no friction" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            ["--wrench", "1,2"],
            "erfd: --wrench: expected 3 or 6 numbers between commas, found '1,2'",
        ),
        (["--payload", "-3"], "erfd: payload: mass: expected a mass >= 0 kg, found -3.0"),
        (["--payload", "a"], "erfd: --payload: expected 1 or 4 numbers between commas, found 'a'"),
    ],
)
def test_a_users_mistake(tmp_path: Path, capsys, options: list, sentence: str) -> None:
    path = write_table(tmp_path / "move.csv", np.column_stack(motion_rows(2.0)))
    assert main(["achieve", "lola15", str(path), *options]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert err.strip() == sentence


def test_the_folder(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """--out leaves the run, its events and its plots."""
    path = write_table(tmp_path / "fast.csv", np.column_stack(motion_rows(0.9)))
    assert main(["achieve", "lola15", str(path), "--out", str(tmp_path / "run")]) == 1
    names = {p.name for p in (tmp_path / "run").iterdir()}
    assert {"events.json", "run.parquet"} <= names
    assert sum(name.endswith(".png") for name in names) >= 7
    assert capsys.readouterr().out.count("wrote ") == len(names)
    from erfd.run.write import read_run

    assert read_run(tmp_path / "run" / "run.parquet").robot == erfd.load("lola15")


@pytest.mark.parametrize("payload", ["5", "5,0,0,0.1"])
def test_the_folder_of_a_run_with_a_payload(payload: str, tmp_path: Path) -> None:
    """The plots take what was carried from the run itself."""
    slow = write_table(tmp_path / "slow.csv", np.column_stack(motion_rows(4.0)))
    out = tmp_path / "run"
    assert main(["achieve", "lola15", str(slow), "--payload", payload, "--out", str(out)]) == 0
    assert (out / "joint-torques.png").exists()


def test_without_matplotlib_the_rest_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was written is named, and so is what is missing and what installs it."""
    slow = write_table(tmp_path / "slow.csv", np.column_stack(motion_rows(4.0)))
    out = tmp_path / "out"
    for name in ("matplotlib", *(name for name in sys.modules if name.startswith("matplotlib."))):
        monkeypatch.setitem(sys.modules, name, None)
    assert main(["achieve", "lola15", str(slow), "--out", str(out)]) == 0
    said, noted = capsys.readouterr()
    assert {path.name for path in out.iterdir()} == {"events.json", "run.parquet"}
    assert all(f"wrote {path}" in said for path in out.iterdir())
    assert "erfd: note: no plots: drawing needs the package matplotlib" in noted
    assert "pip install 'erfd[plots]'" in noted


def test_what_was_done_to_a_recording_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    """In the text and under `reading` of --json; `--no-resample` refuses it."""
    t, q = motion_rows(4.0)
    late = t.copy()
    late[1:-1:2] += 0.002
    path = write_table(tmp_path / "a.csv", np.column_stack([late, CubicSpline(t, q)(late)]))
    assert main(["achieve", "lola15", str(path)]) == 0
    said = capsys.readouterr().out.replace("\n", " ")
    assert (
        "a.csv: resampled every 0.01 s through a cubic spline: times were up to 0.002 s off" in said
    )
    assert main(["achieve", "lola15", str(path), "--json"]) == 0
    reading = json.loads(capsys.readouterr().out)["reading"]
    assert reading["changed"]
    assert reading["time_change"] == pytest.approx(0.002, rel=1e-6)
    assert reading["notes"][0].startswith("resampled every 0.01 s")
    assert main(["achieve", "lola15", str(path), "--no-resample"]) == 2
    assert "a.csv: t: expected a fixed step of 0.01 s" in capsys.readouterr().err


def test_names_of_the_file_and_another_step(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    t, q = motion_rows(4.0)
    path = write_table(tmp_path / "a.csv", np.column_stack([t, q]), "t,a,b,c,d,e,f")
    assert main(["achieve", "lola15", str(path)]) == 2
    assert "a.csv: expected columns t, q1, q2" in capsys.readouterr().err
    options = ["--joints", "a,b,c,d,e,f", "--dt", "0.005", "--json"]
    assert main(["achieve", "lola15", str(path), *options]) == 0
    reading = json.loads(capsys.readouterr().out)["reading"]
    assert reading["columns"] == [*"abcdef"]
    assert reading["dt"] == pytest.approx(0.005)
    assert main(["achieve", "lola15", str(path), "--topic", "/x"]) == 2
    assert "topic: expected a bag" in capsys.readouterr().err
