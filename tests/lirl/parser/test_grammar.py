"""The grammar: what is written is what is read, whatever the spacing, case and comments."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from erfd.lirl import ProgramError, format_program, parse
from erfd.lirl import syntax as tree
from erfd.lirl.parser.parse import parse_with_mistakes
from erfd.lirl.parser.scan import scan
from erfd.lirl.parser.tables import WORDS, grammar_text, tables
from erfd.lirl.words import CLOSERS, KEYWORDS, OPTIONS, PRECEDENCE, TYPES, language_description
from support import lirl_programs as programs

GRAMMAR = grammar_text()
SLOW = settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))


def tree_of(text: str) -> tree.Program:
    program, mistakes, lost = parse_with_mistakes(text)
    assert not mistakes, (mistakes, text)
    assert not lost
    assert program is not None
    return program


@SLOW
@given(programs.programs())
def test_a_tree_written_and_read_is_the_same(program: tree.Program) -> None:
    text = programs.text_of(program)
    found = tree_of(text)
    assert found == program
    assert repr(found) == repr(program)  # 1 and 1.0 are equal, but not the same


@SLOW
@given(programs.programs(), st.integers(0, 2**32))
def test_format_keeps_the_tree_and_the_comments(program: tree.Program, seed: int) -> None:
    random = Random(seed)
    tokens, _ = scan(programs.text_of(program))
    parts, comments = [], []
    for token in tokens[:-1]:
        parts.append(
            random.choice((str.lower, str.upper, str.title))(token.text)
            if token.text.lower() in WORDS
            else token.text
        )
        gap = random.choice((" ", "\n", "\t ", "\n\n\n", " { a\n note } ", " // b \n", " {c} "))
        comments += [word.strip() for word in re.findall(r"\{[^}]*\}|//.*", gap)]
        parts.append(gap)
    messy = "".join(parts)
    assert tree_of(messy) == program
    neat = format_program(messy)
    assert tree_of(neat) == program
    assert format_program(neat) == neat
    kept = [token.text for token in scan(neat, comments=True)[0] if token.kind == "COMMENT"]
    assert kept == comments
    assert all(line == line.rstrip() for line in neat.split("\n"))


@pytest.mark.parametrize("path", programs.EXAMPLE_PROGRAMS, ids=lambda path: path.name)
def test_examples_are_in_the_one_style(path: Path) -> None:
    text = path.read_text()
    assert format_program(text) == text


def test_every_word_is_a_terminal_and_nothing_else_is_reserved() -> None:
    declared = set(re.findall(r"\b[A-Z_]+\b", " ".join(re.findall(r"%declare (.*)", GRAMMAR))))
    assert declared | {"OPERATOR"} == set(WORDS.values()) | {"ERROR"}
    used = {name for row in tables().actions for name in row if name.isupper()}
    assert declared <= used
    assert set(WORDS) == {*KEYWORDS, *TYPES}
    for word in {*KEYWORDS, *TYPES}:
        with pytest.raises(ProgramError):
            parse(f"program p; var int: {word}; endvar seq endseq")
    for word in OPTIONS:  # these may be names
        parse(f"program p; var int: {word}; endvar seq {word} := 1; endseq")
    assert set(CLOSERS) | set(CLOSERS.values()) <= set(KEYWORDS)


def test_no_conflict_in_the_table(caplog: pytest.LogCaptureFixture) -> None:
    """Lark resolves shift/reduce conflicts silently; it logs them if asked to."""
    import logging

    from lark import Lark, logger

    logger.setLevel(logging.DEBUG)
    try:
        with caplog.at_level(logging.DEBUG, logger="lark"):
            Lark(GRAMMAR, parser="lalr", lexer="basic", start="program", debug=True)
    finally:
        logger.setLevel(logging.CRITICAL)
    assert "conflict" not in caplog.text.lower()


def test_precedence() -> None:
    """Strong operators first, equal ones from left to right; `not` and signs as documented."""

    def shape(text: str) -> object:
        statement = tree_of(f"program p; seq x := {text}; endseq").body[0]
        assert isinstance(statement, tree.Assign)
        return statement.value

    for weak, strength in PRECEDENCE.items():
        for strong, other in PRECEDENCE.items():
            if strength < other:
                assert shape(f"a {weak} b {strong} c") == shape(f"a {weak} (b {strong} c)")
                assert shape(f"a {strong} b {weak} c") == shape(f"(a {strong} b) {weak} c")
            elif strength == other:
                assert shape(f"a {weak} b {strong} c") == shape(f"(a {weak} b) {strong} c")
    assert shape("-a ** b") == shape("-(a ** b)")
    assert shape("a ** -b ** c") == shape("(a ** (-b)) ** c")
    assert shape("-a * b") == shape("(-a) * b")
    assert shape("a * -b + c") == shape("(a * (-b)) + c")
    assert shape("not a = b and c") == shape("((not a) = b) and c")


def test_case_does_not_matter() -> None:
    low = tree_of("program p; var int: Zeile; endvar seq move LIN ZEILE Speed=3; endseq")
    high = tree_of("PROGRAM p; VAR INT: zeile; ENDVAR SEQ MOVE lin zeile SPEED=3; ENDSEQ")
    assert low == high


def test_description_for_editors() -> None:
    import json

    data = language_description()
    assert json.loads(json.dumps(data)) == data
    assert set(data["options"]) == set(OPTIONS)  # type: ignore[arg-type]
    assert "sin" in data["functions"]  # type: ignore[operator]


def test_the_parser_knows_nothing_of_the_checker() -> None:
    folder = Path(tree.__file__).parent / "parser"
    texts = [path.read_text(encoding="utf-8") for path in folder.glob("*.py")]
    assert texts
    assert not any("checker" in text for text in texts)
