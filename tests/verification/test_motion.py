"""A motion without a program gets what a program gets, with the same numbers."""

from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import erfd
from erfd.cell.model import CellObject
from erfd.planning.motion_files.suspicion import noise
from erfd.verification.fastest_program import fastest_motion, fastest_program
from erfd.verification.tables import print_verification, verification_data
from support.easy_program import EASY
from support.motion_writing import smooth

pytestmark = pytest.mark.usefixtures("compiled")
LOLA = erfd.load("lola15")
FAST = (
    "program fast; var robtarg: p = robtarg(((900, -400, 500), (0, -60, -175)), 8); endvar"
    " seq move ptp joint(mainjoint(40, -10, 20, 0, -40)); wait 0.3 sec;"
    " move lin p speed=2500 acc=60000; endseq"
)


@pytest.mark.parametrize("text", [EASY, FAST])
def test_the_motion_of_a_program_is_judged_as_the_program(text: str) -> None:
    """Verdict, events, loads, margin and override: the text is all that a motion lacks."""
    program = erfd.verify(text, LOLA, payload=5.0)
    motion = erfd.verify_motion(program.plan.trajectory, LOLA, payload=5.0)
    assert motion.feasible == program.feasible
    assert motion.run["u_a"].tolist() == program.run["u_a"].tolist()
    assert [replace(e, line=0) for e in program.run.events] == list(motion.run.events)
    assert str(motion.continuous.rows) == str(program.continuous.rows)
    assert motion.not_checked == program.not_checked
    advice, own = erfd.advise(program), erfd.advise(motion)
    assert own.override == advice.override
    assert own.margin.replace("motion", "program") == advice.margin
    assert own.repair == ""
    waits = [m.kind == "wait" for m in motion.plan.moves]
    assert waits == [m.kind == "wait" for m in program.plan.moves]
    for mine, theirs in zip(motion.plan.moves, program.plan.moves, strict=True):
        assert mine.end == pytest.approx(theirs.end, abs=0.04)  # what is slow is rest
    said = printed(print_verification, motion, own)
    assert "line 0" not in said
    assert "program" not in said
    data = verification_data(motion, own)
    assert data["motion"]["points"] == len(motion.plan.trajectory)
    page = erfd.report_page(motion, own)
    assert "<h2>What was read</h2>" in page
    assert "line 0" not in page


def printed(show: Callable[..., None], *shown: object) -> str:
    text = StringIO()
    show(*shown, Console(file=text, width=200))
    return text.getvalue()


def test_the_fastest_way_along_a_motion() -> None:
    program = fastest_program(EASY, LOLA)
    motion = fastest_motion(erfd.verify_motion(program.before.plan.trajectory, LOLA))
    assert motion.timing.seconds == pytest.approx(program.timing.seconds, rel=0.02)
    assert motion.feasible
    assert not motion.text
    assert motion.sentences[0].startswith("as given it takes")
    assert not any("program" in sentence for sentence in motion.sentences)


def test_a_motion_that_starts_and_ends_moving() -> None:
    """It is not brought to rest, nor does it start from rest; parts end where it stands."""
    t = 0.01 * np.arange(101)
    q = 0.2 * np.sin(np.outer(2 * t + 0.3, np.ones(6)))
    found = erfd.verify_motion(
        erfd.Trajectory(t, q, 0.4 * np.cos(2 * t + 0.3)[:, None] * np.ones(6), resample=True), LOLA
    )
    assert found.feasible
    assert len(found.run) == len(t)
    assert found.run["qd"][0] == pytest.approx(0.4 * np.cos(0.3))
    assert [m.blend for m in found.plan.moves] == ["stop", "moving"]  # it turns back at 0.635 s
    assert found.plan.moves[0].end == pytest.approx(0.635, abs=0.02)
    sentences = fastest_motion(found).sentences
    assert "the fastest motion begins and ends at rest, the given one does not" in sentences


def test_the_cell_and_strictness() -> None:
    pytest.importorskip("coal")
    motion = erfd.verify(EASY, LOLA).plan.trajectory
    wall = erfd.Cell("walls", (CellObject("wall", erfd.Visual("box", (9.0, 9.0, 9.0))),))
    found = erfd.verify_motion(motion, LOLA, cell=wall)
    assert not found.feasible
    assert found.contacts
    assert erfd.advise(found).override is None
    strict = erfd.verify_motion(motion, LOLA, strict=True)
    assert not strict.feasible
    assert strict.lasts_feasibly


@pytest.mark.parametrize(
    ("motion", "sentence"),
    [
        (
            erfd.Trajectory([0, 1], [[0], [0]]),
            "motion: expected 6 joints of 'lola15', found 1: the",
        ),
        (3, "motion: expected a motion file, an erfd.MotionReading or an erfd.Trajectory, found 3"),
        ("nobody.csv", "nobody.csv: no such file"),
    ],
)
def test_mistakes(motion: object, sentence: str) -> None:
    with pytest.raises(erfd.errors.InputError) as found:
        erfd.verify_motion(motion, LOLA)
    assert str(found.value).startswith(sentence)


def test_a_start_beyond_the_limits_names_file_joint_and_what_is_suspected(tmp_path: Path) -> None:
    t = 0.01 * np.arange(50)
    degrees = np.column_stack([t, 20 + 5 * smooth(t, 6)])
    path = tmp_path / "degrees.csv"
    np.savetxt(path, degrees, delimiter=",", header="t,q1,q2,q3,q4,q5,q6", comments="")
    with pytest.raises(erfd.errors.InputError) as found:
        erfd.verify_motion(path, LOLA)
    assert str(found.value).startswith(
        "degrees.csv: expected axis 1 to begin within -170 to 170 deg"
    )
    assert "--degrees (degrees=True) reads them" in str(found.value)


def test_noise_is_named_and_ramps_are_not() -> None:
    t, draw = 0.01 * np.arange(200), np.random.default_rng(3)
    assert not noise(t, smooth(t, 6))
    assert not noise(t, erfd.verify(EASY, LOLA).plan.trajectory.q)
    sentences = noise(t, smooth(t, 6) + draw.normal(0, 1e-3, (200, 6)))
    assert len(sentences) == 1
    size = float(sentences[0].split("about ")[1].split()[0])
    assert size == pytest.approx(1e-3, rel=0.3)
