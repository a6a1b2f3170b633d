"""Values of moves in a program's text: put where they belong, all else as it was."""

import pytest

import erfd
from erfd.lirl import parse
from erfd.planning.moves import Move
from erfd.verification.fastest_program.values import rewritten, rounded, values_of

TEXT = """program p; { speed=1 stays }
var real: v = 80; endvar
seq
  move ptp joint(mainjoint(10, 20)) acc_ptp=0.5;  // a comment
  move lin (1000, 0, 900)
    speed=v * (1 + 1) c_speed act_rob="lola_15" ; move lin (1000, 100, 900) acc=100;
  move circle (1000, 150, 950), (1000, 200, 900);
endseq
endprogram
"""


def test_a_value_is_replaced_or_added() -> None:
    given = {
        (4, True): (0.25, 0.75), (5, False): (123.4, 500.0), (6, False): (55.5, 66.6),
        (7, False): (1.0, 2.0), (7, True): (0.5, 0.5),
    }  # fmt: skip
    made = rewritten(TEXT, parse(TEXT), given)
    lines = made.split("\n")
    assert lines[:3] == TEXT.split("\n")[:3]
    assert (
        lines[3] == "  move ptp joint(mainjoint(10, 20)) acc_ptp=0.75 speed_ptp=0.25;  // a comment"
    )
    assert lines[5].startswith('    speed=123.4 c_speed act_rob="lola_15" acc=500 ; move lin')
    assert lines[5].endswith("acc=66.6 speed=55.5;")
    assert lines[6].endswith("(1000, 200, 900) speed=1 acc=2;")
    again = rewritten(made, parse(made), given)
    assert again == made


def test_the_planner_gets_what_is_written() -> None:
    robot = erfd.load("lola15")
    text = "program p; seq\nmove ptp joint(mainjoint(10));\nendseq endprogram"
    made = rewritten(text, parse(text), {(2, True): (0.125, 0.5)})
    (move,) = (s for s in erfd.verify(made, robot).steps if isinstance(s, Move))
    assert values_of(move) == (0.125, 0.5)


@pytest.mark.parametrize(
    ("ptp", "values", "written"),
    [
        (False, (123.456, 0.01), (123.4, 0.1)),
        (False, (300.0, 1e9), (300.0, 1e6)),
        (True, (0.12349, 7.0), (0.123, 1.0)),
    ],
)
def test_values_are_rounded_down(ptp: bool, values: tuple, written: tuple) -> None:
    assert rounded(ptp, values) == written
    assert rounded(ptp, written) == written
