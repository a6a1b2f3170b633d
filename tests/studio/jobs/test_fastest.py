"""The fastest motion of a program as a run of its own, beside that of the program."""

from pathlib import Path

import numpy as np
import pytest

import erfd
from erfd import read_run
from erfd.studio.jobs.fastest import work
from erfd.studio.runs.store import About
from erfd.studio.session import Setup
from erfd.verification import verify
from erfd.verification.fastest_program import fastest_program
from support.easy_program import EASY
from support.studio_jobs import request

pytestmark = pytest.mark.usefixtures("compiled")


@pytest.mark.parametrize("known", [False, True])
def test_two_runs_or_one(known: bool, tmp_path: Path) -> None:
    """The programmed one is made only where none is on show; each has the verdict of its motion."""
    first, second = tmp_path / "fast", tmp_path / "slow"
    for folder in (first, second):
        folder.mkdir()
    beside = None if known else {"id": "y", "folder": str(second)}
    more = {"beside": beside, "fastest_name": "p, fastest"}
    stages: list[float] = []
    made = work(request(first, EASY, Setup(), **more), lambda part, stage: stages.append(part))
    found = fastest_program(EASY, erfd.load("lola15"))
    fast = About.of(made["fastest"])
    assert fast.seconds == found.timing.seconds
    assert fast.feasible
    assert fast.program == ""  # it is not what the text does
    run = read_run(first / "run.parquet")
    assert np.array_equal(run["q"], found.timing.run["q"])
    figures = fast.figures["fastest"]
    assert figures["text"] == found.text
    assert verify(found.text, erfd.load("lola15")).seconds == figures["rewritten"]
    assert (made["before"] is None) == known
    assert stages == sorted(stages)
    if not known:
        slow = About.of(made["before"])
        assert slow.id == "y"
        assert slow.program == EASY
        assert slow.seconds == verify(EASY, erfd.load("lola15")).seconds > fast.seconds
        assert (second / "run.parquet").is_file()
    else:
        assert not list(second.iterdir())


def test_a_load_that_does_not_last_is_in_its_verdict(tmp_path: Path) -> None:
    """The fastest motion may be too much for ever: its verdict says so, as a sentence."""
    from erfd.report.wording.texts import Words
    from erfd.report.wording.verdict import headline, short_verdict, verdict
    from erfd.studio.runs.facts import kept_facts

    about = About(
        "x", "p", "", "lola15", False, 1.0, 10,
        figures={"continuous": {"table": {"failures": ["motor 2: too much"]}}},
    )  # fmt: skip
    facts = kept_facts(about)
    assert verdict(Words(), facts) == "not feasible: motor 2: too much"
    assert headline(Words(), facts) == "not feasible: motor 2: too much"
    assert short_verdict(Words(), facts) == "not feasible for long"
