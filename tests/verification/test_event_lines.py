"""An event stands under the line of its worst moment: in the verdict, tables, JSON and studio."""

import io
import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import erfd
from erfd.report.wording.texts import Words
from erfd.report.wording.verdict import headline, verdict
from erfd.studio.jobs.verification import work
from erfd.studio.runs.facts import kept_facts
from erfd.studio.runs.open_runs import OpenRun
from erfd.studio.runs.store import About
from erfd.verification import verify
from erfd.verification.report_page import report_page
from erfd.verification.tables import print_verification, verification_data

pytestmark = pytest.mark.usefixtures("compiled")
LOLA = erfd.load("lola15")
SLOW = replace(LOLA, joints=(replace(LOLA.joints[0], velocity_max=1.5), *LOLA.joints[1:]))
WORSE_AND_WORSE = """program p;
var robtarg: a = robtarg(((900, -400, 500), (0, -60, -175)), 4); endvar
seq
  move ptp a speed_ptp=0.4;
  move lin a + (0, 250, 0) speed=2600 acc=8000 c_speed;
  move lin a + (0, 500, 0) speed=3200 acc=8000 c_speed;
  move lin a + (0, 800, 0) speed=3200 acc=20000;
endseq"""


@pytest.fixture(scope="module")
def found() -> erfd.Verification:
    with erfd.backend("compiled"):
        return verify(WORSE_AND_WORSE, SLOW, name="p")


def test_the_line_is_that_of_the_worst_moment(found: erfd.Verification) -> None:
    """By the plan's sample of that moment, whatever line it begins in."""
    t = found.run["t"]
    for event in found.run.events:
        (row,) = np.flatnonzero(np.abs(t - event.at) < 1e-9)
        assert event.line == found.plan.lines[row]
        assert event.start < event.at <= event.end
    spread = [e for e in found.run.events if e.fails and found.line_at(e.start) != e.line]
    assert {(found.line_at(e.start), e.line) for e in spread} >= {(5, 7), (6, 7)}
    lack = np.abs(found.run["qd_given"] - found.run["qd"])[:, 0]
    (event,) = [e for e in found.run.events if e.kind == "joint speed limit" and e.joint == 1]
    assert lack[np.searchsorted(t, event.at - 1e-9)] == pytest.approx(event.missing)
    assert set(found.bad_lines) == {5, 6, 7}  # all that it lasts over


def test_verdict_terminal_json_and_report_say_the_same_line(found: erfd.Verification) -> None:
    console = Console(width=300, record=True, file=io.StringIO())
    print_verification(found, None, console)
    shown = console.export_text()
    page = report_page(found)
    data = json.loads(json.dumps(verification_data(found, None)))
    assert re.match(r"not feasible: line 7: joint 1 lacks", found.verdict)
    for event, entry in zip(found.run.events, data["events"], strict=True):
        assert (entry["line"], entry["at"]) == (event.line, event.at)
        if event.fails:
            assert f"line {event.line}: {event}" in shown
            assert f"<li>line {event.line}: {event}</li>" in page
    lines = re.findall(r"<b> *(\d+)  </b>.*?(?:<i>(.*?)</i>)?</span>", page)
    reasons = {int(line): reason for line, reason in lines if reason}
    for line, reason in reasons.items():  # under a line stands the worst that belongs to it
        own = [e for e in found.run.events if e.fails and e.line == line]
        assert reason == str(max(own, key=lambda event: event.part))
    assert len(set(reasons.values())) == len(reasons) == 3


def test_the_studio_says_the_same_line(found: erfd.Verification, tmp_path: Any) -> None:
    file = tmp_path / "slow.toml"
    erfd.save(SLOW, file)
    request = {"folder": str(tmp_path), "setup": {"robot": "slow.toml"}, "robot_file": str(file),
               "id": "x", "name": "p", "program": WORSE_AND_WORSE, "advice": False,
               "enclosed": False}  # fmt: skip
    about = About.of(work(request, lambda part, what, about=None: None))
    kept = OpenRun(tmp_path / "run.parquet", about).file
    assert [(e.line, e.at) for e in kept.events] == [(e.line, e.at) for e in found.run.events]
    facts = kept_facts(about, kept)
    assert verdict(Words(), facts) == found.verdict
    assert headline(Words(), facts).endswith(", line 7")
    old = replace(facts, events=[replace(e, line=0, at=None) for e in kept.events])
    assert headline(Words(), old).endswith(", line 5")  # earlier files only know the beginning


@pytest.mark.parametrize("dt", [0.001, 0.005])
def test_the_line_does_not_depend_on_dt(found: erfd.Verification, dt: float) -> None:
    """Of the joint speed that is missing most; events with next to nothing may come and go."""
    finer = verify(WORSE_AND_WORSE, SLOW, dt=dt)
    assert re.match(r"not feasible: line 7: joint 1 lacks", finer.verdict)
