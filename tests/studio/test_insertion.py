"""A taught move stands where a statement may, whatever the text and wherever the cursor."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erfd.errors import InputError
from erfd.lirl.checker.check import check, parse
from erfd.studio.examples import example_texts
from erfd.studio.insertion import insert_move

MOVE = "move ptp joint(mainjoint(7, 7, 7, 7, 7, 7));"
BODY = """program p;
var
  int: k;
endvar
procedure up;
seq
  wait 1 sec;
endseq
endproc
seq
  for k = 1 to 3 { over
  two lines } wait 2 sec; endfor
  if k > 2 then
    wait 3 sec;
  endif
endseq
endprogram
"""


def moves(text: str) -> int:
    return text.lower().count("move ")


@pytest.mark.parametrize("name", sorted(example_texts()))
@settings(max_examples=25, deadline=None)
@given(st.integers(1, 400))
def test_in_every_example_at_every_line(name, line):
    """Still a program, with just this move more, and every other line as it was."""
    text = example_texts()[name]
    found, at = insert_move(text, line, MOVE)
    assert found.split("\n")[at - 1].strip() == MOVE
    left = [one for k, one in enumerate(found.split("\n"), 1) if k != at]
    assert "".join(left).split() == text.split() or "".join("".join(left).split()) == "".join(
        text.split()
    )
    assert len(check(found)) <= len(check(text))


@pytest.mark.parametrize(
    ("line", "before"),
    [(7, "  wait 1 sec;"), (14, "    wait 3 sec;"), (1, "  endif"), (3, "  endif"),
     (99, "  endif"), (13, "  if k > 2 then")],
)  # fmt: skip
def test_behind_the_line_of_the_cursor(line, before):
    found, at = insert_move(BODY, line, MOVE)
    lines = found.split("\n")
    assert not [m for m in check(found) if m.severity == "error"]
    where = lines.index(before)
    if before == "  endif":  # the last of the program's body
        assert at - 1 in (where, where - 1, where + 1)
        assert found.index(MOVE) > found.index("wait 3 sec")
    else:
        assert at - 1 == where + 1
        assert lines[at - 1].strip() == MOVE


def test_a_comment_is_no_place():
    """The demonstration begins with a comment of many lines: a fresh page stands in it."""
    text = example_texts()["lola15_demo"]
    found, at = insert_move(text, 1, MOVE)
    assert len(parse(found).body) == len(parse(text).body) + 1
    assert found.split("\n")[at - 1].strip() == MOVE


@pytest.mark.parametrize("text", ["", "  \n", "{ to come }\n", "// mine"])
def test_a_text_without_a_program_becomes_one(text):
    found, at = insert_move(text, 1, MOVE)
    assert not check(found)
    assert found.startswith(text.strip())
    assert found.split("\n")[at - 1].strip() == MOVE


@pytest.mark.parametrize("text", ["move ptp a;", "program p;", "{ open", "what is this"])
def test_a_text_that_has_no_place_is_left_alone(text):
    with pytest.raises(InputError, match="the move has no place"):
        insert_move(text, 1, MOVE)
