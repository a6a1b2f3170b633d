"""`erfd simulate` as a person and as a program see it."""

import json
from pathlib import Path

import pytest

import erfd
from erfd.cli import main
from erfd.run.write import read_run

pytestmark = pytest.mark.usefixtures("compiled")
SHORT = ["--time", "0.02"]


def test_for_people(capsys: pytest.CaptureFixture) -> None:
    given = ["--torque", "1,2,3,.1,.1,.1", "--q0", "0,10,-20,0,-40,0", "--degrees", *SHORT]
    assert main(["simulate", "lola15", *given, "--method", "rk4", "--stops", "inelastic"]) == 0
    text = capsys.readouterr().out
    assert "lola15, 0.02 s, 21 points" in text
    for words in ("1 axis 1", "peak u_a N m", "work of the motors", "lost by friction"):
        assert words in text


def test_for_programs(capsys: pytest.CaptureFixture, tmp_path: Path) -> None:
    """A schedule of voltages, a load, and an input beyond its limit: exit code 1."""
    (tmp_path / "volts.txt").write_text("linear\n0 0 0\n0.01 100 5\n")
    given = ["--voltage", str(tmp_path / "volts.txt"), "--payload", "0.5", "--wrench", "1,2,3"]
    assert main(["simulate", "two_link", *given, "--json", "--every", "2"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["points"] == 6
    assert data["seconds"] == pytest.approx(0.01)
    assert {event["kind"] for event in data["events"]} == {"voltage limit"}
    assert data["joints"][0]["voltage_peak"] == pytest.approx(80.0)
    energy = data["energy"]
    others = sum(value for name, value in energy.items() if name != "work_motors")
    assert others == pytest.approx(energy["work_motors"], abs=1e-12)
    assert main(["simulate", "two_link", "--joint-torque", "1,1", *SHORT, "--json"]) == 0


def test_the_folder(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    folder = tmp_path / "run"
    given = ["--voltage", "5,2", "--time", "0.05", "--dt", "0.005", "--stops", "none"]
    assert main(["simulate", "two_link", *given, "--out", str(folder)]) == 0
    names = {path.name for path in folder.iterdir()}
    figures = {"positions", "velocities", "input", "energy", "power", "reactions"}
    assert names == {"summary.json", "run.parquet", *(f"{name}.png" for name in figures)}
    assert capsys.readouterr().out.count("wrote ") == len(names)
    assert json.loads((folder / "summary.json").read_text())["robot"] == "two_link"
    run = read_run(folder / "run.parquet")
    assert run.robot == erfd.load("two_link")
    assert "voltage" in run.data


CONSTANT = ["--torque", "1,1"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--torque", "1"], "--torque: expected 2 numbers between commas, or a file, found '1'"),
        (["--torque", "none.txt"], "none.txt: no such file"),
        (CONSTANT, "duration: expected a time in s (the input does not say when it ends)"),
        ([*CONSTANT, "--time=-1"], "duration: expected a multiple of dt = 0.001 s, found -1.0"),
        ([*CONSTANT, "--q0", "1"], "--q0: expected 2 numbers between commas, found '1'"),
        (
            [*CONSTANT, *SHORT, "--q0", "9,0"],
            "q0: expected joint 1 within -3.14159 to 3.14159, found 9",
        ),
    ],
)
def test_mistakes(capsys: pytest.CaptureFixture, options: list, sentence: str) -> None:
    assert main(["simulate", "two_link", *options]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert err.strip() == f"erfd: {sentence}"


def test_one_input_is_needed(capsys: pytest.CaptureFixture) -> None:
    for given in ([], ["--torque", "1,1", "--voltage", "1,1"]):
        with pytest.raises(SystemExit) as stopped:
            main(["simulate", "two_link", *given])
        assert stopped.value.code == 2


def test_the_folder_of_a_run_beyond_its_voltage(tmp_path: Path) -> None:
    """Its figures shade the time at the limit."""
    given = ["--voltage", "100,5", "--time", "0.05", "--dt", "0.005", "--out", str(tmp_path / "v")]
    assert main(["simulate", "two_link", *given]) == 1
    assert {"run.parquet", "summary.json"} < {p.name for p in (tmp_path / "v").iterdir()}
