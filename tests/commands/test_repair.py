"""`erfd repair` as a person and as a program see it."""

import argparse
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from erfd.cli import main
from erfd.commands.parser import part_of
from erfd.commands.repair import free_backup
from support.easy_program import EASY
from support.paths import EXAMPLES

pytestmark = pytest.mark.usefixtures("compiled")
FAST = (
    "\ufeffprogram brzo;\r\nseq\t{ čćžšđ }\r\n  move ptp (900, -150, 500);\r\n"
    "  move lin (900, 250, 500) speed=2500 acc=20000; // brže\r\nendseq\r\n"
)
WRITTEN = FAST.encode()


@pytest.fixture
def fast(tmp_path: Path) -> Path:
    """A program that is too fast, as an editor on another system saves it."""
    path = tmp_path / "fast.irl"
    path.write_bytes(WRITTEN)
    return path


def run(path: Path | str, *options: str) -> int:
    """The exit code, also of options that the parser refuses."""
    try:
        return main(["repair", str(path), "--robot", "lola15", *options])
    except SystemExit as refused:
        return int(refused.code or 0)


def test_it_says_what_it_would_change(fast: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(fast) == 0
    shown = capsys.readouterr().out
    assert "feasible with 1 line changed: fast takes" in shown
    assert "line 4: acc 20000 -> " in shown
    assert "without it motor 4 lacks" in shown
    assert "nothing written: -o FILE or --in-place does, --diff shows it" in shown
    assert fast.read_bytes() == WRITTEN
    assert [*fast.parent.iterdir()] == [fast]


def test_the_output(fast: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = fast.with_name("slow.irl")
    assert run(fast, "-o", str(out)) == 0
    assert f"wrote {out}" in capsys.readouterr().out
    assert fast.read_bytes() == WRITTEN
    before, after = WRITTEN.split(b"\r\n"), out.read_bytes().split(b"\r\n")
    assert [a == b for a, b in zip(before, after, strict=True)] == [1, 1, 1, 0, 1, 1]
    assert main(["verify", str(out), "--robot", "lola15", "--no-advice"]) == 0
    again = fast.with_name("again.irl")
    capsys.readouterr()
    assert run(out, "-o", str(again)) == 0
    assert "feasible as it is" in capsys.readouterr().out
    assert again.read_bytes() == out.read_bytes()  # byte for byte, line ends and mark, too


def test_in_place_keeps_what_was(fast: Path, capsys: pytest.CaptureFixture[str]) -> None:
    older = fast.with_name("fast.irl.bak")
    older.write_text("older")
    assert run(fast, "--in-place") == 0
    assert f"wrote {fast}; as it was: {older}2" in capsys.readouterr().out
    assert older.read_text() == "older"
    assert fast.with_name("fast.irl.bak2").read_bytes() == WRITTEN
    changed = fast.read_bytes()
    assert changed != WRITTEN
    assert run(fast, "--in-place") == 0
    assert f"{fast} stays as it is" in capsys.readouterr().out
    assert fast.read_bytes() == changed
    assert len([*fast.parent.iterdir()]) == 3
    assert free_backup(fast).name == "fast.irl.bak3"


def test_a_place_that_is_none_is_refused_before_the_search(
    fast: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(fast, "-o", str(fast.parent / "none" / "slow.irl")) == 2
    told = capsys.readouterr()
    assert "cannot be written: there is no such folder" in told.err
    assert not told.out


def test_in_place_leaves_a_link_a_link(fast: Path, capsys: pytest.CaptureFixture[str]) -> None:
    link = fast.parent / "links" / "work.irl"
    link.parent.mkdir()
    link.symlink_to(fast)
    assert run(link, "--in-place") == 0
    assert f"wrote {fast.resolve()}; as it was: " in capsys.readouterr().out
    assert link.is_symlink()
    assert link.read_bytes() == fast.read_bytes() != WRITTEN
    assert fast.with_name("fast.irl.bak").read_bytes() == WRITTEN


def test_the_diff_is_one_that_patch_takes(fast: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = fast.with_name("plain.irl")
    plain.write_text(
        FAST.removeprefix("\ufeff").replace("\r\n", "\n"), encoding="utf-8", newline=""
    )
    assert run(plain, "--diff") == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("--- plain.irl\n+++ plain.irl (repaired)\n@@ ")
    assert "feasible with 1 line changed" in shown.err
    out = plain.with_name("out.irl")
    assert run(plain, "-o", str(out)) == 0
    lines = plain.read_text(encoding="utf-8").splitlines()
    for line in shown.out.splitlines()[3:]:
        if line[0] == "-":
            at = lines.index(line[1:])
        if line[0] == "+":
            lines[at] = line[1:]
    assert lines == out.read_text(encoding="utf-8").splitlines()
    easy = plain.with_name("easy.irl")
    easy.write_text(EASY)
    capsys.readouterr()
    assert run(easy, "--diff") == 0
    assert capsys.readouterr().out == ""


def test_what_cannot_be_repaired(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    demo, out = EXAMPLES / "lola15_demo.irl", tmp_path / "out.irl"
    assert run(demo, "--tool", "0,0,0", "-o", str(out)) == 1
    shown = capsys.readouterr().out
    assert "not repairable: " in shown
    assert "s10 is out of reach by 10.3 mm, at any speed" in shown
    assert "with the base moved by " in shown
    assert not out.exists()


def test_for_programs(fast: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = fast.with_name("slow.irl")
    options = ("--margin", "5%", "--payload-up-to", "20", "-o", str(out))
    assert run(fast, "--json", *options) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["feasible"] is True
    assert data["text"].encode() == out.read_bytes()
    assert {change["line"] for change in data["changes"]} == {4}
    assert data["seconds"] > data["seconds_before"]
    assert "5 % of every torque in reserve and payloads up to 20 kg" in data["sentence"]


def test_mistakes_and_wrong_options(
    fast: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = tmp_path / "wrong.irl"
    wrong.write_text("program p; seq\nmvoe ptp home;\nendseq", encoding="utf-8")
    assert run(wrong) == 2
    assert "mvoe" in capsys.readouterr().err
    for options, sentence in (
        (["--margin", "5"], "--margin: expected a part from 0 to less than 1, such as 5% or 0.05"),
        (["--payload-up-to", "-1"], "payload_up_to: expected a mass >= 0 kg"),
        (["-o", str(fast)], f"-o: {fast} is the program itself; --in-place keeps a backup"),
        (["-o", str(tmp_path)], "-o: expected a file, found the folder"),
        (["-o", str(tmp_path / "no" / "x.irl")], "cannot be written"),
    ):
        assert run(fast, *options) == 2
        assert sentence in capsys.readouterr().err
    fast.write_bytes(b"program \xff")
    assert run(fast) == 2
    assert "expected UTF-8 text, found other bytes" in capsys.readouterr().err
    assert run("-", "--in-place") == 2
    assert "--in-place: expected a file, found -" in capsys.readouterr().err


def test_from_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(WRITTEN)))
    out = tmp_path / "out.irl"
    assert run("-", "-o", str(out)) == 0
    assert out.read_bytes().startswith("\ufeffprogram brzo;\r\n".encode())


@pytest.mark.parametrize(
    ("text", "part"), [("5%", 0.05), ("0.05", 0.05), ("0", 0.0), ("12.5%", 0.125)]
)
def test_parts(text: str, part: float) -> None:
    assert part_of(text) == part


@pytest.mark.parametrize("text", ["5", "100%", "-1%", "much", "", "%", "nan"])
def test_no_parts(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="expected a part"):
        part_of(text)


@pytest.mark.usefixtures("users_environment")
def test_nothing_but_the_diff_goes_to_a_pipe(fast: Path) -> None:
    command = [sys.executable, "-m", "erfd", "repair", str(fast), "--robot", "lola15", "--diff"]
    done = subprocess.run(command, capture_output=True, check=True)
    assert done.stdout.startswith(b"--- fast.irl")
    assert done.stdout.count(b"\n+ ") == 1
