"""`erfd verify` as a person and as a program see it."""

import json
from pathlib import Path

import pytest

import erfd
from erfd.cli import main
from erfd.lirl import ProgramError
from erfd.verification import verify
from support.easy_program import EASY
from support.paths import EXAMPLES

pytestmark = pytest.mark.usefixtures("compiled")
LOLA = erfd.load("lola15")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "easy.irl"
    program.write_text(EASY, encoding="utf-8")
    out = tmp_path / "out"
    options = ["verify", str(program), "--robot", "lola15", "--json", "--out", str(out)]
    assert main(options) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["feasible"] is True
    assert data["moves"][0]["kind"] == "ptp"
    assert sorted(p.name for p in out.iterdir()) == ["plots", "report.html", "run.parquet"]
    assert main(["verify", str(EXAMPLES / "lola15_demo.irl"), "--robot", "lola15"]) == 1
    shown = capsys.readouterr().out
    assert "not feasible" in shown
    assert "feasible with a speed override of" in shown
    placed = ["--tool", "0,0,0", "--mount", "z=0.61", "--wrench", "100,100,-150", "--no-advice"]
    assert main(["verify", str(EXAMPLES / "lola15_demo.irl"), "--robot", "lola15", *placed]) == 1
    assert "s10 is out of reach by 10.3 mm" in capsys.readouterr().out


def test_the_robot_stands_where_the_cell_says(tmp_path: Path) -> None:
    """Unless --mount says something else: the box is in the arm's way only from the ground."""
    pytest.importorskip("coal")
    program, cell = tmp_path / "easy.irl", tmp_path / "room.toml"
    program.write_text(EASY, encoding="utf-8-sig")  # as some editors save it
    cell.write_text(
        "[mount]\nxyz = [0.0, 0.0, 5.0]\n"
        '[[object]]\nshape = "box"\nsize = [1.0, 1.0, 1.0]\nxyz = [1.0, 0.0, 0.5]\n',
        encoding="utf-8",
    )
    options = ["verify", str(program), "--robot", "lola15", "--cell", str(cell), "--no-advice"]
    assert main(options) == 0
    assert main([*options, "--mount", "z=0"]) == 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--mount", "height=1"], "--mount: expected NAME=NUMBER with x, y, z"),
        (["--tool", "1,2"], "--tool: expected 3 or 6 numbers between commas, found '1,2'"),
        (["--dt", "0"], "dt: expected a time from 1e-05 to 0.1 s (shorter steps only add up"),
        (["--start", "1,2"], "--start: expected 6 numbers between commas"),
        (["--mount", "roll=nan"], "mount: expected finite numbers, found"),
    ],
)
def test_wrong_options(
    options: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "easy.irl"
    program.write_text(EASY, encoding="utf-8")
    assert main(["verify", str(program), "--robot", "lola15", *options]) == 2
    assert sentence in capsys.readouterr().err


def test_mistakes_are_shown_with_their_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "bad.irl"
    program.write_text("program p; seq\nmvoe ptp home;\nendseq", encoding="utf-8")
    assert main(["verify", str(program), "--robot", "lola15"]) == 2
    shown = capsys.readouterr().err
    assert "mvoe" in shown
    assert "^" in shown
    assert main(["verify", str(program), "--robot", "lola15", "--json"]) == 2
    (first, *_) = json.loads(capsys.readouterr().out)["mistakes"]
    assert (first["line"], first["column"]) == (2, 1)
    assert main(["verify", str(tmp_path / "none.irl"), "--robot", "lola15"]) == 2
    assert "no such file" in capsys.readouterr().err
    with pytest.raises(ProgramError):
        verify("program p; seq move ptp nowhere; endseq", LOLA)
