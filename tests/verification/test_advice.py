"""What verification advises holds: it is what the program does if one follows it."""

import re
from dataclasses import replace

import numpy as np
import pytest

import erfd
from erfd.cell.model import Cell, CellObject
from erfd.lirl import ProgramError, SignalSchedule
from erfd.lirl.signal_schedule import SignalChange
from erfd.robot.model import Visual
from erfd.verification import verify
from erfd.verification.advice import advise
from erfd.verification.tables import advice_lines
from support.easy_program import EASY
from support.paths import EXAMPLES

pytestmark = pytest.mark.usefixtures("compiled")
LOLA = erfd.load("lola15")
TARGETS = """program p;
var
  robtarg: a = robtarg(((900, -150, 500), (0, -60, -175)), 4);
  signal in bool: go;
endvar
seq
  {first}
  move ptp a speed_ptp=0.5;
  move lin a + (0, 300, 0) speed={speed} acc=20000;
  move lin a;
endseq
"""
FAST = TARGETS.format(first="", speed=3000)
CONFIGS = """program p;
var
  robtarg: a = robtarg(((900, -150, 500), (0, -60, -175)), {config});
endvar
seq
  move_inc lin (0, 0, 20) ref=base;
  move ptp a speed_ptp=0.3;
  payload {mass} at (0, 0, 100);
  move ptp a + (0, 100, 0) speed_ptp=0.3;
endseq
"""


@pytest.mark.parametrize("first", ["wait for go;", "if time() > 1 then halt; endif"])
def test_a_program_that_reads_signals_gets_the_same_advice(first: str) -> None:
    """That it is not feasible is no mistake of the program."""
    signals = SignalSchedule((SignalChange(0.0, "go", True),))
    found = verify(TARGETS.format(first=first, speed=3000), LOLA, signals=signals)
    assert not found.feasible
    advice = advise(found, signals=signals)
    plain = advise(verify(FAST, LOLA))
    assert advice.override == plain.override
    assert advice.per_move[-3:] == plain.per_move
    assert advice.achievable_seconds == plain.achievable_seconds
    assert "no other CONFIG would pass" in advice_lines(found, advice)


def test_a_move_from_rest_to_rest_is_advised_by_itself() -> None:
    """How hard its neighbours start and brake does not matter."""
    hard = advise(verify(FAST, LOLA)).per_move
    soft = advise(verify(TARGETS.format(first="", speed=100), LOLA)).per_move
    assert hard[1] < 0.5 < soft[1]
    assert (hard[0], hard[2]) == (soft[0], soft[2])


@pytest.mark.parametrize(("mass", "passes"), [(1, True), (400, False)])
def test_another_config_is_tried_as_the_program_is_run(mass: int, passes: bool) -> None:
    """From the same start and with the same payloads: what is advised passes, and no other does.

    With all joints at zero, where a robot starts if nobody says, the first line is a singularity.
    """
    start = np.radians([0.0, 20.0, -20.0, 150.0, 60.0, 0.0])
    joints = list(LOLA.joints)
    joints[4] = replace(joints[4], position_min=0.0)  # no flipped wrist: 4 is out of reach
    robot = replace(LOLA, joints=tuple(joints))
    found = verify(CONFIGS.format(config=4, mass=mass), robot, q0=start)
    assert not found.feasible
    assert advise(found).configs == ((0,) if passes else ())
    for config in range(8):
        other = verify(CONFIGS.format(config=config, mass=mass), robot, q0=start)
        assert other.feasible == (passes and config == 0)


def test_no_word_on_config_where_there_is_none() -> None:
    text = "program p; seq move ptp joint(mainjoint({q})); endseq"
    for robot, q in ((LOLA, "0, 200"), (erfd.load("sdt4"), "30, 30, 30, 30")):
        found = verify(text.format(q=q), robot, payload=erfd.Payload(3000.0))
        assert not found.feasible
        assert not any("CONFIG" in line for line in advice_lines(found, advise(found)))


@pytest.mark.parametrize("speed", [60, 3000])
def test_no_speed_leads_out_of_a_wall(speed: int) -> None:
    """Whether the motors can do it (at 60 mm/s) or not; nor does a CONFIG that touches it, too."""
    pytest.importorskip("coal")
    wall = CellObject("wall", Visual("box", (3.0, 0.05, 3.0), erfd.Pose((0.9, 0.0, 0.5))))
    found = verify(TARGETS.format(first="", speed=speed), LOLA, cell=Cell("room", (wall,)))
    assert found.contacts
    assert found.run.feasible == (speed == 60)
    assert 9 in found.bad_lines  # the line through the wall
    advice = advise(found)
    assert advice.override is None
    assert advice.configs == ()
    assert advice_lines(found, advice)[0] == "no speed override makes the program feasible"


def test_payload_none_is_nothing() -> None:
    """What the caller says it carries ends where the program says that it carries nothing."""
    text = (
        "program p; seq move ptp joint(mainjoint(10)); payload 2; move ptp joint(mainjoint(5));"
        "payload none; move ptp joint(mainjoint(0, 10)); endseq"
    )
    given = erfd.Payload(10.0, (0.0, 0.0, 0.1))
    found = verify(text, LOLA, payload=given)
    carried = [found.payloads[np.flatnonzero(found.plan.move == k)[-1]] for k in range(3)]
    assert carried == [given, erfd.Payload(2.0, (0.0, 0.0, 0.0)), None]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"wrench": [np.inf, 0, 0, 0, 0, 0]}, "wrench: expected finite numbers, found"),
        ({"wrench": [1, 2, 3]}, "wrench: expected six numbers, found the shape"),
    ],
)
def test_numbers_that_are_none(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(erfd.errors.InputError, match=sentence):
        verify(FAST, LOLA, **options)


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("move lin (x, 0, 0);", "target: expected a position within 1e+06 m, found"),
        ("move lin (900, 0, 500) speed=1 / x;", "speed: expected a number from 1e-09 to 1e+06 m/s"),
        ("move lin (900, 0, 500) speed=1000 / x ** 0.02;", "expected at most 500000 cycles"),
    ],
)
def test_what_nobody_can_plan_has_its_place(statement: str, sentence: str) -> None:
    text = f"program p;\nvar real: x = 1e300; endvar\nseq\n\t{statement}\nendseq"
    with pytest.raises(ProgramError, match=re.escape(sentence)) as caught:
        verify(text, LOLA)
    (mistake,) = caught.value.mistakes
    assert (mistake.line, mistake.column, mistake.width) == (4, 2, len(statement))


def test_limits_of_a_sliding_joint_are_in_mm() -> None:
    robot = erfd.load("stanford")
    low = 1000 * robot.joints[2].position_min  # where it starts
    text = f"program p; seq move ptp joint(mainjoint(0, 0, {low + 100:.1f})); endseq"
    said = [sentence for _, sentence in verify(text, robot).warnings]
    assert "joint 3 comes within 0.0 mm of its lower limit" in said
    assert any(s.endswith("with its joints at zero or at the limit next to it") for s in said)


def test_a_program_without_moves_has_no_start() -> None:
    assert verify("program p; seq endseq", LOLA).warnings == ()


DEMO = (EXAMPLES / "lola15_demo.irl").read_text(encoding="utf-8")


def test_it_ends_with_what_a_repair_would_do() -> None:
    """In one line, the last one; of a feasible program nothing."""
    found = verify(DEMO, LOLA, wrench=[100, 100, -150, 0, 0, 0], turning="smooth")
    line = advice_lines(found, advise(found, seconds=60.0))[-1]
    assert line == (
        "erfd repair makes it feasible by lower values of line 29: 13.97 s instead of 13.46 s"
    )
    beyond = verify(DEMO, LOLA, tool=erfd.Pose())
    line = advice_lines(beyond, advise(beyond))[-1]
    assert line == "erfd repair cannot help by lower speeds; it looks for another way"
    easy = verify(EASY, LOLA)
    advice = advise(easy)
    assert advice.repair == ""
    assert advice_lines(easy, advice)[-1] == advice.margin


@pytest.mark.parametrize("slow", [0.0, 2.0])
def test_it_keeps_to_its_time_with_what_a_repair_would_do(slow, monkeypatch) -> None:
    """What is left of the time, and a sixth of it at most; nothing after it is up."""
    given: list[float] = []
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])

    def late(*arguments: object) -> str:
        now[0] += slow
        return "a margin"

    def noted(verification: object, *, seconds: float, **more: object) -> str:
        given.append(seconds)
        return "said"

    monkeypatch.setattr("erfd.verification.advice.margin", late)
    monkeypatch.setattr("erfd.verification.repair.outlook", noted)
    advice = advise(verify(FAST, LOLA), seconds=1.5)
    assert advice.repair == "said"
    assert given == [pytest.approx(min(0.25, 1.5 - slow))]
