"""All mistakes of a program at once, each with its place, a caret and a suggestion where one is."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

import erfd
from erfd.errors import ErfdError
from erfd.lirl import Mistake, ProgramError, check, parse
from erfd.lirl.words import MAX_MISTAKES
from support.paths import EXAMPLES, TESTS
from support.wrong_statements import HEAD, STATEMENTS


def place(line: str, spot: str, sentence: str) -> int:
    """The column of the mistake: of `spot`, or behind the word that the sentence names."""
    if spot:
        return line.index(spot) + 1
    behind = re.search(r"behind `(.*?)`", sentence)
    assert behind
    return line.index(behind[1]) + len(behind[1]) + 1


@pytest.mark.parametrize(
    ("line", "spot", "sentence", "hint"), STATEMENTS, ids=[s[0] for s in STATEMENTS]
)
def test_one_mistake(line: str, spot: str, sentence: str, hint: str) -> None:
    """It is found alone, at its place; with another mistake behind it, both are found."""
    robot = erfd.load("lola15")
    number = HEAD.count("\n") + 1
    found = check(f"{HEAD}{line}\nendseq\n", robot)
    first = found[0]
    assert first.sentence.startswith(sentence)
    assert first.suggestion.startswith(hint) or hint in first.suggestion
    assert bool(first.suggestion) >= bool(hint)
    assert (first.line, first.column) == (number, place(line, spot, sentence))
    assert first.severity == "error"
    assert len(found) == 1, found
    again = check(f"{HEAD}{line}\n  n := 1;\n  k := undeclared_name;\nendseq\n", robot)
    assert again[0] == first
    assert (again[-1].line, again[-1].column) == (number + 2, 8)
    assert again[-1].sentence == "`undeclared_name` is not declared"
    with pytest.raises(ProgramError):
        parse(f"{HEAD}{line}\nn := true;\nendseq\n")


DECLARATIONS = [
    ("int: n, N;", "`N` is declared already, in line 2"),
    ("int: a = 2.5;", "`a`: expected int, found real"),
    ("int: a = b;", "`b` is not declared"),
    ("array[n] of int: a;", "the bounds of an array have to be constant whole numbers"),
    ("array[3..1] of int: a;", "an array has 1 to 10000 elements, found -1"),
    ("array[99999] of int: a;", "an array has 1 to 10000 elements, found 99999"),
    ("array[2] of int: a = [1, 2, 3];", "`a`: expected array[1..2] of int, found array[1..3] of"),
    ("array[2] of int: a = [1, true];", "elements of one list: expected int, found bool"),
    ("signal in pose: s;", "a signal is bool, int or real, found pose"),
    ("int: a signal in bool: s;", "missing `;` behind `a`"),
    ("robtarg s;", "expected `:`, found `s`"),
    ("rela: x;", "unknown word `rela`"),
    ("int: 3x;", "unexpected `3`, expected a name"),
    ("int: move;", "`move` is a word of the language and cannot be a name"),
    ("position: p = (1, 2, 3;", "missing `)` behind `3`"),
    ("real: x = 1,5;", "expected a name, found `5`"),
]


@pytest.mark.parametrize(("text", "sentence"), DECLARATIONS, ids=[d[0] for d in DECLARATIONS])
def test_declarations(text: str, sentence: str) -> None:
    found = check(f"program p; var\n{text}\nendvar\nseq\nk := 1;\nendseq")
    assert found[0].sentence.startswith(sentence)
    assert found[0].line == 2
    assert found[-1].sentence == "`k` is not declared"


ROUTINES = [
    ("function f(int: n): int; seq n := 1; endseq endfct", "the function `f` has no `return`"),
    ("function f: int; seq return; endseq endfct", "the function `f` returns a value"),
    ("function f: int; seq return true; endseq endfct", "return: expected int, found bool"),
    ("procedure f; seq return 1; endseq endproc", "the procedure `f` has no value"),
    ("function f: int; seq halt; return 1; endseq endfct", "a function only computes: it cannot"),
    (
        "procedure g; seq halt; endseq endproc function f: int; seq g; return 1; endseq endfct",
        "a function only computes: it cannot",
    ),
    ("procedure f(int: a; int: a); seq endseq endproc", "`a` is declared already"),
    ("procedure f; seq endseq endproc procedure F; seq endseq endproc", "`F` is declared already"),
    ("procedure f; var signal in bool: s; endvar seq endseq endproc", "signals are declared in"),
    ("procedure f; seq endseq", "missing `endproc` behind `endseq` (the `procedure` of line 2"),
    ("const int: c; endconst", "the constant `c` needs a value"),
    ("var int: v = 1; endvar const int: c = v; endconst", "the value of the constant `c` is not"),
]


@pytest.mark.parametrize(("text", "sentence"), ROUTINES, ids=[r[0] for r in ROUTINES])
def test_routines(text: str, sentence: str) -> None:
    found = check(f"program p;\n{text}\nseq\nk := 1;\nendseq")
    assert any(m.sentence.startswith(sentence) for m in found), found
    assert found[-1].sentence == "`k` is not declared"


SUSPICIONS = [
    ("move lin t speed=0.2;", "speed 0.2 mm/s is very slow", "if m/s were meant, write 200"),
    ("move lin t acc=1.5;", "acc 1.5 mm/s2 is very slow", "if m/s2 were meant, write 1500"),
    ("move lin t speed=50000;", "speed 50000 mm/s is very fast", ""),
    ("move lin (0.5, 0.25, 1);", "this looks like metres; positions are in millimetres", ""),
    ("move ptp joint(1.57, 0.5);", "these angles look like radians; the axes are in degrees", ""),
    ("payload 5 at (0, 0, 0.06);", "this looks like metres", ""),
    ("payload 5000;", "5000 kg is a heavy payload", "if g were meant, write 5"),
    ("wait 500 sec;", "500 s is a long wait", "if ms were meant, write 0.5"),
    ("move ptp t speed=100;", "`speed` has no effect on `ptp`", ""),
    ("move lin t speed_ptp=0.5;", "`speed_ptp` has no effect on `lin`", ""),
    ("move lin t angle=90;", "`angle` has no effect on `lin`", ""),
    ("move lin t ref=base;", "`ref` has no effect on `move`", ""),
    ("move ptp j frame=f;", "`frame` has no effect on a move of the axes", ""),
    ("move_inc lin p frame=f;", "`frame` has no effect on `move_inc`", ""),
    ("wait for b;", "no input signal stands in this condition, it cannot change", ""),
]


def test_a_wait_for_the_clock_is_no_suspicion() -> None:
    for condition in ("time > 2.0", "time() >= 3"):
        assert check(f"{HEAD}wait for {condition};\nendseq\n") == []


@pytest.mark.parametrize(("line", "sentence", "hint"), SUSPICIONS, ids=[s[0] for s in SUSPICIONS])
def test_suspicions_are_warnings(line: str, sentence: str, hint: str) -> None:
    (found,) = check(f"{HEAD}{line}\nendseq\n")
    assert found.severity == "warning"
    assert found.sentence.startswith(sentence)
    assert found.suggestion == hint
    parse(f"{HEAD}{line}\nendseq\n")  # it can run all the same


@pytest.mark.parametrize(
    "line",
    [
        "move ptp joint(10, 0.5);",
        "move ptp joint(0, 1);",
        "move lin (0, 0, 1);",
        "move_inc lin position(0, 0, 0.5);",
        "wait for ready or half(1) > 2;",
        "move lin t speed=7.5 acc=15;",
    ],
)
def test_no_false_alarm(line: str) -> None:
    assert check(f"{HEAD}{line}\nendseq\n") == []


HOPELESS = [
    ("", "expected `program`, found the end of the program"),
    ("{", "this comment is never closed"),
    ("halt;", "expected `program`, found `halt`"),
    ("var int: a; endvar seq endseq", "expected `program NAME;`, found `var`"),
    ("program p; seq halt;", "expected `endseq`, found the end of the program"),
    ("program p; seq if true then halt;", "expected `endif`, found the end of the program"),
    ("program p; seq halt; endseq foo", "unexpected `foo`"),
    ("program p; int: a; seq endseq", ""),
    ("1 2 3", ""),
    ("program program program", ""),
    (f"program p; seq x := {'(' * 50}1{')' * 50}; endseq", "brackets and blocks are nested more"),
    (f"program p; seq {'if true then ' * 50}", "brackets and blocks are nested more than 40"),
    ("x" * 1_000_001, "the program has 1000001 characters"),
]


@pytest.mark.parametrize(("text", "sentence"), HOPELESS, ids=range(len(HOPELESS)))
def test_hopeless_texts(text: str, sentence: str) -> None:
    found = check(text)
    assert found
    assert any(m.sentence.startswith(sentence) for m in found), found
    assert len(found) <= 3


def test_many_mistakes_are_too_many() -> None:
    text = "program p; seq\n" + "x := := 1;\n" * 500 + "endseq"
    assert MAX_MISTAKES <= len(check(text)) <= MAX_MISTAKES + 2


def test_the_listing_as_printed() -> None:
    """Line 26 of the listing opens a comment that nothing closes (erratum 25)."""
    text = (EXAMPLES / "lola15_demo.irl").read_text()
    text = text[text.index("program Lola") :].replace("  move circle s1", "  {move circle s1", 1)
    (found,) = check(text)
    assert found.sentence == "this comment is never closed"
    line = text.splitlines()[found.line - 1]
    assert line.startswith("  {move circle s1")
    assert found.column == 3


def test_the_same_words_every_time() -> None:
    """What is said does not depend on the order of Python's sets."""
    code = """if True:
        from erfd.lirl import check
        from support.wrong_statements import HEAD, STATEMENTS
        for statement in STATEMENTS:
            print(check(f"{HEAD}{statement[0]} ) x := [ 3 move if\\nendseq\\n"))
    """
    path = [str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
    said = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert said[0] == said[1]
    assert said[0].count("Mistake") > len(STATEMENTS)


def test_rendering() -> None:
    text = "program p;\nseq\n\tmove lin\tgone_away speed=9;\nendseq"
    (found,) = check(text)
    assert found.render(text, "a.irl").splitlines() == [
        "a.irl:3:11: `gone_away` is not declared",
        " 3 | \tmove lin\tgone_away speed=9;",
        "   | \t        \t^^^^^^^^^",
    ]
    assert str(found) == "line 3, column 11: `gone_away` is not declared"


def test_of_a_long_line_the_place_is_shown() -> None:
    """The caret is under the word, whatever is left out beside it."""
    for before, after in ((0, 9000), (9000, 0), (9000, 9000), (30, 30)):
        text = f"program p; seq {'halt; ' * before}gone_away;{' halt;' * after} endseq"
        (found,) = check(text)
        head, line, caret = found.render(text).splitlines()
        assert head.startswith(f"1:{text.index('gone_away') + 1}: ")
        assert len(line) < 200
        start = caret.index("^")
        assert line[start : start + caret.count("^")] == "gone_away"


def test_no_more_mistakes_are_listed_than_anybody_reads() -> None:
    """Those of the grammar and of the types together, the first of the text."""
    lines = "\n".join("n := true; move lin;" for _ in range(40))
    found = check(f"program p;\nvar int: n; endvar\nseq\n{lines}\nendseq")
    assert len(found) == MAX_MISTAKES
    assert max(mistake.line for mistake in found) < 30


def test_an_array_of_too_many_rows_and_columns() -> None:
    (found,) = check("program p; var array[1000, 1000] of int: a; endvar seq endseq")
    assert found.sentence == "the arrays of the program have more than 100000 elements"
    assert check("program p; var array[100, 1000] of int: a; endvar seq endseq") == []


def test_words_that_the_planner_heeds_are_not_called_useless() -> None:
    """`c_ptp` behind a line and `c_speed` behind a point-to-point move change the motion."""
    text = "program p; seq move {kind} joint(mainjoint(5)) {word}; move lin (900, 0, 500); endseq"
    for kind in ("ptp", "lin"):
        for word in ("c_ptp", "c_speed", "c_cp=5"):
            assert check(text.format(kind=kind, word=word)) == []


def test_the_error_is_ours() -> None:
    with pytest.raises(ErfdError) as caught:
        parse("program p; seq mvoe ptp home; wait 3; endseq")
    error = caught.value
    assert isinstance(error, ProgramError)
    assert isinstance(error, ValueError)
    assert str(error) == (
        "line 1, column 16: unknown word `mvoe`; did you mean `move`? (and 2 more mistakes)"
    )
    assert len(error.mistakes) == 3
    assert error.render().count("\n") == 8
    assert all(isinstance(mistake, Mistake) for mistake in error.mistakes)


def test_lost_declarations_are_not_reported_again() -> None:
    text = "program p; var\nint: ) ( counter = ] 5;\nint: k;\nendvar seq k := counter; endseq"
    assert {mistake.line for mistake in check(text)} == {2}
