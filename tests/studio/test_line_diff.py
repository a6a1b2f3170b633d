"""The difference of two texts: nothing else is in it, and either text can be had from the other."""

from hypothesis import given
from hypothesis import strategies as st

from erfd.studio.line_diff import line_diff

TEXTS = st.lists(st.sampled_from(["a", "b", "", " c "]), max_size=12).map("\n".join)


@given(TEXTS, TEXTS)
def test_the_second_text_follows_from_the_first_and_the_other_way_round(a: str, b: str) -> None:
    lines = [line for place in line_diff(a, b, around=100) for line in place]
    if a == b:
        assert not lines
        return
    gone = [line.text for line in lines if line.kind != "new"]
    new = [line.text for line in lines if line.kind != "gone"]
    assert ("\n".join(gone), "\n".join(new)) == (a, b)


@given(TEXTS, TEXTS)
def test_numbers_are_those_of_the_text_that_has_the_line(a: str, b: str) -> None:
    for line in (line for place in line_diff(a, b) for line in place):
        text = a if line.kind == "gone" else b
        assert text.split("\n")[line.number - 1] == line.text
