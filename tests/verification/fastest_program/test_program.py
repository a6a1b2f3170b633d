"""The fastest motion along a program's path, and the program rewritten for it."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

import erfd
from erfd.cell import Cell, CellObject
from erfd.errors import InputError
from erfd.robot.model import Visual
from erfd.timing.solve import NoSpeedError
from erfd.verification.fastest_program import FastestProgram, fastest_program, value_search
from erfd.verification.fastest_program.page import fastest_data, fastest_page

TEXT = """program p;
seq
  move ptp joint(mainjoint(10, 5, -10, 0, 30)) speed_ptp=0.3;
  wait 0.2 sec;
  move_inc lin position(0, 150, 0) speed=3000 acc=60000;
  move ptp joint(mainjoint(-10)) speed_ptp=0.2;
endseq
endprogram
"""


@pytest.fixture(scope="module")
def found() -> Iterator[FastestProgram]:
    with erfd.backend("compiled"):
        yield fastest_program(TEXT, erfd.load("lola15"))


def test_the_motion_keeps_path_and_waits_and_can_be_done(found: FastestProgram) -> None:
    assert not found.before.feasible
    assert found.feasible
    timing = found.timing
    assert timing.seconds < found.before.seconds
    assert sum(timing.path.pauses) == pytest.approx(0.2)
    assert len(timing.pieces) == 3
    assert not [e for e in timing.run.events if e.fails]
    given = found.before.plan.trajectory.q
    for q in timing.trajectory.q[::10]:
        assert np.linalg.norm(given - q, axis=1).min() < 0.02  # of the spacing of the samples
    standing = np.flatnonzero(~timing.trajectory.qd.any(axis=1))
    assert len(standing) >= 20


def test_the_rewritten_program_can_be_done(found: FastestProgram) -> None:
    assert found.after is not None
    assert found.after.feasible
    assert found.timing.seconds < found.after.seconds < found.before.seconds
    assert erfd.verify(found.text, erfd.load("lola15")).seconds == found.after.seconds
    moved = [
        k
        for k, (a, b) in enumerate(zip(TEXT.split("\n"), found.text.split("\n"), strict=True))
        if a != b
    ]
    assert set(moved) <= {2, 4, 5}


def test_it_is_said_and_written(found: FastestProgram) -> None:
    data = fastest_data(found)
    assert data["fastest"]["seconds"] == found.timing.seconds
    assert data["rewritten"]["text"] == found.text
    page = fastest_page(found)
    assert "10 % higher" in page
    assert "<svg" in page
    assert page.count("<ins>") >= 2


def test_keep_speeds_is_nowhere_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_search, "TRIALS", 12)
    with erfd.backend("compiled"):
        kept = fastest_program(TEXT, erfd.load("lola15"), keep_speeds=True)
    given = kept.before.plan.trajectory
    fastest = np.linalg.norm(np.diff(given.q, axis=0), axis=1).max() / given.dt
    made = np.linalg.norm(kept.timing.trajectory.qd, axis=1).max()
    assert made <= fastest * (1 + 1e-3)
    assert kept.timing.seconds > kept.before.seconds - 0.05
    assert kept.timing.shares["programmed speed"] > 0.5
    with pytest.raises(InputError, match="limit: expected one of"):
        kept.timing.saving("programmed speed")


def test_a_long_program_gets_fewer_trials(
    found: FastestProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    trials = value_search.Trials(found.before, 0.0)
    monkeypatch.setattr(value_search, "FEWEST", 2)
    monkeypatch.setattr(value_search, "MOST_CYCLES", 3 * len(found.before.plan.trajectory))
    with erfd.backend("compiled"):
        value_search.best_values(trials, found.timing, lambda part, what: None)
    assert 3 <= len(trials._known) <= 4


def test_moves_of_both_kinds_at_one_line_have_values_of_their_own() -> None:
    text = (
        "program p; seq move ptp joint(mainjoint(10, 5, -10, 0, 30)); move_inc lin"
        " position(0, 150, 0) speed=3000 acc=60000; endseq"
    )
    found = fastest_program(text, erfd.load("lola15"))
    assert found.after is not None
    assert found.after.moves_feasibly
    assert found.after.seconds < 2.5 * found.timing.seconds


def test_where_the_search_finds_nothing_a_repair_is_where_it_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The turn on the spot is too fast, whatever speeds and accelerations the moves have."""
    monkeypatch.setattr(value_search, "TRIALS", 20)
    text = (
        "program p;\nseq\n  move ptp joint(mainjoint(10, 5, -10, 0, 30)) speed_ptp=0.3;\n"
        "  move_inc lin orientation(0, 0, 40) speed_ori=900 acc_ori=9000;\nendseq\n"
    )
    found = fastest_program(text, erfd.load("lola15"))
    assert found.after is not None
    assert found.after.moves_feasibly
    assert "acc_ori=9000" not in found.text
    kept = fastest_program(text, erfd.load("lola15"), keep_speeds=True)
    assert kept.after is not None
    assert "speed_ptp=0.3" in kept.text
    assert kept.after.seconds > found.after.seconds


def test_another_way_at_other_speeds_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_search, "TRIALS", 6)
    text = TEXT.replace(
        "  wait",
        "  while time() < 4 move ptp joint(mainjoint(12));"
        " move ptp joint(mainjoint(10)); endwhile\n  wait",
    ).replace("3000", "300")
    found = fastest_program(text.replace("60000", "500"), erfd.load("lola15"))
    assert any("it reads the time" in sentence for sentence in found.sentences)


def test_what_no_speed_makes_possible_is_said() -> None:
    robot = erfd.load("lola15")
    drives = list(robot.drives)
    drives[1] = replace(drives[1], torque_max=3.0)
    with pytest.raises(NoSpeedError, match="motor 2 needs"):
        fastest_program(TEXT, replace(robot, drives=tuple(drives)))
    far = TEXT.replace("position(0, 150, 0)", "position(0, 9150, 0)")
    with pytest.raises(NoSpeedError, match="line 5"):
        fastest_program(far, robot)
    for margin in (1.5, "5%", None):
        with pytest.raises(InputError, match="margin: expected a part from 0 to below 1"):
            fastest_program(TEXT, robot, margin=margin)  # type: ignore[arg-type]


def test_what_is_in_the_way_makes_it_infeasible(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("coal")
    monkeypatch.setattr(value_search, "TRIALS", 3)
    robot = erfd.load("lola15")
    text = "program p; seq move ptp joint(mainjoint(80, 20, 0, 0, -60)); endseq endprogram"
    wall = CellObject("wall", Visual("box", (0.3, 0.3, 3.0)), erfd.Pose((0.8, 0.8, 0.5)))
    made = fastest_program(text, robot, cell=Cell("room", (wall,)))
    assert not made.feasible
    assert [c.thing for c in made.contacts] == ["wall"] * len(made.contacts)
    data = fastest_data(made)
    assert not data["feasible"]
    assert any("collides with wall" in sentence for sentence in data["sentences"])
    assert "collides with wall" in fastest_page(made)


def test_what_was_not_checked_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_search, "TRIALS", 3)
    text = "program p; seq move ptp joint(mainjoint(20)); endseq endprogram"
    made = fastest_program(text, erfd.load("lola15"))
    assert made.feasible
    assert any("collisions not checked (no cell)" in row for row in fastest_data(made)["sentences"])
    assert not fastest_program(text, erfd.load("lola15"), strict=True).feasible
