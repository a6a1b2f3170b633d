"""Lower values in a text: everything else stays as it was, to the last character."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import erfd
from erfd.lirl import interpret, parse
from erfd.planning.moves import Move
from erfd.verification.repair.places import LINE_END, Places, edited, plain
from erfd.verification.repair.repair import given_values
from erfd.verification.repair.values import Value, capped, caps_of, values_by_line
from support.infeasible_programs import random_program

HEAD = "program x;\nconst real: v1 = 900.5; int: v2 = 400; endconst\nvar int: i; real: v = 500; "
P, Q = "(900, -150, 500)", "(900, 150, 500)"


def lowered(text: str, *wanted: tuple[int, str, int]) -> str:
    """A text with values (line, option) at an index of `PARTS` each."""
    body = plain(text)
    program = parse(body)
    steps = list(interpret(program))
    values = values_by_line(steps, ())
    places = Places(program, body)
    indices = {
        next(v for v in values[line] if v.option == option): index for line, option, index in wanted
    }
    edits = [
        edit
        for value, index in places.grouped(indices).items()
        for edit in places.edits(value, index, given_values(steps, values))
    ]
    return edited(text, edits)


def program(*lines: str, more: str = "") -> str:
    """A program whose statements begin at line 4."""
    return f"{HEAD}{more}endvar seq\n" + "\n".join(lines) + "\nendseq\n"


@pytest.mark.parametrize(
    ("line", "wanted", "result"),
    [
        (f"move lin {P} speed=760 acc=1000 c_speed; // x",
         [("speed", 50)], f"move lin {P} speed=380 acc=1000 c_speed; // x"),
        (f"\tmove  lin {P}\tSPEED := 0760.00 ;{{ć}}",
         [("speed", 29)], f"\tmove  lin {P}\tSPEED := 539 ;{{ć}}"),
        (f"move lin {P}  {{x}} ;", [("speed", 50), ("acc", 75)],
         f"move lin {P} speed=125 acc=250  {{x}} ;"),
        (f"move ptp {P};", [("acc_ptp", 41)], f"move ptp {P} acc_ptp=0.59;"),
        (f"move lin {P} speed=2 * (v + 1) acc=9;", [("speed", 50)],
         f"move lin {P} speed=501 acc=9;"),
        (f"move lin {P} acc=9 speed=v * 1;", [("speed", 50)], f"move lin {P} acc=9 speed=250;"),
        (f"for i := 1 to 2 move lin {P} speed=i * v; endfor", [("speed", 30)],
         f"for i := 1 to 2 move lin {P} speed=min(i * v, 700); endfor"),
        (f"move lin {P} speed=300; move lin {Q} speed=90; move lin {P};", [("speed", 50)],
         f"move lin {P} speed=150; move lin {Q} speed=90; move lin {P} speed=150;"),
    ],
)  # fmt: skip
def test_only_the_value_changes(line: str, wanted: list[tuple[str, int]], result: str) -> None:
    text = program(line, f"move lin {Q} speed=90 acc=90;")
    expected = text.replace(line, result)
    assert lowered(text, *((4, option, index) for option, index in wanted)) == expected


def test_a_declared_number_is_lowered_where_all_its_uses_are() -> None:
    both = program(f"move lin {P} speed=v1;", f"move lin {Q} speed=v1;")
    changed = lowered(both, (4, "speed", 50), (5, "speed", 60))
    assert changed == both.replace("900.5", "360")
    one = lowered(both, (4, "speed", 50))  # the other move stays as fast as it is
    assert one == both.replace(f"{P} speed=v1", f"{P} speed=450")
    more = program(f"move lin {P} speed=v2;", f"v := v2; move lin {Q} speed=90;")
    assert lowered(more, (4, "speed", 50)) == more.replace("speed=v2", "speed=200")
    whole = program(f"move lin {P} speed=v2;")
    assert lowered(whole, (4, "speed", 1)) == whole.replace("v2 = 400", "v2 = 396")


def test_a_declared_number_stays_if_its_line_changes_anyway() -> None:
    text = program(f"move lin {P} speed=v1 acc=900;")
    changed = lowered(text, (4, "speed", 50), (4, "acc", 50))
    assert changed == text.replace("speed=v1 acc=900", "speed=450 acc=450")


def test_where_min_is_another_name() -> None:
    text = program(f"for i := 1 to 3 move lin {P} speed=i * v; endfor", more="real: min = 1; ")
    assert lowered(text, (4, "speed", 30)) == text.replace("i * v", "500")


def test_an_expression_keeps_the_comments_within_it() -> None:
    text = program(f"move lin {P} speed={{a}}v {{mm/s}} * 2{{twice}} acc=9 ;")
    after = program(f"move lin {P} speed={{a}}500 {{mm/s}}  {{twice}} acc=9 ;")
    assert lowered(text, (4, "speed", 50)) == after


def test_an_expression_of_several_lines_keeps_its_comments() -> None:
    text = program(f"move lin {P} speed=v // one", " + 100 {two}", " * 2 acc=500;")
    expected = text.replace("speed=v", "speed=350").replace(" + 100 {two}", "   {two}")
    assert lowered(text, (4, "speed", 50)) == expected.replace(" * 2 acc", "   acc")


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_the_mark_stay(end: str, mark: str) -> None:
    text = program(f"move lin {P} speed=760; // čćž", f"move lin {Q} speed=90;")
    written = mark + text.replace("\n", end)
    expected = mark + text.replace("760", "380").replace("\n", end)
    assert lowered(written, (4, "speed", 50)) == expected


@given(st.text(alphabet="a \t\r\nč{}\ufeff\x0b\x0c\x85\u2028"))
def test_without_edits_a_text_is_what_it_was(text: str) -> None:
    assert edited(text, []) == text
    assert "\r" not in plain(text)
    assert len(LINE_END.findall(text)) == plain(text).count("\n")


@pytest.mark.parametrize("seed", range(40))
def test_the_text_says_what_the_trials_tried(seed: int) -> None:
    """The moves of an edited program are the capped moves of the program, to the last bit."""
    die, robot = random.Random(seed), erfd.load("lola15")
    text = random_program(die)
    body = parse(text)
    steps = [step for step in interpret(body, robot) if isinstance(step, Move)]
    values = values_by_line(steps, ())
    every = [value for own in values.values() for value in own]
    indices = {v: die.randint(1, 150) for v in die.sample(every, min(len(every), 5))}
    places = Places(body, text)
    indices = places.grouped(indices)
    assert isinstance(next(iter(indices)), Value)
    edits = [e for v, i in indices.items() for e in places.edits(v, i, given_values(steps, values))]
    result = edited(text, edits)
    again = [step for step in interpret(parse(result), robot) if isinstance(step, Move)]
    assert [values_of(m) for m in again] == [values_of(capped(s, caps_of(indices))) for s in steps]
    changed = {line for edit in edits for line, *_ in edit.puts}
    lines, results = text.split("\n"), result.split("\n")
    for number, (before, after) in enumerate(zip(lines, results, strict=True), 1):
        assert before == after or number in changed
        assert outside(before) == outside(after)


def values_of(move: Move) -> tuple[object, ...]:
    """All that a move has but for the words of its targets."""
    return move.kind, move.targets, move.line, move.speed, move.acc, move.speed_ori, move.acc_ori, \
        move.speed_ptp, move.acc_ptp, move.jerk, move.c_cp  # fmt: skip


def outside(line: str) -> str:
    """A line without what a repair may change: values of moves, and numbers of declarations."""
    line = re.sub(r" ?\b(speed|acc)(_ptp|_ori)? ?= ?[^;c{]*?(?=[;c{]| acc| speed|$)", "", line)
    return re.sub(r"(: (brzo|gas|v) = )[\d.]+", r"\1", line)
