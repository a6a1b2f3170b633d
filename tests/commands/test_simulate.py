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
        (CONSTANT, "--time: expected a time in s (the input does not say when it ends)"),
        ([*CONSTANT, "--time=-1"], "--time: expected a multiple of dt = 0.001 s, found -1.0"),
        ([*CONSTANT, "--q0", "1"], "--q0: expected 2 numbers between commas, found '1'"),
        (
            [*CONSTANT, *SHORT, "--q0", "270,0"],
            "--q0: expected joint 1 within -180 to 180 degrees, found 270",
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


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            ["--time", "0.1", "--dt", "1e-12"],
            "--time: expected at most 1e+09 steps, found 1e+11 of dt = 1e-12 s;"
            " a longer dt makes fewer",
        ),
        (
            ["--time", "1000", "--dt", "1e-5"],
            "--every: expected at most 10,000,000 rows of 2 joints, which fill gigabytes, found"
            " 100,000,001; 11 makes fewer",
        ),
        (
            ["--time", "2000", "--method", "dop853"],
            "--time: expected at most 1,000,000 steps with dop853, found 2,000,000; a fixed step"
            " (rk4) takes more, a longer dt makes fewer",
        ),
        (
            ["--time", "1e300"],
            "--time: expected at most 1e+09 steps, found 1e+303 of dt = 0.001 s;",
        ),
        (["--time", "1", "--dt", "0"], "--dt: expected a time > 0 s, found 0.0"),
        (["--time", "1", "--every", "0"], "--every: expected a whole number >= 1, found 0"),
    ],
)
def test_work_without_end_is_refused(
    capsys: pytest.CaptureFixture, options: list[str], sentence: str
) -> None:
    assert main(["simulate", "two_link", *CONSTANT, *options]) == 2
    assert capsys.readouterr().err.startswith(f"erfd: {sentence}")


def test_positions_begin_with_a_minus(capsys: pytest.CaptureFixture) -> None:
    """Degrees, and a value that looks like an option; --degrees of earlier versions is no harm."""
    given = [*CONSTANT, *SHORT, "--q0", "-90,45", "--qd0", "-.5,0", "--json"]
    assert main(["simulate", "two_link", *given]) == 0
    joints = json.loads(capsys.readouterr().out)["joints"]
    assert [joint["q"][0] for joint in joints] == pytest.approx([-1.5707963, 0.7853982])
    assert main(["simulate", "--degrees", *given, "--robot", "two_link"]) == 0
    assert json.loads(capsys.readouterr().out)["joints"] == joints
