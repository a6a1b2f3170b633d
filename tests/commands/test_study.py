"""`erfd study` as a person and as a program see it."""

import json
import re
from pathlib import Path

import numpy as np
import pyarrow.parquet as parquet
import pytest

import erfd
from erfd.cli import main
from erfd.errors import InputError

PROGRAM = "program p; seq move ptp joint(mainjoint(10, -15)); move ptp joint(mainjoint(0, 5)); "
PROGRAM += "endseq endprogram"
WORDS = ["--robot", "two_link", "--vary", "payload=0..0.8", "--vary", "friction=[1, 1.2]"]


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "there.irl"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


def test_the_command(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = program.parent / "out"
    line = ["study", str(program), *WORDS, "--samples", "300", "--out", str(out), "--json"]
    assert main([*line, "--require", "0.999", "--probability", "0.9"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert 0 < data["feasible"] < data["variants"] == 300
    low, high = data["interval"]
    assert low < data["probability"] < high
    table = parquet.read_table(out / "variants.parquet").to_pydict()
    assert sum(table["feasible"]) == data["feasible"]
    assert data["limits"][0]["count"] == sum(
        label == data["limits"][0]["limit"] for label in table["limit"]
    )
    worst = data["worst"]["variant"]
    assert table["margin"][worst] == data["worst"]["margin"] < 0
    assert not erfd.read_run(out / "worst.parquet").feasible or "rms" in data["limits"][0]["limit"]
    assert data["fails_at"] is None
    payload, speed = data["largest"]
    assert payload["name"] == "payload"
    assert 0 < payload["value"] < 2
    assert speed["name"] == "speed"
    page = (out / "report.html").read_text(encoding="utf-8")
    assert data["verdict"] in page
    assert page.count("<svg") == len(list((out / "plots").glob("*.svg"))) >= 5
    assert main([*line[:-3], "--require", "0.1"]) == 0
    assert "feasible with a probability of" in capsys.readouterr().out
    assert main([*line[:-3], "--fails-at", "payload", "--json"]) == 0
    failing = json.loads(capsys.readouterr().out)["fails_at"]
    assert 0 < failing["holds"] < failing["fails"] <= failing["holds"] + 0.01
    assert main([*line[:-3], "--fails-at", "weight"]) == 2
    assert "found 'weight'" in capsys.readouterr().err


def test_one_name_alone(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The most usual study of all, with its report: there is nothing to make a map of."""
    out = program.parent / "alone"
    line = ["study", str(program), "--robot", "two_link", "--vary", "payload=normal(0.6, 0.1)"]
    assert main([*line, "--samples", "100", "--out", str(out)]) == 0
    assert "wrote" in capsys.readouterr().out
    assert not list((out / "plots").glob("map-*"))


def test_variants_that_cannot_be_planned_are_rows(
    program: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The study goes on, and its report is written."""
    from erfd.studies.subject import PlannedMotion, Subject

    planned = Subject.planned

    def failing(self: Subject, robot: erfd.Robot, speed: float = 1.0) -> PlannedMotion:
        if robot.tool.xyz[2] > 0:
            raise InputError("line 1: it cannot be planned")
        return planned(self, robot, speed)

    monkeypatch.setattr(Subject, "planned", failing)
    out = program.parent / "some"
    line = ["study", str(program), "--robot", "two_link", "--vary", "tool.z=-0.1..0.1"]
    line += ["--vary", "payload=0..0.5"]
    assert main([*line, "--samples", "6", "--out", str(out), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (out / "report.html").exists()
    assert (out / "worst.parquet").exists()
    assert data["sensitivity"] == []
    assert 0 < data["errors"] < 6


def test_a_study_file(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same numbers as from the command line; the command has the last word."""
    path = program.parent / "study.toml"
    path.write_text(
        'program = "there.irl"\nrobot = "two_link"\nsamples = 60\nseed = 3\n[vary]\n'
        'payload = "0..0.8"\nfriction = [1, 1.2]\nlink.2.mass = "uniform(4, 5)"\n'
        '[setup]\nwrench = [0, 5, 0]\npause = 1.0\n'
    )  # fmt: skip
    assert main(["study", str(path), "--json"]) == 0
    one = json.loads(capsys.readouterr().out)
    line = ["study", str(program), *WORDS, "--vary", "link.2.mass=uniform(4, 5)", "--samples", "60"]
    assert main([*line, "--seed", "3", "--wrench", "0,5,0", "--pause", "1", "--json"]) == 0
    two = json.loads(capsys.readouterr().out)
    assert one | {"name": ""} == two | {"name": ""}
    assert main(["study", str(path), "--samples", "40", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["variants"] == 40


def test_a_table_and_a_motion(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, motion = tmp_path / "variants.csv", tmp_path / "motion.csv"
    table.write_text("payload,mount.roll\n1,0\n-1,0\n2,0\n")
    t = 0.01 * np.arange(40)
    rows = [f"{a},{b},{0.1 * b}" for a, b in zip(t, 0.3 * np.sin(t) ** 2, strict=True)]
    motion.write_text("t,q1,q2\n" + "\n".join(rows) + "\n")
    line = ["study", str(motion), "--robot", "two_link", "--vary", str(table)]
    assert main([*line, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["variants"], data["errors"], data["probability"]) == (3, 1, None)
    assert main([*line, "--require", "0.5"]) == 2
    assert "--require: expected draws at random, found a table" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--vary", "payload"], "payload: no such file"),
        (["--vary", "payload=5", "--vary", "friction"], "--vary: expected NAME=DISTRIBUTION"),
        (["--vary", "payload=heavy"], "--vary payload: expected normal(5, 0.3)"),
        (["--vary", "weight=5"], "vary: expected one of payload, payload.x"),
        (["--vary", "payload=normal(0, 1)"], "payload: expected a number >= 0, found -"),
        ([], "--vary: expected NAME=DISTRIBUTION or a table, found none"),
        (["--vary", "payload=5", "--require", "2"], "--require: expected a probability between"),
        (["--vary", "payload=5", "--resume"], "--resume: expected --out"),
        (["--vary", "payload=5", "--samples", "0"], "samples: expected a whole number from 1"),
        (["--vary", "payload=5", "--cluster", "nowhere"], "cluster: expected an address such as"),
        (["--vary", "payload=5", "--precision", "1"], "precision: expected a size from 0 to 0.5"),
    ],
)
def test_wrong_words(
    program: Path, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    assert main(["study", str(program), "--robot", "two_link", *words]) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1


def test_angles_are_printed_as_they_are_typed(
    program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--robot", "two_link", "--vary", "mount.roll=[30]", "--samples", "1"]
    assert main(["study", str(program), *words]) == 0
    assert "worst variant 0: mount.roll 30 deg: margin" in capsys.readouterr().out


def test_a_study_file_names_its_drives(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (program.parent / "strong.toml").write_text(
        'format = 1\n[[drive]]\njoint = "shoulder"\ntorque_max = 0.01\n'
    )
    path = program.parent / "study.toml"
    path.write_text(
        "program = 'there.irl'\nrobot = 'two_link'\nsamples = 3\n[vary]\npayload = '0..0.1'\n"
        "[setup]\ndrives = 'strong.toml'\n"
    )
    assert main(["study", str(path), "--require", "0.1"]) == 1
    assert "0 of 3 variants" in capsys.readouterr().out


def test_a_motion_is_checked_and_its_notes_are_said(
    program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = program.parent / "motion.csv"
    t = 0.01 * np.arange(40)
    q = 200 * np.sin(t)
    words = [
        "study",
        str(path),
        "--robot",
        "two_link",
        "--vary",
        "payload=0..0.1",
        "--samples",
        "3",
    ]
    for lag, code in ((0.0, 0), (90.0, 2)):
        np.savetxt(path, np.column_stack([t * 1000, 0.001 * q + lag, 0 * q]), delimiter=",",
                   header="t_ms,q1,q2", comments="")  # fmt: skip
        assert main(words) == code
        assert ("times in ms" if code == 0 else "motion.csv: expected") in capsys.readouterr().err


def test_a_study_that_is_stopped_says_how_it_goes_on(
    program: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("erfd.studies.study.study", stopped)
    assert main(["study", str(program), *WORDS, "--out", str(program.parent / "out")]) == 130
    assert "--resume goes on with the parts that are whole in " in capsys.readouterr().err


def test_wrong_study_files(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = program.parent / "study.toml"
    for text, sentence in (
        ("program = ", "expected TOML, found"),
        ("programme = 'x'", "expected program, robot, vary, .*found programme"),
        ("[vary]\npayload = 5", "expected a program, found none"),
        ("vary = 5", r"expected a table \[vary\], found 5"),
        ("program = 5", "program: expected the path of a file, found 5"),
        ("[setup]\nload = 5", "found setup.load"),
        ("program = 'there.irl'\n[vary]\npayload = 5", "expected a robot"),
    ):
        path.write_text(text)
        assert main(["study", str(path)]) == 2
        assert re.search(sentence, capsys.readouterr().err), text
