"""What a worker makes of a program that cannot be done: an offer, verified as it is printed."""

from dataclasses import asdict

import pytest

import erfd
from erfd.studio.jobs.repairing import work
from erfd.studio.session import Setup
from erfd.verification import verify
from support.easy_program import EASY
from support.paths import EXAMPLES
from support.studio_jobs import request

pytestmark = pytest.mark.usefixtures("compiled")
DEMO = (EXAMPLES / "lola15_demo.irl").read_text(encoding="utf-8")
FORCE = [100.0, 100.0, -150.0, 0.0, 0.0, 0.0]


def test_the_offer_is_the_repair_of_the_program_in_its_set_up(tmp_path) -> None:
    stages: list[tuple[float, str]] = []
    setup = Setup(wrench=FORCE, turning="smooth")
    offer = work(request(tmp_path, DEMO, setup), lambda *told: stages.append(told))
    made = erfd.repair(DEMO, erfd.load("lola15"), wrench=FORCE, turning="smooth")
    assert offer["text"] == made.text
    assert offer["changes"] == [asdict(change) for change in made.changes]
    assert offer["original"] == DEMO
    found = verify(offer["text"], erfd.load("lola15"), wrench=FORCE, turning="smooth")
    assert found.feasible
    assert offer["seconds"] == found.seconds
    assert offer["feasible"]
    assert not verify(DEMO, erfd.load("lola15"), wrench=FORCE, turning="smooth").feasible
    assert all(0 <= part <= 1 for part, _ in stages)
    assert not list(tmp_path.iterdir())


def test_what_needs_no_repair_or_has_none(tmp_path) -> None:
    easy = work(request(tmp_path, EASY, Setup()), lambda part, stage: None)
    assert (easy["feasible"], easy["text"], easy["changes"]) == (True, EASY, [])
    heavy = Setup(payload=[500.0, 0.0, 0.0, 0.1])
    none = work(request(tmp_path, EASY, heavy), lambda part, stage: None)
    assert not none["feasible"]
    assert none["text"] == EASY
    assert "cannot hold the arm" in none["reasons"][0]
