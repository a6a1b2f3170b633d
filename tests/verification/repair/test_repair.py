"""`erfd.repair`: what it hands back can be done, and no value of it need be lower."""

from __future__ import annotations

import os
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import erfd
from erfd.errors import InputError
from erfd.lirl import ProgramError, parse
from erfd.verification import verify
from erfd.verification.repair import Repair, repair
from erfd.verification.repair.chain import RepairSetup, TrialChain
from erfd.verification.repair.repair import reserved
from support.infeasible_programs import (
    hopeless_at_slowest,
    infeasible,
    without_values,
)
from support.paths import EXAMPLES
from support.seeds import seeded

pytestmark = pytest.mark.usefixtures("compiled")
LOLA = erfd.load("lola15")
DEMO = (EXAMPLES / "lola15_demo.irl").read_text(encoding="utf-8")
WRENCH = (100.0, 100.0, -150.0, 0.0, 0.0, 0.0)
COUNT = int(os.environ.get("ERFD_REPAIRS", "5"))
"""Random programs; `make soak-repairs` tries hundreds."""


def a_config_that_is_suggested_passes(text: str, suggestion: str) -> None:
    """Put into the text, at the line that is named, it makes the program feasible or repairable."""
    if not (found := re.match(r"with CONFIG (\d) at line (\d+) it passes(.*)", suggestion)):
        return
    lines = text.split("\n")
    number = int(found[2]) - 1
    lines[number] = re.sub(r"\), \d\)", f"), {found[1]})", lines[number])
    other = verify("\n".join(lines), LOLA)
    assert other.feasible != bool(found[3])
    assert other.feasible or repair(other.text, LOLA).feasible


def only_named_lines_differ(made: Repair) -> None:
    """Lines that no change names are what they were, and as many."""
    before, after = made.original.split("\n"), made.text.split("\n")
    assert len(before) == len(after)
    differ = {n for n, pair in enumerate(zip(before, after, strict=True), 1) if len({*pair}) > 1}
    assert differ == {*made.lines}
    parse(made.text)


def none_can_be_larger(made: Repair, **options: object) -> None:
    """No changed number of the text can be one in its last digit larger, or hardly any.

    A step is a hundredth of the programmed value, so that larger numbers in between may pass.
    """
    for change in made.changes:
        line = made.text.split("\n")[change.line - 1]
        number = float(change.after)
        step = (
            0.0101 * float(change.before) if number >= 0.1 * float(change.before) else 0.1 * number
        )
        raised = line.replace(
            f"{change.value}={change.after}", f"{change.value}={number + step:.6g}"
        )
        assert raised != line
        text = made.text.replace(line, raised)
        assert not verify(text, LOLA, **options).feasible, str(change)


@pytest.mark.parametrize(("turning", "lines"), [(None, 3), ("smooth", 1)])
def test_the_demonstration(turning: str | None, lines: int) -> None:
    options = {"wrench": WRENCH, "turning": turning}
    made = repair(DEMO, LOLA, **options)
    assert made.feasible
    assert made.complete
    assert made.verification.feasible
    assert not made.before.feasible
    assert verify(made.text, LOLA, **options).feasible
    assert len(made.lines) == lines
    only_named_lines_differ(made)
    none_can_be_larger(made, **options)
    again = repair(made.text, LOLA, **options)
    assert (again.text, again.changes, again.diff()) == (made.text, (), "")
    smooth = "with smooth turning (`turning smooth;`) it passes with 1 line slower, in 13.97 s"
    assert made.suggestions == (() if turning else (smooth,))
    assert made.verification.seconds < (24.0 if turning is None else 14.0)
    for change in made.changes:
        assert re.match(r"without it (motor|joint) \d lacks", change.why)


@pytest.mark.parametrize("number", range(COUNT))
def test_random_programs(number: int) -> None:
    """Every one is repaired, or can truly not be: at the slowest override it fails as well."""
    text, found = next(infeasible(random.Random(seeded(1007 + number)), LOLA))
    made = repair(text, LOLA)
    if not made.feasible:
        assert hopeless_at_slowest(found)
        assert made.text == text
        assert made.reasons
        for suggestion in made.suggestions:
            a_config_that_is_suggested_passes(text, suggestion)
        return
    assert verify(made.text, LOLA).feasible
    assert made.complete
    only_named_lines_differ(made)
    assert without_values(parse(made.text)) == without_values(parse(text))
    again = repair(made.text, LOLA)
    assert again.text == made.text
    assert not again.changes


def test_a_reserve_of_torque() -> None:
    text = HURRY % (800, 5000)
    plain, spare = repair(text, LOLA), repair(text, LOLA, margin=0.3)
    assert spare.feasible
    assert spare.sentence.startswith("feasible with 30 % of every torque in reserve with 1 line")
    used = [max(m.torque.max() for m in made.verification.moves) for made in (plain, spare)]
    assert used[1] <= 0.7 < used[0]
    assert spare.verification.seconds > plain.verification.seconds
    limits = [drive.torque_max for drive in reserved(LOLA, 0.25).drives]
    assert limits == [0.75 * drive.torque_max for drive in LOLA.drives]


HURRY = """program p; seq
  move ptp robtarg(((900, -150, 500), (0, -60, -175)), 4);
  move lin (900, 250, 500) speed=%d acc=%d;
endseq
"""


@pytest.mark.parametrize("place", [None, (0.0, 0.0, 0.15)])
def test_payloads_up_to(place: tuple[float, float, float] | None) -> None:
    text = HURRY % (800, 5000)
    given = None if place is None else erfd.Payload(10.0, place)
    made = repair(text, LOLA, payload_up_to=90.0, payload=given)
    assert made.feasible
    assert made.verification.payloads[0] == given
    for mass in (0.0, 3.0, 10.0, 45.0, 90.0):
        payload = erfd.Payload(mass, place or (0.0, 0.0, 0.0))
        assert verify(made.text, LOLA, payload=payload).feasible
    assert made.verification.seconds > repair(text, LOLA).verification.seconds


def test_the_payload_of_the_program_is_its_own() -> None:
    """Where the program says what it carries, that counts, and not the range."""
    text = HURRY.replace("p; seq\n", "p; seq\n  payload 5;\n") % (300, 1000)
    assert verify(text, LOLA).feasible
    made = repair(text, LOLA, payload_up_to=5000.0)
    assert made.feasible
    assert made.changes == ()


def test_other_line_ends_give_the_same() -> None:
    text = HURRY % (2500, 20000)
    made = repair(text, LOLA)
    for before, after in (("\n", "\r\n"), ("\n", "\r")):
        other = repair("\ufeff" + text.replace(before, after), LOLA)
        assert other.text == "\ufeff" + made.text.replace(before, after)
        assert other.changes == made.changes


def test_the_load_of_endless_repetition() -> None:
    text = HURRY.replace("endseq", "  move lin (900, -150, 500) speed=700;\nendseq") % (800, 2500)
    rms = verify(text, LOLA).continuous.rms_torque
    rated = [replace(LOLA.drives[0], torque_rated=0.9 * float(rms[0])), *LOLA.drives[1:]]
    made = repair(text, replace(LOLA, drives=tuple(rated)))
    assert made.feasible
    assert made.before.moves_feasibly
    assert "RMS torque" in made.changes[0].why
    assert not made.verification.continuous.failures
    holding = [replace(LOLA.drives[1], torque_rated=0.3 * float(rms[1]))]
    arm = replace(LOLA, drives=(LOLA.drives[0], *holding, *LOLA.drives[2:]))
    hopeless = repair(text, arm)
    assert not hopeless.feasible
    (pause,) = hopeless.suggestions
    seconds = float(re.search(r"--pause (\S+)\)", pause)[1])
    assert verify(text, arm, pause=seconds).feasible


@pytest.mark.parametrize(
    ("text", "options", "reason"),
    [
        (DEMO, {"tool": erfd.Pose()}, "s10 is out of reach by 10.3 mm, at any speed"),
        (HURRY % (300, 900), {"payload": erfd.Payload(300.0)}, "cannot hold the arm with 300 kg"),
        (HURRY % (300, 900), {"strict": True}, "strictly nothing may be left unchecked"),
    ],
)
def test_what_no_speed_helps(text: str, options: dict[str, object], reason: str) -> None:
    made = repair(text, LOLA, **options)
    assert not made.feasible
    assert made.text is text
    assert any(reason in r for r in made.reasons)
    assert made.sentence.startswith("not repairable: ")
    assert made.verification is made.before


def test_what_is_in_the_way() -> None:
    pytest.importorskip("coal")
    box = erfd.Visual("box", (0.3, 0.1, 0.1), erfd.Pose((0.95, 0.1, 0.5)))
    from erfd.cell.model import CellObject

    cell = erfd.Cell("room", (CellObject("post", box),))
    made = repair(HURRY % (2500, 20000), LOLA, cell=cell, seconds=1.0)
    assert not made.feasible
    assert "collides with post" in made.sentence
    assert "at any speed" in made.sentence
    away = erfd.Cell("room", (CellObject("post", replace(box, pose=erfd.Pose((3.0, 3.0, 0.5)))),))
    made = repair(HURRY % (2500, 20000), LOLA, cell=away)
    assert made.feasible
    assert made.verification.clearance is not None


def test_the_time_is_up() -> None:
    late = repair(DEMO, LOLA, wrench=WRENCH, seconds=1e-3)
    assert not late.feasible
    assert not late.complete
    assert "the time for the search was up" in late.sentence


def test_strictly_accelerations_count() -> None:
    found = verify(DEMO, LOLA, wrench=WRENCH, turning="smooth", strict=True)
    outcome = TrialChain(RepairSetup.of(found, None)).attempt({(29, "speed"): 248.0})
    assert {event.kind for event in outcome.blamed.values()} >= {"joint acceleration limit"}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"margin": 1.0}, "margin: expected a part from 0 to less than 1, found 1.0"),
        ({"margin": float("nan")}, "margin: expected a part"),
        ({"payload_up_to": -1.0}, "payload_up_to: expected a mass >= 0 kg, found -1.0"),
        ({"seconds": 0.0}, "seconds: expected a time > 0 s, found 0.0"),
        ({"dt": 3.0}, "dt: expected a time"),
        ({"margin": "5%"}, "margin: expected a part from 0 to less than 1, found '5%'"),
        ({"payload_up_to": "8"}, "payload_up_to: expected a mass >= 0 kg, found '8'"),
        ({"seconds": None}, "seconds: expected a time > 0 s, found None"),
        ({"payload": "8"}, "payload: expected an erfd.Payload or a mass in kg, found '8'"),
    ],
)
def test_wrong_arguments(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=re.escape(sentence)):
        repair(HURRY % (300, 900), LOLA, **options)
    with pytest.raises(ProgramError):
        repair("program p; seq move ptp nowhere; endseq", LOLA)
    with pytest.raises(InputError, match="text: expected a text, found None"):
        repair(None, LOLA)  # type: ignore[arg-type]


def test_files_and_names_are_taken_as_verify_takes_them(tmp_path: Path) -> None:
    program, cell = tmp_path / "hurry.irl", tmp_path / "room.toml"
    text = HURRY % (3000, 20000)
    program.write_bytes(text.replace("\n", "\r\n").encode())
    cell.write_text('[[object]]\nname = "far"\nshape = "sphere"\nradius = 0.1\nxyz = [9, 9, 9]\n')
    made = repair(program, "lola15", cell=str(cell), payload=1.0)
    assert made.changes
    assert made.original == program.read_bytes().decode()
    assert made.text.count("\r\n") == made.original.count("\r\n") > 0
    assert made.verification.name == "hurry"
    same = repair(text, LOLA, cell=erfd.load_cell(cell), payload=erfd.Payload(1.0))
    assert [c.after for c in same.changes] == [c.after for c in made.changes]
