"""What is suggested where no speed helps: it holds on a robot that is made that way."""

import math
import re
from dataclasses import replace

import pytest

import erfd
from erfd.robot.pose import Pose
from erfd.verification import verify
from erfd.verification.repair import Repair, repair
from support.paths import EXAMPLES

pytestmark = pytest.mark.usefixtures("compiled")
LOLA = erfd.load("lola15")
DEMO = (EXAMPLES / "lola15_demo.irl").read_text(encoding="utf-8")
LATER = "it passes at lower speeds (repair then says which)"


def suggested(made: Repair, pattern: str) -> float:
    """The number in the suggestion that fits."""
    (number,) = (float(m[1]) for s in made.suggestions if (m := re.search(pattern, s)))
    return number


def test_the_base_moved() -> None:
    """The demonstration without its tool reaches its points from a place a little nearer."""
    arm = replace(LOLA, tool=Pose())
    made = repair(DEMO, arm)
    assert made.complete
    way = suggested(made, r"the base moved by (\S+) mm along x .* " + re.escape(LATER))
    assert 0 < way < 50
    for millimetres, reached in ((way, True), (way - 1, False)):
        moved = replace(arm, base=Pose((millimetres / 1000, 0.0, 0.0)) @ arm.base)
        assert (not verify(DEMO, moved).plan.failures) == reached
    moved = replace(arm, base=Pose((way / 1000, 0.0, 0.0)) @ arm.base)
    assert not verify(DEMO, moved).feasible
    assert repair(DEMO, moved).feasible


TURNED = """program p; seq
  move ptp robtarg(((900, -100, 500), (0, -60, -175)), 4);
  move lin ((900, 100, 500), (0, -60, -175)) speed=100;
  move_inc lin orientation(0, 0, %d) speed_ori=20;
endseq
"""


def test_the_tool_turned() -> None:
    """A point that is out of reach is not if the tool is mounted at a slightly other angle."""
    far = "move lin ((550, -205, 1302), (0, -42, -175)) speed=100;\nendseq"
    text = (TURNED % 5).replace("endseq", far)
    made = repair(text, LOLA)
    assert not made.feasible
    degrees = suggested(made, r"the tool turned by (\S+) deg about its y axis it passes$")
    assert -45 < degrees < 0
    for angle, reached in ((degrees, True), (degrees + 1, False)):
        turn = Pose((0.0, 0.0, 0.0), (0.0, math.radians(angle), 0.0))
        found = verify(text, replace(LOLA, tool=LOLA.tool @ turn))
        assert found.feasible == reached
        assert (not found.plan.failures) == reached


def test_the_payload_that_passes() -> None:
    text = TURNED % 5
    made = repair(text, LOLA, payload=erfd.Payload(300.0))
    most = suggested(made, r"a payload of (\S+) kg instead of 300 it passes")
    assert repair(text, LOLA, payload=erfd.Payload(most)).feasible
    assert not repair(text, LOLA, payload=erfd.Payload(most * 1.05)).feasible
    named = text.replace("seq\n", "seq\n  payload 300;\n", 1)
    inside = repair(named, LOLA)
    assert suggested(inside, r"a payload of (\S+) kg instead of 300 it passes") == most


def test_an_arm_that_no_lighter_payload_helps() -> None:
    made = repair((TURNED % 5).replace("500", "9000"), LOLA, payload=erfd.Payload(1.0))
    assert not any("payload" in suggestion for suggestion in made.suggestions)


def test_another_config_comes_first() -> None:
    text = (TURNED % 5).replace("), 4)", "), 2)")
    made = repair(text, LOLA)
    assert not made.feasible
    assert [s[:16] for s in made.suggestions] == ["with CONFIG 0 at", "with CONFIG 4 at"]
    for config in (0, 4):
        assert verify(text.replace("), 2)", f"), {config})"), LOLA).feasible


@pytest.mark.parametrize("name", ["cmu_dd", "two_link"])
def test_arms_with_fewer_joints(name: str) -> None:
    arm = erfd.load(name)
    far = "program p; seq move ptp position(9000, 0, 0); move lin position(600, 0, 0); endseq"
    made = repair(far, arm, seconds=0.5)
    assert not made.feasible
    assert "out of reach" in made.sentence
    assert not any("CONFIG" in s or "turned" in s for s in made.suggestions)
