"""The LALR(1) table that is kept beside the grammar."""

import json
import subprocess
import sys

import pytest

from erfd.lirl import parse
from erfd.lirl.parser import tables
from erfd.lirl.parser.table_maker import compute_table, text_of

PROGRAM = "program p; var int: a, b; endvar seq a := 1; if a = 1 then b := 2; a := b; endif endseq"


def test_the_table_is_that_of_the_grammar() -> None:
    """If this fails: python -m erfd.lirl.parser.table_maker."""
    kept = tables.resources.files("erfd.lirl.parser").joinpath("grammar.json").read_text("utf-8")
    assert text_of(compute_table(tables.grammar_text())) == kept


def test_the_same_grammar_gives_the_same_table() -> None:
    """Whatever order Python's sets have in a process."""
    code = (
        "from erfd.lirl.parser.table_maker import *; print(text_of(compute_table(grammar_text())))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(found) == 1
    assert json.loads(found.pop())["states"]


def test_a_changed_grammar_needs_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lark computes the table of a grammar that is not the kept one, and programs read alike."""
    before = parse(PROGRAM)
    text = tables.grammar_text() + "\n// changed\n"
    monkeypatch.setattr(tables, "grammar_text", lambda: text)
    tables.tables.cache_clear()
    try:
        assert tables._kept()["grammar"] == tables.fingerprint(text)
        assert parse(PROGRAM) == before
    finally:
        tables.tables.cache_clear()


def test_long_blocks_are_read_in_linear_time() -> None:
    """Lists grow in place: of 40,000 statements, 800 million values would have to be copied."""
    statements = parse("program p; var int: a; endvar seq " + "a := 1;" * 40_000 + " endseq").body
    assert len(statements) == 40_000


def test_reading_a_program_needs_no_lark() -> None:
    code = f"import sys, erfd.lirl; erfd.lirl.parse({PROGRAM!r}); assert 'lark' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
