"""What a program does, from its tree."""

from __future__ import annotations

import pytest

from erfd.lirl import parse
from erfd.lirl.analysis import carries


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
