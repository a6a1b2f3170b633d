"""`erfd fastest` as a person and as a program see it."""

import json
from pathlib import Path

import pytest

import erfd
from erfd.cli import main
from support.easy_program import EASY

pytestmark = pytest.mark.usefixtures("compiled")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program, out = tmp_path / "easy.irl", tmp_path / "out"
    program.write_text(EASY, encoding="utf-8")
    options = ["fastest", str(program), "--robot", "lola15", "--margin", "5%"]
    assert main([*options, "--json", "--out", str(out)]) == 0
    data = json.loads(capsys.readouterr().out)
    seconds = data["fastest"]["seconds"]
    assert seconds < data["rewritten"]["seconds"] <= data["programmed"]["seconds"]
    files = ["easy.irl", "report.html", "run.parquet", "trajectory.csv"]
    assert sorted(p.name for p in out.iterdir()) == files
    assert (out / "easy.irl").read_text(encoding="utf-8") == data["rewritten"]["text"]
    robot = erfd.load("lola15")
    motion = erfd.read_trajectory(out / "trajectory.csv", robot.n)
    assert motion.t[-1] == pytest.approx(seconds)
    run = erfd.achievable(robot, motion)
    assert not [e for e in run.events if e.fails]
    use = run["u_a"] / [d.torque_max for d in robot.drives]
    assert abs(use[abs(run["qd_a"]) > 1e-6]).max() <= 0.95 + 1e-9
    assert main(["verify", str(out / "easy.irl"), "--robot", "lola15", "--no-advice"]) == 0
    capsys.readouterr()
    assert main([*options, "--keep-speeds"]) == 0
    assert "programmed speed" in capsys.readouterr().out


def test_the_program_stays_what_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "easy.irl"
    program.write_text(EASY, encoding="utf-8")
    assert main(["fastest", str(program), "--robot", "lola15", "--out", str(tmp_path)]) == 2
    assert "--out: expected a folder beside the program's" in capsys.readouterr().err
    assert [*tmp_path.iterdir()] == [program]
    assert program.read_text(encoding="utf-8") == EASY


def test_mistakes_and_what_cannot_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "wrong.irl"
    program.write_text("program p; seq move; endseq endprogram", encoding="utf-8")
    assert main(["fastest", str(program), "--robot", "lola15"]) == 2
    program.write_text(EASY, encoding="utf-8")
    with pytest.raises(SystemExit) as refused:
        main(["fastest", str(program), "--robot", "lola15", "--margin", "half"])
    assert refused.value.code == 2
    said = "--margin: expected a part from 0 to less than 1, such as 5% or 0.05, found 'half'"
    assert said in capsys.readouterr().err
    heavy = ["fastest", str(program), "--robot", "lola15", "--payload", "500"]
    assert main(heavy) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "not possible at any speed: line 1: no speed is possible" in said
    assert "N m to hold the arm and may give" in said
