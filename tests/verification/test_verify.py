"""Verification: the demonstration of the paper, what fails and why, and what would help."""

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

import erfd
from erfd.cell import CellObject
from erfd.lirl import ProgramError
from erfd.robot.model import Visual
from erfd.verification import verify
from erfd.verification.advice import advise
from erfd.verification.overrides import largest
from erfd.verification.report_page import report_page
from erfd.verification.tables import advice_lines, verification_data
from erfd.verification.trial import TrialMotion
from support.easy_program import EASY
from support.paths import EXAMPLES

pytestmark = pytest.mark.usefixtures("compiled")
DEMO = (EXAMPLES / "lola15_demo.irl").read_text(encoding="utf-8")
LOLA = erfd.load("lola15")
WRENCH = (100.0, 100.0, -150.0, 0.0, 0.0, 0.0)


@pytest.fixture(scope="module")
def demo() -> erfd.Verification:
    with erfd.backend("compiled"):
        return verify(DEMO, LOLA, wrench=WRENCH, name="Lola15DD", turning="smooth")


def test_the_demonstration(demo: erfd.Verification) -> None:
    """13 moves; axis 4 is too slow for the arc s2-s3-s4 at 350 mm/s, and the report says so."""
    assert [report.move.kind for report in demo.moves].count("circle") == 5
    assert len(demo.moves) == 13
    assert not demo.feasible
    assert demo.bad_lines == (29,)
    assert demo.verdict.startswith("not feasible: line 29: joint 4 lacks")
    assert {event.joint for event in demo.run.events if event.fails} == {4, 5}
    worst = demo.moves[2]
    assert worst.speed[3] == pytest.approx(0.9995, abs=1e-3)  # 2.66 rad/s of axis 4 at its motor
    assert worst.distance > 0.01
    assert demo.moves[1].distance < 1e-9
    said = [sentence for _, sentence in demo.warnings]
    assert any(sentence.startswith("o_pco: start and end differ by 15.55") for sentence in said)
    assert sum("velocity step" in sentence for sentence in said) == 2


def test_without_the_tool_two_points_are_out_of_reach() -> None:
    """Erratum 22, with their lines."""
    found = verify(DEMO, LOLA, tool=erfd.Pose(), wrench=WRENCH, turning="smooth")
    assert not found.feasible
    missed = [(f.line, f.name, round(1e3 * f.distance, 1)) for f in found.plan.failures]
    assert missed == [(31, "s6", 3.5), (34, "s10", 10.3)]
    assert "line 31: s6 is out of reach by 3.5 mm" in found.verdict
    advice = advise(found)  # no speed helps, and when it would arrive means nothing
    assert advice.override is None
    assert advice.achievable_seconds is None
    speeds = zip(found.moves, advice.per_move, strict=True)
    assert [report.move.line for report, part in speeds if part is None] == [31, 34]
    assert advice_lines(found, advice) == [
        "no speed override helps: what is out of reach stays so",
        "no other CONFIG would pass",
        "no margin: the program is not feasible as it is",
        "erfd repair cannot help by lower speeds; it looks for another way",
    ]
    assert (34, "joint 3 comes within 0.0 deg of its upper limit") in found.warnings  # its stop
    stopped = [event for event in found.run.events if event.kind == "joint stop"]
    assert {event.joint for event in stopped} == {3}


def test_a_slower_program_is_feasible(demo: erfd.Verification) -> None:
    """The advised override, put into the program's time, is feasible; a little more is not."""
    advice = advise(demo)
    assert 0.6 < advice.override < 0.8
    assert advice.per_move[2] == pytest.approx(advice.override, abs=0.02)
    assert all(part >= 1 for k, part in enumerate(advice.per_move) if k != 2)
    motion = TrialMotion(LOLA, demo.plan.trajectory, demo.payloads, WRENCH)
    shown = advice_lines(demo, advice)[0]  # what is printed is what was tried
    printed = int(re.search(r"speed override of (\d+) %", shown)[1]) / 100
    assert printed == advice.override
    assert motion.run_trial(speed=printed).feasible
    assert not motion.run_trial(speed=printed + 0.01).feasible
    assert advice.margin == "no margin: the program is not feasible as it is"
    # the same by another way: the speed of that one arc lowered in the text
    slow = DEMO.replace("speed=350", f"speed={350 * 0.95 * advice.override:.1f}")
    assert verify(slow, LOLA, wrench=WRENCH, turning="smooth").feasible


def test_a_trial_is_the_run(demo: erfd.Verification) -> None:
    motion = TrialMotion(LOLA, demo.plan.trajectory, demo.payloads, WRENCH)
    trial = motion.run_trial()
    assert np.array_equal(trial.rows[:, :6], demo.run["q"])
    assert trial.feasible == demo.run.feasible
    part = motion.run_trial(first=100, last=180)  # calm, so it is what the whole is there
    assert np.abs(part.rows[:, :6] - demo.run["q"][100:181]).max() < 1e-12
    half = motion.run_trial(speed=0.5, last=180)
    assert np.abs(half.rows[::2, :6] - demo.plan.trajectory.q[:181]).max() < 1e-12


@pytest.mark.parametrize("friction", [1.0, 0.9])
def test_trials_do_not_know_of_each_other(demo: erfd.Verification, friction: float) -> None:
    """What they share is worked out once; each is what a motion of its own would find."""
    shared = TrialMotion(LOLA, demo.plan.trajectory, demo.payloads, WRENCH)
    options = [
        {"speed": 0.7, "friction": friction}, {"first": 200, "last": 300},
        {"follow": "position", "friction": friction, "rest": 1.0}, {"friction": friction}, {},
    ]  # fmt: skip
    for option in options:
        alone = TrialMotion(LOLA, demo.plan.trajectory, demo.payloads, WRENCH).run_trial(**option)
        found = shared.run_trial(**option)
        assert np.array_equal(found.rows, alone.rows)
        assert np.array_equal(found.use, alone.use)
    drives = tuple(
        replace(d, coulomb=friction * d.coulomb, viscous=friction * d.viscous,
                load_friction=friction * d.load_friction)
        for d in LOLA.drives
    )  # fmt: skip
    run = erfd.achievable(replace(LOLA, drives=drives), demo.plan.trajectory, wrench=WRENCH)
    assert np.array_equal(shared.run_trial(friction=friction).rows[:, :6], run["q"])


def test_a_robot_that_cannot_stand_at_zero() -> None:
    """Trials begin where the motion does."""
    joints = tuple(replace(joint, position_min=0.1) for joint in LOLA.joints)
    robot = replace(LOLA, joints=joints)
    text = "program p; seq move ptp joint(mainjoint(20, 20)) speed_ptp=0.3; endseq"
    found = verify(text, robot, q0=[0.2] * 6)
    assert advise(found).override is not None


def test_an_easy_program() -> None:
    found = verify(EASY, LOLA)
    advice = advise(found)
    assert found.feasible
    assert found.verdict.startswith("feasible: lola15 does the program in")
    assert advice.override >= 1
    assert advice.configs == ()
    assert advice.achievable_seconds == found.seconds
    assert re.fullmatch(r"with \+-10 % friction still feasible: motor \d uses \d+ %", advice.margin)


def test_payload_and_friction_margins() -> None:
    heavy = verify(EASY, LOLA, payload=erfd.Payload(10.0, (0.0, 0.0, 0.1)))
    assert heavy.payloads[5] == erfd.Payload(10.0, (0.0, 0.0, 0.1))
    advice = advise(heavy)
    assert "payload and friction" in advice.margin
    bare = verify(EASY, LOLA)
    assert heavy.moves[0].torque[1] > bare.moves[0].torque[1]


def test_a_stall_at_any_speed() -> None:
    """A motor too weak to hold the arm: no override helps, and the arm never arrives."""
    weak = replace(LOLA.drives[1], torque_max=0.5)
    robot = replace(LOLA, drives=(LOLA.drives[0], weak, *LOLA.drives[2:]))
    found = verify("program p; seq move ptp joint(mainjoint(0, 50)); endseq", robot,
                   q0=[0, 0.7, 0, 0, 0, 0])  # fmt: skip
    assert not found.feasible
    assert any(event.kind == "stall" for event in found.run.events)
    advice = advise(found)
    assert advice.override is None
    assert advice.achievable_seconds is None


def test_largest_finds_the_edge() -> None:
    class Tried:
        def __init__(self, feasible: bool):
            self.feasible = feasible

    for edge in (0.1, 0.5, 0.999, 1.3):
        found = largest(lambda s, e=edge: Tried(s <= e))
        assert edge - 0.01 < found <= edge  # whole percents, and never more than what passes
    assert largest(lambda s: Tried(True)) == 2.0
    assert largest(lambda s: Tried(False)) is None
    tried: list[float] = []
    assert largest(lambda s: tried.append(s) or Tried(s <= 0.1)) is not None
    assert min(tried) > 0.02  # the longest motion is tried only if nothing faster passes
    assert largest(lambda s: Tried(s <= 0.02)) == 0.02


def test_the_report_is_one_whole_page(demo: erfd.Verification) -> None:
    """No address outside, every line of the program, the bad one marked, charts that are XML."""
    page = report_page(demo, advise(demo))
    outside = re.findall(r"(?:src|href)=[\"']?(\w+:[^\"'> ]+)", page)
    assert outside == []
    assert page.count("<span class='bad'>") == 1
    charts = re.findall(r"<svg.*?</svg>", page, re.S)
    assert len(charts) == 11 + 2 * 6  # and forces and moments in six joints
    for chart in charts:
        ET.fromstring(chart)
    assert "speed_ptp=0.6" in page
    assert "<script>alert" not in report_page(
        verify(EASY.replace("program easy", "{<script>alert(1)</script>} program easy"), LOLA), None
    )


def test_a_program_for_another_robot() -> None:
    with pytest.raises(ProgramError, match="lola"):
        verify(DEMO, erfd.load("puma560"))


def test_data_is_json(demo: erfd.Verification) -> None:
    text = json.dumps(verification_data(demo, advise(demo)), allow_nan=False)
    assert json.loads(text)["advice"]["override"] < 1


def test_a_cell_places_its_robot() -> None:
    """Turned round by the cell, the arm meets what stands behind it; alone it does not."""
    text = (
        "program p; seq move ptp joint(mainjoint(0, 0, 0)); move ptp joint(mainjoint(30, 10, 0));"
    )
    text += " endseq endprogram"
    robot = erfd.load("lola15")
    post = CellObject("post", Visual("box", (0.2, 0.2, 3.0)), erfd.Pose((-1.1, 0.0, 0.5)))
    turned = erfd.Cell("turned", (post,), mount=erfd.Pose((0, 0, 0), (0, 0, np.pi)))
    assert erfd.verify(text, robot, cell=replace(turned, mount=None)).feasible
    met = erfd.verify(text, robot, cell=turned)
    assert not met.feasible
    assert met.contacts[0].thing == "post"
    by_hand = replace(robot, mount=turned.mount)
    alone = replace(turned, mount=None)
    assert erfd.clearance(robot, turned, met.run["q"]).smallest == pytest.approx(
        erfd.clearance(by_hand, alone, met.run["q"]).smallest
    )
