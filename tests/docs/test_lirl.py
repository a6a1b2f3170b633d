"""docs/lirl.md: every example is read and run, every table says what the code does."""

from __future__ import annotations

import re
from functools import reduce

import pytest

from erfd.lirl import check, format_program, parse, words
from erfd.lirl.functions import FUNCTIONS
from erfd.lirl.interpreter.interpret import interpret
from erfd.lirl.signal_schedule import read_signal_schedule
from erfd.lirl.words import KEYWORDS, MEMBERS, OPTIONS, PRECEDENCE, TYPES
from support.lirl_programs import steps_of
from support.pages import rows
from support.paths import DOCS

PAGE = (DOCS / "lirl.md").read_text()
BLOCKS = re.findall(r"^```irl\n(.*?)^```", PAGE, re.S | re.M)
PRELUDE = next(block for block in BLOCKS if block.startswith("const"))
SCHEDULE = re.search(r"^```csv\n(.*?)^```", PAGE, re.S | re.M)[1]


def whole(block: str) -> str:
    """The example as a program."""
    if block.startswith("program"):
        return block
    if block == PRELUDE:
        return f"program page;\n{PRELUDE}seq\nendseq\n"
    if block.startswith(("var", "procedure", "function")):
        return f"program page;\n{PRELUDE}{block}seq\nendseq\n"
    return f"program page;\n{PRELUDE}seq\n{block}endseq\n"


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_examples(block: str, tmp_path) -> None:
    path = tmp_path / "page.signals.csv"
    path.write_text(SCHEDULE)
    text = whole(block)
    assert check(text) == []
    inputs = "part_there" in text
    steps_of(text, robot_name="lola15", n=6, signals=read_signal_schedule(path) if inputs else None)
    assert parse(format_program(text)) == parse(text)


def test_there_is_an_example_of_everything() -> None:
    """Every word, type, option, function and operator stands in an example."""
    said = set(re.findall(r"\w+", re.sub(r"//.*|\{.*?\}", "", " ".join(BLOCKS)).lower()))
    assert {*KEYWORDS, *TYPES, *OPTIONS} - said <= {"xor", "acc_ptp", "acc_ori"}
    signs = "".join(BLOCKS)
    assert all(word in signs for word in PRECEDENCE if word not in ("xor", "<>", "<"))


def test_operators() -> None:
    table = {
        sign: int(strength)
        for operators, _, strength in rows(PAGE, "Expressions")[1:]
        for sign in re.findall(r"`(\S+?)`", operators)
        if "sign" not in operators
    }
    assert table == {**PRECEDENCE, "not": words.NOT_STRENGTH}
    sign = next(row for row in rows(PAGE, "Expressions") if "sign" in row[0])
    assert int(sign[2]) == words.SIGN_STRENGTH


def test_sentences_about_operators() -> None:
    from support.lirl_programs import value

    assert value("-2 ** 2") == -4
    assert value("2 ** 3 ** 2") == 64
    assert value("2 ** -1 * 4") == 2


def section(title: str) -> str:
    _, _, below = PAGE.partition(f"\n### {title}\n")
    return re.split(r"\n##+ ", below)[0]


def cells(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_functions() -> None:
    table = {row[0].strip("`"): row[1] for row in cells(section("Built-in functions"))[2:]}
    assert table == {name: function.meaning for name, function in FUNCTIONS.items()}


def test_parts() -> None:
    table = {row[0]: row[1] for row in cells(section("Geometry"))}
    for kind, members in MEMBERS.items():
        found = re.findall(r"`\.(\w+)`", table[f"`{kind}`"])
        assert found == list(members)


def test_types() -> None:
    assert [row[0].strip("`") for row in rows(PAGE, "Types")[1:]] == list(TYPES)


def test_options() -> None:
    body = rows(PAGE, "Moves")[1:]
    assert [row[0].strip("`") for row in body] == list(OPTIONS)
    for row in body:
        option = OPTIONS[row[0].strip("`")]
        assert row[3] == option.meaning
        assert re.findall(r"`(\w+)`", row[2]) == list(option.kinds)
        value = row[1].split(",")[0]
        if option.choices:
            assert re.findall(r"`(\w+)`", row[1]) == list(option.choices)
        elif option.value == "real":
            assert value == (option.unit or "0 to 1")
            default = re.search(r", (\d+) if not given", row[1])
            assert (float(default[1]) if default else None) == words.DEFAULTS.get(row[0].strip("`"))
        else:
            assert value == (option.value or "-")


def test_reserved_words() -> None:
    listed = re.search(r"Reserved words: `(.*?)`", PAGE, re.S)[1].split()
    assert sorted(listed) == sorted(KEYWORDS)


def test_bounds() -> None:
    defaults = interpret.__kwdefaults__
    table = {row[0]: row[1].replace(",", "") for row in rows(PAGE, "What a program cannot do")[1:]}
    expected = {
        "text of a program": words.MAX_TEXT,
        "brackets and blocks inside each other": words.MAX_NESTING,
        "routines that call each other": words.MAX_DEPTH,
        "statements that are run": defaults["steps"],
        "time to compute them": defaults["seconds"],
        "moves": defaults["moves"],
        "all waits together": words.MAX_WAIT,
        "an array": words.MAX_ARRAY,
        "a text": words.MAX_STRING,
        "mistakes that are listed": words.MAX_MISTAKES,
        "whole numbers": words.MAX_INT,
    }
    assert table.keys() == expected.keys()
    for name, bound in expected.items():
        assert float(table[name].split()[0]) == bound, name
    assert str(words.MAX_ELEMENTS) in table["an array"]


def test_the_wrong_program(tmp_path, capsys: pytest.CaptureFixture) -> None:
    from erfd.cli import main

    wrong = re.search(r"^```irl-wrong\n(.*?)^```", PAGE, re.S | re.M)[1]
    said = re.search(r"^```text\n(.*?)^```", PAGE, re.S | re.M)[1]
    path = tmp_path / "wrong.irl"
    path.write_text(wrong)
    assert main(["lirl", "check", str(path)]) == 2
    assert capsys.readouterr().out == said


def test_names_of_the_python_part_exist() -> None:
    import erfd.lirl

    code = re.search(r"^```python\n(.*?)^```", PAGE, re.S | re.M)[1]
    imported = re.search(r"import (.*)", code)[1].split(", ")
    assert all(callable(getattr(erfd.lirl, name)) for name in imported)
    for name in re.findall(r"`(erfd\.lirl[\w.]+)\(\)`", PAGE):
        assert reduce(getattr, name.split(".")[1:], erfd)
