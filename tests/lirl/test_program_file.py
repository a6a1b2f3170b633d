"""The text of a program from its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from erfd.errors import InputError
from erfd.lirl.program_file import read_program
from erfd.lirl.words import MAX_TEXT


def test_mark_and_line_ends_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "p.irl"
    path.write_bytes("program p;\r\nseq // é\nendseq\r\n".encode("utf-8-sig"))
    assert read_program(path) == read_program(str(path)) == "program p;\nseq // é\nendseq\n"


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "b.irl"
    path.write_bytes(b"\xff\xfe\x00")
    for name, sentence in (
        ("none.irl", "no such file"),
        (".", "expected a program, found a folder"),
        ("b.irl", "expected UTF-8 text, found other bytes"),
        ("b.irl/p.irl", "cannot be read: Not a directory"),
        (300 * "x", "cannot be read: File name too long"),
    ):
        with pytest.raises(InputError, match=sentence):
            read_program(tmp_path / name)


def test_a_file_too_large_for_any_program_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.irl"
    with path.open("wb") as file:
        file.truncate(4 * MAX_TEXT + 4)
    with pytest.raises(InputError, match=f"expected at most {MAX_TEXT} characters, found"):
        read_program(path)
    path.write_text(MAX_TEXT * "€", encoding="utf-8-sig")
    assert len(read_program(path)) == MAX_TEXT
