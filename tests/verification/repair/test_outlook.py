"""One line for the advice: what a repair would do."""

import re

import pytest

import erfd
from erfd.verification import verify
from erfd.verification.repair import outlook, repair
from support.easy_program import EASY
from support.paths import EXAMPLES

pytestmark = pytest.mark.usefixtures("compiled")
LOLA = erfd.load("lola15")
DEMO = (EXAMPLES / "lola15_demo.irl").read_text(encoding="utf-8")


def test_what_a_repair_would_do() -> None:
    assert outlook(verify(EASY, LOLA)) == ""
    options = {"wrench": [100, 100, -150, 0, 0, 0], "turning": "smooth"}
    made = repair(DEMO, LOLA, **options)
    line = outlook(made.before, seconds=60.0)
    took = f"{made.verification.seconds:.2f} s instead of 13.46 s"
    assert line == f"erfd repair makes it feasible by lower values of line 29: {took}"
    assert made.lines == (29,)
    assert outlook(verify(DEMO, LOLA, tool=erfd.Pose())) == HELPLESS


HELPLESS = "erfd repair cannot help by lower speeds; it looks for another way"


def test_an_outlook_takes_no_longer_than_it_may() -> None:
    found = verify(DEMO, LOLA, wrench=[100, 100, -150, 0, 0, 0])
    line = outlook(found, seconds=1e-3)
    assert line == "erfd repair looks for lower speeds with which it is feasible"
    assert re.match(r"erfd repair makes it feasible by lower values of lines? ", outlook(found))
