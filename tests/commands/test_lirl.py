"""`erfd lirl check` and `erfd lirl format` as a person and as a program see them."""

from __future__ import annotations

import doctest
import importlib
import io
import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import erfd.lirl
from erfd.cli import main
from erfd.lirl import format_program
from support.lirl_programs import EXAMPLE_PROGRAMS

GOOD = "program p;\nseq\n  halt;\nendseq\n"
WRONG = "program p;\nseq\n  mvoe lin x;\n  wait 500 sec;\nendseq\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "p.irl"
    path.write_text(GOOD)
    return path


@pytest.mark.parametrize("path", EXAMPLE_PROGRAMS, ids=lambda path: path.stem)
def test_examples_fit_their_robots(path: Path, capsys: pytest.CaptureFixture) -> None:
    robot = {"pick_and_place": "lola15"}.get(path.stem, path.stem.split("_")[0])
    assert main(["lirl", "check", str(path), "--robot", robot]) == 0
    assert capsys.readouterr().out == f"{path.name}: no mistakes\n"
    assert main(["lirl", "check", str(path), "--robot", "puma560"]) == 2


def test_mistakes(file: Path, capsys: pytest.CaptureFixture) -> None:
    file.write_text(WRONG)
    assert main(["lirl", "check", str(file)]) == 2
    out = capsys.readouterr().out
    assert "p.irl:3:3: unknown word `mvoe`" in out
    assert "   |   ^^^^ did you mean `move`?" in out
    assert out.endswith("p.irl: 2 mistakes, 1 warning\n")
    assert main(["lirl", "check", str(file), "--json"]) == 2
    data = json.loads(capsys.readouterr().out)
    assert [entry["severity"] for entry in data] == ["error", "error", "warning"]
    assert {"line", "column", "width", "sentence", "suggestion"} < set(data[0])


def test_warnings_are_no_mistakes(file: Path) -> None:
    file.write_text(GOOD.replace("halt", "wait 500 sec"))
    assert main(["lirl", "check", str(file)]) == 0


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(WRONG))
    assert main(["lirl", "check", "-"]) == 2
    assert "<stdin>:3:3:" in capsys.readouterr().out
    monkeypatch.setattr(sys, "stdin", io.StringIO(GOOD.upper()))
    assert main(["lirl", "format", "-"]) == 0
    assert capsys.readouterr().out == GOOD.replace("program p", "program P")
    assert main(["lirl", "format", "-", "--write"]) == 2


def test_standard_input_is_read_as_a_file_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """A mark of order and carriage returns do not matter, other encodings are a mistake."""
    for text, code in ((GOOD, 0), (GOOD.replace("halt;", "halt; // \u00e9"), 0)):
        sent = text.replace("\n", "\r\n").encode("utf-8-sig")
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(sent), "ascii"))
        assert main(["lirl", "check", "-"]) == code
    capsys.readouterr()
    sent = GOOD.replace("halt;", "halt; // \u00e9").encode("latin-1")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(sent), "latin-1"))
    assert main(["lirl", "check", "-"]) == 2
    assert "<stdin>: expected UTF-8 text, found other bytes" in capsys.readouterr().err


def test_format(file: Path, capsys: pytest.CaptureFixture) -> None:
    messy = "PROGRAM p; { x }\n\n\n\nseq HALT; endseq;"
    file.write_text(messy)
    assert main(["lirl", "format", str(file), "--check"]) == 1
    assert file.read_text() == messy
    assert main(["lirl", "format", str(file)]) == 0
    printed = capsys.readouterr().out.removeprefix("p.irl: would change\n")
    assert file.read_text() == messy
    assert main(["lirl", "format", str(file), "--write"]) == 0
    assert file.read_text() == printed == "program p;  { x }\n\nseq\n  halt;\nendseq\n"
    assert main(["lirl", "format", str(file), "--check"]) == 0
    before = file.stat().st_mtime_ns
    assert main(["lirl", "format", str(file), "--write"]) == 0
    assert file.stat().st_mtime_ns == before  # nothing to write


def test_format_refuses_what_it_cannot_read(file: Path, capsys: pytest.CaptureFixture) -> None:
    wrong = "program p; seq halt endseq"
    file.write_text(wrong)
    assert main(["lirl", "format", str(file), "--write"]) == 2
    assert "missing `;`" in capsys.readouterr().err
    assert file.read_text() == wrong


def test_files_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    (tmp_path / "b.irl").write_bytes(b"\xff\xfe\x00")
    for name, said in (("none.irl", "no such file"), (".", "a folder"), ("b.irl", "UTF-8")):
        assert main(["lirl", "check", str(tmp_path / name)]) == 2
        assert said in capsys.readouterr().err


def test_byte_order_mark_and_line_ends(file: Path) -> None:
    """They are no matter of style; whatever is written anew has plain ones."""
    file.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert main(["lirl", "check", str(file)]) == 0
    assert main(["lirl", "format", str(file), "--check"]) == 0
    file.write_bytes(b"\xef\xbb\xbf" + GOOD.upper().replace("\n", "\r\n").encode())
    assert main(["lirl", "format", str(file), "--write"]) == 0
    assert file.read_bytes() == GOOD.replace("p;", "P;").encode()


def test_long_statements_are_wrapped() -> None:
    numbers = ", ".join(str(1000 + i) for i in range(60))
    text = f"program p; var array[60] of int: a = [{numbers}]; endvar seq endseq"
    neat = format_program(text)
    assert max(len(line) for line in neat.splitlines()) <= 100
    assert format_program(neat) == neat
    assert sum("1030" in line for line in neat.splitlines()) == 1


def test_docstrings() -> None:
    tried = 0
    for info in pkgutil.walk_packages(erfd.lirl.__path__, "erfd.lirl."):
        result = doctest.testmod(importlib.import_module(info.name))
        assert result.failed == 0, info.name
        tried += result.attempted
    assert tried >= 3


def test_lark_is_only_imported_to_read_a_program() -> None:
    code = "import sys, erfd.lirl, erfd.cli; erfd.cli.parser(); print('lark' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr
