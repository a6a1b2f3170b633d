"""Trajectories from CSV, and `erfd achieve` as a person and as a program see it."""

import json
from pathlib import Path

import numpy as np
import pytest

import erfd
from erfd.cli import main
from erfd.errors import InputError
from erfd.planning.trajectory_csv import read_trajectory

pytestmark = pytest.mark.usefixtures("compiled")


def rows(seconds: float) -> tuple[np.ndarray, np.ndarray]:
    t = 0.01 * np.arange(round(seconds / 0.01) + 1)
    s = t / t[-1]
    s = 10 * s**3 - 15 * s**4 + 6 * s**5
    return t, s[:, None] * [1.5, -1.0, 1.2, 1.0, 1.3, 2.0] + [0, 0.2, -0.3, 0, -0.8, 0]


def write(path: Path, table: np.ndarray, header: str = "") -> Path:
    lines = [header] if header else []
    lines += [",".join(repr(float(x)) for x in row) for row in table]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_reading(tmp_path: Path) -> None:
    t, q = rows(0.5)
    plain = read_trajectory(write(tmp_path / "a.csv", np.column_stack([t, q])), 6)
    assert np.array_equal(plain.q, q)
    full = np.column_stack([t, q, plain.qd])
    assert np.array_equal(read_trajectory(write(tmp_path / "b.csv", full), 6).qd, plain.qd)
    header = "q6,q5,q4,q3,q2,q1,note,t"
    mixed = np.column_stack([q[:, ::-1], 0 * t, t])
    assert np.array_equal(read_trajectory(write(tmp_path / "c.csv", mixed, header), 6).q, q)
    in_degrees = np.column_stack([t, np.degrees(q)])
    found = read_trajectory(write(tmp_path / "d.csv", in_degrees), 6, degrees=True)
    assert np.allclose(found.q, q, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "x.csv: expected rows of numbers, found none"),
        ("t,q1\n0,0\n", "x.csv: expected columns t, q1, q2, found no q2"),
        ("t,q1,q2,qd1\n0,0,0,0\n", "x.csv: expected all of qd1..qd2, no qd2"),
        ("0,0\n1,0\n", r"x.csv: expected 3 columns \(t, q1..q2\) or 5"),
        ("0,0,0\n1,0,zwei\n", "x.csv: line 2: column 3: expected a number, found 'zwei'"),
        ("0,0,0\n1,0\n", "x.csv: line 2: column 3: expected a number, found nothing"),
        ("0,0,0\n1,0,nan\n", "x.csv: line 2: column 3: expected a number, found 'nan'"),
        ("t,q1,q2\n# only\n", "x.csv: expected at least two rows of numbers, found 0"),
        ("0,0,0\n1,0,0\n3,0,0\n", "x.csv: t: expected a fixed step of 1.5 s, found 1 s after"),
    ],
)
def test_wrong_files(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(InputError, match=sentence):
        read_trajectory(tmp_path / "x.csv", 2)
    with pytest.raises(InputError, match=r"none\.csv: no such file"):
        read_trajectory(tmp_path / "none.csv", 2)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    slow = write(tmp_path / "slow.csv", np.column_stack(rows(4.0)))
    fast = write(tmp_path / "fast.csv", np.column_stack(rows(0.9)))
    assert main(["achieve", "lola15", str(slow), "--wrench", "100,100,-150"]) == 0
    assert "feasible: lola15 does all of it" in capsys.readouterr().out
    assert main(["achieve", "lola15", str(fast), "--payload", "5,0,0,0.1"]) == 1
    text = capsys.readouterr().out
    assert text.startswith("not feasible: ")
    assert "motor 1 lacks" in text
    assert main(["achieve", "lola15", str(fast), "--json", "--follow", "position"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["feasible"] is False
    assert data["events"][0]["text"].startswith("motor")
    assert len(data["motors"]) == 6


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
    path = write(tmp_path / "move.csv", np.column_stack(rows(2.0)))
    assert main(["achieve", "lola15", str(path), *options]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert err.strip() == sentence


def test_the_folder(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """--out leaves the run, its events and its plots."""
    path = write(tmp_path / "fast.csv", np.column_stack(rows(0.9)))
    assert main(["achieve", "lola15", str(path), "--out", str(tmp_path / "run")]) == 1
    names = {p.name for p in (tmp_path / "run").iterdir()}
    assert {"events.json", "run.parquet"} <= names
    assert sum(name.endswith(".png") for name in names) >= 7
    assert capsys.readouterr().out.count("wrote ") == len(names)
    from erfd.run.write import read_run

    assert read_run(tmp_path / "run" / "run.parquet").robot == erfd.load("lola15")
