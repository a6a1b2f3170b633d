"""A verification reads Algorithm 1 as it is told: policy, what is followed, the torque path."""

from __future__ import annotations

import numpy as np
import pytest

import erfd
from erfd.cli import main
from erfd.errors import InputError
from erfd.verification.result import USUAL_READING
from erfd.verification.tables import verification_data
from erfd.verification.trial import TrialMotion
from support.paths import EXAMPLES

LOLA = erfd.load("lola15")
DEMO = EXAMPLES / "lola15_demo.irl"
WRENCH = (100.0, 100.0, -150.0, 0.0, 0.0, 0.0)
READINGS = (
    {"policy": "printed", "torque_path": "diagonal"},
    {"follow": "position"},
    {"torque_path": "diagonal"},
)


@pytest.mark.parametrize("reading", READINGS, ids=str)
def test_the_run_is_that_of_algorithm_1_with_these_options(reading: dict[str, str]) -> None:
    found = erfd.verify(DEMO, LOLA, wrench=WRENCH, **reading)
    wanted = erfd.achievable(
        LOLA, found.plan.trajectory, wrench=WRENCH, payload=list(found.payloads), **reading
    )
    assert found.reading == USUAL_READING | reading
    for name in ("q", "u_a", "u_a_wanted", "deviation"):
        assert (found.run[name] == wanted[name]).all(), name
    usual = erfd.verify(DEMO, LOLA, wrench=WRENCH)
    assert np.abs(found.run["u_a"] - usual.run["u_a"]).max() > 0.1
    assert verification_data(found, None)["algorithm"] == found.reading


def test_it_is_said_where_a_person_reads_it(capsys: pytest.CaptureFixture[str]) -> None:
    found = erfd.verify(DEMO, LOLA, wrench=WRENCH, **READINGS[0])
    said = "Algorithm 1 with policy printed, torque path diagonal"
    assert found.reading_line.startswith(said)
    assert said in erfd.report_page(found)
    assert erfd.verify(DEMO, LOLA, wrench=WRENCH).reading_line == ""
    words = ["--robot", "lola15", "--policy", "printed", "--torque-path", "diagonal"]
    assert main(["verify", str(DEMO), *words, "--no-advice"]) == 1
    assert said in " ".join(capsys.readouterr().out.split())


def test_another_word_is_one_sentence() -> None:
    with pytest.raises(InputError, match="policy: expected one of consistent, printed"):
        erfd.verify(DEMO, LOLA, policy="literal")


@pytest.mark.parametrize("path", ["virtual-work", "diagonal"])
def test_trials_take_the_same_torque_path(path: str) -> None:
    """At the programmed speed a trial uses of its motors what the run of that path does."""
    found = erfd.verify(DEMO, LOLA, payload=60, turning="smooth", torque_path=path)
    motion = TrialMotion(LOLA, found.plan.trajectory, found.payloads, torque_path=path)
    limit = [drive.torque_max for drive in LOLA.drives]
    peaks = np.abs(found.run["u_a"]).max(axis=0) / limit
    assert motion.run_trial().use == pytest.approx(peaks, rel=1e-9)
