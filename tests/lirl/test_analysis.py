"""What a program does, from its tree."""

from __future__ import annotations

import pytest

from erfd.lirl import parse
from erfd.lirl.analysis import carries, expression_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("program p; seq payload 2; endseq", True),
        ("program p; seq if true then repeat payload 2; until true; endif; endseq", True),
        ("program p; procedure take(); seq payload 2; endseq endproc seq take(); endseq", True),
        ("program payloads; { payload 2 } seq halt; endseq", False),
        ("program p; seq payload none; endseq", False),
    ],
)
def test_carries(text: str, expected: bool) -> None:
    assert carries(parse(text)) is expected


@pytest.mark.parametrize(
    "text",
    [
        "-(i - 1) * 2", "-(2 * i)", "-2 ** i", "(-2) ** i", "2 ** (-i)", "i - (-2)", "-(-i)",
        "2 - (i - 1)", "-(i + 2) - 3 * (i - 1)", "-i * 2", "not (i > 1 and i < 3)",
        "not (i > 1) or i = 2", "not (not (i > 1))",
    ],
)  # fmt: skip
def test_an_expression_in_a_message_means_what_is_written(text: str) -> None:
    """Its text has the value that it has itself: the parentheses that it needs are in it."""
    kind = "bool" if "not" in text else "real"
    shown = []
    for value in (text, None):
        written = value or shown[0]
        program = parse(f"program p; var int: i = 3; {kind}: x; endvar seq x := {written}; endseq")
        shown.append(expression_text(program.body[0].value))
    assert shown[0] == shown[1]
    names = {"i": 3}
    assert eval(python(shown[0]), names) == eval(python(text), names)


def python(text: str) -> str:
    return text.replace(" = ", " == ").replace("2 ** (-i)", "2.0 ** (-i)")
